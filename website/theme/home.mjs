// SPDX-License-Identifier: MIT
// The home page: a text arrives in chunks that are cut at random, and becomes events; or what a regex makes of the same chunks.

import { byId, make, say, settled } from "../playground/dom.mjs";
import { JavaScript } from "../playground/javascript.mjs";
import { fragmentOf } from "../playground/permalink.mjs";
import { isReadByJavaScript } from "../playground/choices.mjs";
import { cut } from "../playground/text.mjs";

const PACE = 140; // milliseconds a chunk
const FIRST = "hermes";
const data = async (name) => (await fetch(new URL(`../playground/${name}`, import.meta.url))).json();
const { tools, formats: all } = await data("formats.json");
const formats = all.filter(({ description }) => isReadByJavaScript(description));
const [text, slider, button, way, menu, reader] = ["text", "position", "play", "way", "format", "reader"].map((name) => byId(`home-${name}`));
const javascript = new JavaScript();

let seed = 1;
let chunks = [];
let feeds = []; // of each chunk, and of the end: what is read with it
let timer = 0;

const chosen = () => formats.find(({ name }) => name === menu.value);
const first = (marker) => [marker].flat()[0];
const quoted = (marker) => marker.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");

/** The opener of a call, and a pattern that ends at the first closer: what many write by hand. */
function handwritten({ call }) {
  const [opener, closer] = call.map(first);
  const [from, to] = [quoted(opener), closer ? quoted(closer) : "(?<=\\})"];
  return { opener, source: `${from}([\\s\\S]*?)${to}` };
}

function byRegex(description) {
  const { opener, source } = handwritten(description);
  const pattern = new RegExp(source);
  let so_far = "";
  let isFound = false;
  return chunks.map((chunk) => {
    const items = [];
    so_far += chunk;
    if (!so_far.includes(opener)) items.push({ content: chunk });
    const found = isFound ? null : pattern.exec(so_far);
    if (found) items.push({ call: "", payload: found[1].trim() });
    isFound ||= found !== null;
    return items;
  });
}

/** The code of what `byRegex` does, for its readers. */
function code(description) {
  const { opener, source } = handwritten(description);
  return `for await (const chunk of stream) {
  text += chunk;
  if (!text.includes(${JSON.stringify(opener)})) show(chunk);
  const found = /${source}/.exec(text);
  if (found) return run(found[1]);
}`;
}

/** Return items as events, pieces of one text joined. */
function events(items) {
  const found = [];
  for (const item of items) {
    const [[kind, value]] = Object.entries(item);
    const last = found.at(-1);
    const type = { reasoning: "think", content: "respond", call: "call", arguments: "call" }[kind];
    if (kind === "call") found.push({ type, name: value, content: item.payload ?? "" });
    else if (last?.type === type) last.content += value;
    else found.push({ type, content: value });
  }
  return found.filter(({ type, content }) => type === "call" || content.trim() !== "");
}

async function read() {
  const { name, description } = chosen();
  chunks = cut(text.value, { how: "random", seed });
  const { reply } = await javascript.answer({ op: "parse", format: description, tools, chunks });
  const exact = [...reply.feeds, reply.close];
  const isRegex = reader.value === "regex";
  feeds = isRegex ? [...byRegex(description), []] : exact;
  slider.max = chunks.length;
  byId("home-code").hidden = !isRegex;
  say(byId("home-code"), isRegex ? code(description) : "");
  say(byId("home-who"), isRegex ? "What is shown to the user and run, as the text arrives" : "Thoughts, answers and calls, as the text arrives");
  const fragment = await fragmentOf({ text: text.value, dialect: name, cut: "random", seed });
  way.href = `playground/index.html${fragment ? `#${fragment}` : ""}`;
}

/** Say what is wrong with what a regex has made of the text so far. */
function faults(shown) {
  const { description } = chosen();
  const words = [];
  const prose = shown.find(({ type }) => type === "respond")?.content ?? "";
  if (/[<[{|]/.test(prose)) words.push("Markers, and what the model thinks, are shown to the user.");
  const call = shown.find(({ type }) => type === "call");
  const [opener, closer] = description.call.map(first);
  const whole = text.value.slice(text.value.indexOf(opener) + opener.length, closer ? text.value.lastIndexOf(closer) : undefined).trim();
  if (call && call.content !== whole) words.push("The call is cut off at the closer in its argument.");
  return words.join(" ");
}

function show(position) {
  slider.value = position;
  byId("home-chunks").replaceChildren(...chunks.map((chunk, at) => make("span", { class: at < position ? "come" : "" }, chunk)));
  // The end of the stream is shown with the last chunk.
  const items = feeds.slice(0, position === chunks.length ? feeds.length : position).flat();
  const shown = events(items);
  const list = shown.map(({ type, name, content }, at) => {
    const head = make("div", { class: "pg-head" }, make("span", { class: "pg-number" }, String(at + 1)), make("span", { class: "pg-type" }, type), make("span", { class: "pg-name" }, name ?? ""));
    return make("li", { class: `pg-event pg-${type}` }, head, make("pre", { class: "pg-content" }, content.trim()));
  });
  const box = byId("home-events");
  box.replaceChildren(...list);
  box.scrollTop = box.scrollHeight;
  say(byId("home-verdict"), reader.value === "regex" ? faults(shown) : "");
  slider.setAttribute("aria-valuetext", `after ${position} of ${chunks.length} chunks`);
}

function stop() {
  clearInterval(timer);
  timer = 0;
  say(button, "▶ Play");
}

function play() {
  if (timer) return stop();
  if (Number(slider.value) >= chunks.length) show(0);
  say(button, "Pause");
  timer = setInterval(() => {
    if (Number(slider.value) >= chunks.length) stop();
    else show(Number(slider.value) + 1);
  }, PACE);
}

/** Read the text again and show its events; the stream plays unless the user prefers reduced motion. */
async function renew({ isPlaying }) {
  stop();
  await read();
  if (isPlaying && !matchMedia("(prefers-reduced-motion: reduce)").matches) {
    show(0);
    play();
  } else show(chunks.length);
}

menu.append(...formats.map(({ name, models }) => make("option", { value: name }, `${name} (${models[0]})`)));
menu.value = FIRST;
text.value = chosen().text;
menu.addEventListener("change", () => {
  text.value = chosen().text;
  renew({ isPlaying: true });
});
reader.addEventListener("change", () => renew({ isPlaying: true }));
byId("home-cut").addEventListener("click", () => {
  seed += 1;
  renew({ isPlaying: true });
});
text.addEventListener("input", settled(() => renew({ isPlaying: false }), 60));
slider.addEventListener("input", () => {
  stop();
  show(Number(slider.value));
});
button.addEventListener("click", play);
await renew({ isPlaying: true });
byId("home-demo").dataset.ready = "yes";
