// SPDX-License-Identifier: MIT
// The home page: a text arrives in chunks, and becomes events.  The playground's modules do the work, in JavaScript alone.

import { byId, say, settled } from "../playground/dom.mjs";
import { JavaScript } from "../playground/javascript.mjs";
import { drawLedger } from "../playground/ledger.mjs";
import { Reading } from "../playground/model.mjs";
import { fragmentOf } from "../playground/permalink.mjs";
import { DEFAULTS } from "../playground/state.mjs";
import { cut } from "../playground/text.mjs";
import { grouped, Links, Timeline } from "../playground/timeline.mjs";

const PACE = 90; // milliseconds a chunk
const [text, slider, button, way] = ["home-text", "home-position", "home-play", "home-way"].map(byId);
const codes = await (await fetch(new URL("../playground/codes.json", import.meta.url))).json();
const timeline = new Timeline(byId("home-events"), new Links(codes, ""));
const javascript = new JavaScript();

let reading = null;
let last = null; // what was asked
let timer = 0;

/** Read the text anew; what is typed meanwhile is read after it. */
async function read() {
  const chunks = cut(text.value, { how: "words" });
  const request = { op: "parse", dialect: "xml-json", mode: "turn", stream: "token", start: "prose", chunks, raw: true };
  last = request;
  const { reply } = await javascript.answer(request);
  if (request !== last) return; // a long text is answered late
  reading = new Reading(request, reply);
  slider.max = reading.last;
  const fragment = await fragmentOf({ text: text.value });
  way.href = `playground/index.html${fragment ? `#${fragment}` : ""}`;
}

async function show(position) {
  const one = reading;
  if (position < one.last && !one.states.has(position)) one.states.set(position, (await javascript.answer(one.prefix(position))).reply);
  if (one !== reading) return;
  slider.value = position;
  const groups = grouped(one.entries);
  drawLedger(byId("home-ledger"), { text: one.text, parts: one.parts(position), groups, cuts: [], selected: null });
  timeline.draw({ reading: one, entries: one.entries.slice(0, one.count(position)), groups, selected: null, problems: null });
  const box = byId("home-events");
  box.scrollTop = box.scrollHeight;
  slider.setAttribute("aria-valuetext", `after ${Math.min(position, one.last - 1)} of ${one.last - 1} chunks`);
}

function stop() {
  clearInterval(timer);
  timer = 0;
  say(button, "▶ Play");
}

function play() {
  if (timer) return stop();
  if (Number(slider.value) >= reading.last) slider.value = 0;
  say(button, "Pause");
  timer = setInterval(() => {
    if (Number(slider.value) >= reading.last) stop();
    else show(Number(slider.value) + 1);
  }, PACE);
}

text.value = DEFAULTS.text;
text.addEventListener("input", settled(async () => {
  stop();
  await read();
  show(reading.last);
}, 60));
slider.addEventListener("input", () => {
  stop();
  show(Number(slider.value));
});
button.addEventListener("click", play);
await read();
if (matchMedia("(prefers-reduced-motion: reduce)").matches) show(reading.last);
else {
  await show(0);
  play();
}
byId("home-demo").dataset.ready = "yes";
