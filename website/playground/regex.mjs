// SPDX-License-Identifier: MIT
// The page on which a visitor's function is tried on the texts that break parsers.

import { byId, make, say } from "./dom.mjs";

const LONGEST = 20_000; // milliseconds for all texts of a format
const START = `(text) => {
  const calls = [];
  for (const [, json] of text.matchAll(/<tool_call>(.*?)<\\/tool_call>/gs)) {
    calls.push(JSON.parse(json));
  }
  return calls;
}`;

const hard = await (await fetch(new URL("hard.json", import.meta.url))).json();
const [menu, code, button, said, list] = ["format", "code", "run", "said", "list"].map((name) => byId(`regex-${name}`));
let worker = null;

/** Return what a worker says of each text, or what is wrong with the function. */
function tried(source, cases) {
  worker?.terminate();
  worker = new Worker(new URL("regex-worker.mjs", import.meta.url), { type: "module" });
  const one = worker;
  return new Promise((resolve) => {
    const patience = setTimeout(() => resolve({ fault: `It had not finished after ${LONGEST / 1000} seconds.` }), LONGEST);
    one.addEventListener("message", ({ data }) => {
      clearTimeout(patience);
      resolve(data);
    });
    one.postMessage({ source, cases });
  }).finally(() => one.terminate());
}

function item({ id, title, text }, { words, gives }) {
  const link = make("a", { href: `../formats/${menu.value}.html#${id}` }, title);
  const parts = [make("p", {}, link, `: ${words}`), make("pre", { class: "pg-content", tabindex: "0" }, text)];
  if (gives !== undefined) parts.push(make("p", { class: "pg-small" }, "It returns:"), make("pre", { class: "pg-content", tabindex: "0" }, gives));
  return make("li", { class: "pg-event pg-error" }, ...parts);
}

async function run() {
  const { cases } = hard.find(({ name }) => name === menu.value);
  say(said, "It is running.");
  list.replaceChildren();
  button.disabled = true;
  const { fault, found } = await tried(code.value, cases);
  button.disabled = false;
  if (fault) return say(said, fault);
  const broken = cases.map((one, at) => [one, found[at]]).filter(([, result]) => result);
  broken.sort(([one], [other]) => one.text.length - other.text.length);
  const right = cases.length - broken.length;
  say(said, `${right} of ${cases.length} texts are read as expected${broken.length > 0 ? ". The others, the shortest first:" : "."}`);
  list.replaceChildren(...broken.map(([one, result]) => item(one, result)));
}

menu.append(...hard.map(({ name, title, cases }) => make("option", { value: name }, `${title} (${cases.length} texts)`)));
menu.value = "hermes";
code.value = START;
button.addEventListener("click", run);
button.disabled = false; // a click before this would be lost
byId("regex").dataset.ready = "yes";
