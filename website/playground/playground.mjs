// SPDX-License-Identifier: MIT
// The playground: a client of the adapter protocol (spec/adapter.md) with two implementations that answer in the page.

import { byId, copy, enter, make, roving, say, settled } from "./dom.mjs";
import { Desk } from "./desk.mjs";
import { JavaScript } from "./javascript.mjs";
import { drawLedger, fill } from "./ledger.mjs";
import { Reading } from "./model.mjs";
import { keepOffline } from "./offline.mjs";
import { panels } from "./panels.mjs";
import { fragmentOf, stateOf } from "./permalink.mjs";
import { Reference } from "./reference.mjs";
import { callOptions, changes, DEFAULTS, DESCRIBED, DIALECTS, restored, wireOf } from "./state.mjs";
import { cut, MOST_CHUNKS, shortened, visible } from "./text.mjs";
import { grouped, Links, Timeline } from "./timeline.mjs";
import { lineOf } from "./pointer.mjs";

const LONGEST_LINK = 60_000;
const SHORTEST_LINK = 24; // what is shorter and holds no state is the anchor of a heading
const EXAMPLE_TOOLS = [
  {
    name: "read",
    description: "Read a file.",
    parameters: {
      type: "object",
      properties: { file: { type: "string" }, lines: { type: "integer", minimum: 1 } },
      required: ["file"],
      additionalProperties: false,
    },
  },
  { name: "ls", description: "List the files.", parameters: { type: "object", properties: {}, additionalProperties: false } },
];

const data = async (name) => (await fetch(new URL(name, import.meta.url))).json();
const [manifest, codes, examples, { formats }] = await Promise.all(["manifest.json", "codes.json", "examples.json", "formats.json"].map(data));

const state = { ...DEFAULTS };
const links = new Links(codes);
const timeline = new Timeline(byId("pg-events"), links);
const reference = new Reference(hearReference);
const desk = new Desk(new JavaScript(), reference, heard, number);

let reading = null; // of the text, the last that was answered
let groups = [];
let selected = null; // a group of events
let problems = null; // of each call, from the toolset
let answers = {}; // to the last parse
let timer = 0; // while it plays
let edits = 0; // of the text
let isEdited = false; // the text is another than the one that was asked about last

// --- From the fields to the state -----------------------------------------------------------------

const FIELDS = ["dialect", "mode", "stream", "start", "calls", "cut", "text", "tools", "description"];
const LIMITS = ["size", "calls", "depth", "digits"];

function showFields() {
  for (const name of FIELDS) {
    const field = byId(`pg-${name}`);
    if (field.value !== state[name].replace(/\r\n?/g, "\n")) field.value = state[name];
  }
  for (const name of LIMITS) byId(`pg-limit-${name}`).value = state.limits[name] ?? "";
  const deltas = byId("pg-deltas");
  deltas.value = state.call_deltas && state.stream === "token" ? "on" : "off";
  deltas.disabled = state.stream !== "token";
  byId("pg-description-box").hidden = state.dialect !== DESCRIBED;
  byId("pg-size").value = state.size;
  byId("pg-seed").value = state.seed;
  byId("pg-size-label").hidden = state.cut !== "fixed";
  byId("pg-seed-label").hidden = state.cut !== "random";
  byId("pg-limits").open ||= Object.keys(state.limits).length > 0;
  byId("pg-tools-box").open ||= state.tools !== "";
  say(byId("pg-limits-set"), Object.entries(state.limits).map(([name, value]) => `${name} ${value}`).join(", "));
  const note = byId("pg-text-note");
  note.hidden = !state.text.includes("\r");
  say(note, note.hidden ? "" : "The text has carriage returns. A text field cannot contain them: they are kept until you edit it.");
  showExample();
  showTab();
}

function showExample() {
  const example = examples.find(({ id }) => id === state.example);
  byId("pg-example").value = example?.id ?? "";
  const about = byId("pg-about");
  about.hidden = !example;
  if (example) about.replaceChildren(`${example.title}. `, make("a", { href: `../${example.page}#${example.id}` }, "The case and its clauses"));
}

/** Change the state; `isOther` says that what is parsed is another. */
function change(patch, { isOther = true } = {}) {
  Object.assign(state, patch);
  if (isOther) stop();
  showFields();
  saveSoon();
  if (isOther) parse();
  else draw();
}

const parseSoon = settled(() => {
  if (isEdited) parse();
}, 40);

function listen() {
  byId("pg-dialect").addEventListener("change", ({ target }) => choose(target.value));
  byId("pg-description").addEventListener("input", ({ target }) => {
    Object.assign(state, { description: target.value, example: null });
    saveSoon();
    parse();
  });
  byId("pg-which").addEventListener("input", askWhich);
  for (const name of ["mode", "stream", "start", "calls", "cut"]) {
    byId(`pg-${name}`).addEventListener("change", ({ target }) => change({ [name]: target.value, ...(name === "cut" ? { position: null } : { example: null }) }));
  }
  byId("pg-deltas").addEventListener("change", ({ target }) => change({ call_deltas: target.value === "on", example: null }));
  for (const name of ["size", "seed"]) {
    byId(`pg-${name}`).addEventListener("input", ({ target }) => change({ [name]: Math.max(name === "size" ? 1 : 0, Math.floor(target.valueAsNumber) || 0), position: null }));
  }
  for (const name of LIMITS) {
    byId(`pg-limit-${name}`).addEventListener("input", ({ target }) => {
      const { [name]: old, ...others } = state.limits;
      change({ limits: target.value === "" ? others : { ...others, [name]: target.valueAsNumber }, example: null });
    });
  }
  byId("pg-text").addEventListener("input", ({ target }) => {
    Object.assign(state, { text: target.value, example: null, position: null });
    stop();
    edits += 1;
    isEdited = true;
    // What is still on its way answers the text as it was before.
    for (const topic of ["parse", "state"]) desk.forget(topic);
    answers = {};
    showStatus();
    byId("pg-text-note").hidden = true;
    showExample();
    saveSoon();
    parseSoon();
  });
  byId("pg-tools").addEventListener("input", ({ target }) => {
    Object.assign(state, { tools: target.value, example: null });
    saveSoon();
    validate();
  });
  byId("pg-tools-example").addEventListener("click", () => change({ tools: JSON.stringify(EXAMPLE_TOOLS, null, 2) }));
  byId("pg-example").addEventListener("change", ({ target }) => load(target.value));
  byId("pg-reset").addEventListener("click", () => {
    selected = null;
    say(byId("pg-done"), "");
    byId("pg-limits").open = byId("pg-tools-box").open = false;
    change({ ...DEFAULTS });
  });
  byId("pg-link").addEventListener("click", copyLink);
  byId("pg-load").addEventListener("click", loadReference);
  window.addEventListener("hashchange", ({ newURL }) => restore(new URL(newURL).hash));
  document.addEventListener("selectionchange", markCaret);
}

/** Read the text in another dialect or format; a turn of a format is put in the place of one that nobody has written. */
function choose(dialect, { description } = {}) {
  const format = formats.find(({ name }) => name === dialect);
  const isOurs = [DEFAULTS.text, ...formats.map(({ text }) => text)].includes(state.text);
  const near = formats.find(({ name }) => name === state.dialect)?.description ?? formats.find(({ name }) => name === "hermes").description;
  const begun = description ?? (state.description === "" ? { ...near, name: "my-format" } : null);
  change({
    dialect,
    position: null,
    ...(format && isOurs ? { text: format.text } : {}),
    ...(dialect === DESCRIBED && begun ? { description: JSON.stringify(begun, null, 2) } : {}),
    example: null,
  });
}

/** Ask the reference which format a model writes, by its name or its template, and read the text in it. */
const askWhich = settled(() => {
  const about = byId("pg-which").value;
  const said = byId("pg-which-said");
  desk.forget("which");
  if (about.trim() === "") return say(said, "");
  if (!reference.isReady) say(said, "The reference answers as soon as it is loaded.");
  desk.ask("which", { op: "which", dialect: DESCRIBED, about }, ({ names, reason, description }) => {
    if (names === undefined) return;
    say(said, `${names.join(" or ") || (description ? "a description" : "no known format")}: ${reason}`);
    if (description) choose(DESCRIBED, { description });
    else if (names.length > 0) choose(names[0]);
  });
}, 300);

function load(id) {
  const example = examples.find((one) => one.id === id);
  if (!example) return;
  const { options, text, dialect, tools } = example;
  selected = null;
  byId("pg-limits").open = byId("pg-tools-box").open = false;
  change({ ...DEFAULTS, cut: state.cut, size: state.size, seed: state.seed, stream: state.stream, tab: state.tab, ...options, text, dialect, example: id, tools: tools ? JSON.stringify(tools, null, 2) : "" });
}

function fillExamples() {
  const menu = new Map();
  for (const { topic, id, title, dialect } of examples) {
    if (!menu.has(topic)) menu.set(topic, make("optgroup", { label: topic }));
    menu.get(topic).append(make("option", { value: id }, `${title} (${dialect})`));
  }
  byId("pg-example").append(...menu.values());
}

function fillDialects() {
  const options = (names) => names.map((name) => make("option", { value: name }, name));
  byId("pg-dialect").append(
    make("optgroup", { label: "Dialects of the specification" }, ...options(DIALECTS)),
    make("optgroup", { label: "Formats of models" }, ...options(formats.map(({ name }) => name))),
    make("optgroup", { label: "Your own" }, make("option", { value: DESCRIBED }, "described below")),
  );
}

// --- The link -------------------------------------------------------------------------------------

async function save() {
  const changed = changes(state);
  const fragment = Object.keys(changed).length > 0 ? await fragmentOf(changed) : "";
  const hash = fragment && `#${fragment}`;
  const isLong = hash === null || hash.length > LONGEST_LINK;
  if (!isLong && location.hash !== hash) history.replaceState(history.state, "", hash || location.pathname + location.search);
  return isLong ? null : hash;
}

const saveSoon = settled(save, 250);

async function copyLink() {
  const hash = await save();
  const isCopied = hash !== null && (await copy(location.href));
  report(hash === null ? "The text is too long for a link." : isCopied ? "The link is on the clipboard." : "The link is in the address bar.");
}

const clearReport = settled(() => say(byId("pg-done"), ""), 6000);

function report(words) {
  say(byId("pg-done"), words);
  clearReport();
}

/** Take the state from the fragment, where it holds one. */
async function restore(hash) {
  const value = await stateOf(hash.slice(1));
  if (value === null && hash.length > SHORTEST_LINK) report("The link could not be read.");
  if (value === null && reading) return;
  if (value !== null) say(byId("pg-done"), "");
  selected = null;
  change(restored(value ?? {}));
}

// --- Asking ---------------------------------------------------------------------------------------

const limitsOf = () => (Object.keys(state.limits).length > 0 ? { limits: state.limits } : {});

function parse() {
  const chunks = cut(state.text, { how: state.cut, size: state.size, seed: state.seed });
  const { mode, stream, start } = state;
  answers = {};
  let dialect;
  try {
    dialect = wireOf(state);
    say(byId("pg-description-fault"), "");
  } catch (error) {
    for (const topic of ["parse", "state"]) desk.forget(topic);
    say(byId("pg-description-fault"), `The description is not JSON: ${error.message}`);
    showNothing("");
    return;
  }
  isEdited = false;
  const request = { op: "parse", dialect, mode, stream, start, ...callOptions(state), ...limitsOf(), chunks, raw: true };
  desk.forget("state");
  desk.ask("parse", request, (reply) => show(request, reply));
  showStatus();
  if (!reference.isReady && isReferences(request)) showUnanswered();
}

/** Whether JavaScript lacks what is asked. */
const isReferences = ({ dialect, calls, call_deltas }) => dialect !== "xml-json" || calls === "sealed" || call_deltas === true;

const showUnanswered = () => showNothing("Only the reference reads this. Its events appear here as soon as it is loaded.");

/** Show the text alone: nothing has read it. */
function showNothing(words) {
  reading = null;
  groups = [];
  selected = null;
  byId("pg-ledger").replaceChildren(fill(make("span", { class: "pg-part pg-future" }), shortened(state.text, 20_000)));
  byId("pg-events").replaceChildren();
  byId("pg-held").replaceChildren();
  say(byId("pg-selection"), "");
  say(byId("pg-count"), "");
  say(byId("pg-state"), words);
  say(byId("pg-place"), "");
  refreshPanel();
}

function show(request, reply) {
  const fault = reply.error ?? reply.refused ?? reply.crashed ?? reply.unsupported;
  const isDescriptions = state.dialect === DESCRIBED && reply.refused !== undefined;
  showFault(isDescriptions ? fault.replace("`format`: ", "") : "");
  byId("pg-fault").hidden = fault === undefined || isDescriptions;
  say(byId("pg-fault"), fault === undefined || isDescriptions ? "" : `This request is not possible: ${fault}`);
  if (fault !== undefined) {
    showNothing("");
    return;
  }
  reading = new Reading(request, reply);
  groups = grouped(reading.entries);
  problems = null;
  if (selected !== null && !groups.includes(selected)) selected = null;
  draw();
  validate();
  refreshPanel();
}

/** Say what is wrong with the description, and in which of its lines. */
function showFault(words) {
  const pointer = /^((?:\/[^\s:]*)+): /.exec(words)?.[1];
  const line = pointer ? lineOf(state.description, pointer.slice(1).split("/")) : 0;
  say(byId("pg-description-fault"), words && (line ? `Line ${line}, ${words}` : words));
  byId("pg-description").setAttribute("aria-invalid", String(words !== ""));
}

const callsOf = () => reading?.entries.filter(({ event }) => event.type === "call").map(({ event }) => event.content) ?? [];

/** What is being judged: the dialect, the tools and the calls. */
let judging = null;

/** Judge the calls by the tools; where there are none, nothing is judged. */
function validate() {
  const fault = byId("pg-tools-fault");
  const judged = (words, found = null) => {
    say(fault, words);
    problems = found;
    say(byId("pg-tools-set"), state.tools.trim() === "" ? "" : words === "" ? "in use" : "not in use");
    draw();
    refreshPanel();
  };
  if (state.tools.trim() === "") {
    desk.forget("validate");
    judging = null;
    if (problems !== null || fault.textContent !== "") judged("");
    else say(byId("pg-tools-set"), "");
    return;
  }
  try {
    if (!Array.isArray(JSON.parse(state.tools))) throw new Error("an array is needed");
  } catch (error) {
    desk.forget("validate");
    judging = null;
    judged(`The tools are not a JSON array: ${error.message}`);
    return;
  }
  say(byId("pg-tools-set"), reference.isReady ? "in use" : "judged by the reference, which is not loaded yet");
  const dialect = reading?.request.dialect ?? state.dialect;
  const calls = `[${callsOf().join(",")}]`;
  // What is on its way is not asked again: if the tools break the reference, its last words are about them.
  const asked = JSON.stringify([dialect, state.tools, calls]);
  if (asked === judging) return;
  judging = asked;
  const show = (reply) => {
    judging = null;
    const refusal = reply.refused ?? reply.error ?? reply.crashed;
    if (refusal !== undefined) judged(`Refused: ${refusal}`);
    else judged("", reply.problems.map((found, index) => ({ problems: found, args: state.dialect !== "xml-json" && !state.dialect.startsWith("delimiter") ? reply.args[index] : undefined })));
  };
  desk.ask("validate", { op: "validate", dialect }, show, { tools: state.tools, calls });
}

// --- Drawing --------------------------------------------------------------------------------------

const position = () => Math.min(state.position ?? Infinity, reading.last);

function draw() {
  if (!reading) return;
  const at = position();
  askState(at);
  const parts = reading.parts(at);
  const chunks = reading.request.chunks.length;
  const cuts = chunks <= 400 && state.cut !== "characters" ? reading.ends.slice(1, -1) : [];
  const hadFocus = byId("pg-ledger").contains(document.activeElement) ? document.activeElement.dataset.index : null;
  say(byId("pg-ledger-note"), drawLedger(byId("pg-ledger"), { text: reading.text, parts, groups, cuts, selected }));
  if (hadFocus) byId("pg-ledger").querySelector(`[data-index="${hadFocus}"]`)?.focus({ preventScroll: true });
  drawHeld(parts);
  drawEvents(at);
  drawPlayer(at);
  drawState(at, parts);
}

/** Ask for the state at a position, unless it is known. */
function askState(at) {
  if (at >= reading.last || reading.states.has(at)) return;
  const one = reading;
  desk.ask("state", one.prefix(at), (reply) => {
    if (reply.state === undefined) return;
    one.states.set(at, reply);
    if (reading === one && position() === at) draw();
  });
}

const KINDS = { held: "Held back", white: "Held back", opener: "No event", skipped: "Skipped", discarded: "Discarded" };

function drawHeld(parts) {
  const said = parts.filter(({ words, kind }) => words && kind !== "future");
  const items = said.slice(0, 12).map((part) => {
    const sample = shortened(visible(reading.text.slice(part.from, part.to)), 40);
    const clause = part.clause ? [" ", links.clause(part.clause)] : [];
    return make("li", { class: `pg-why pg-${part.kind}` }, make("b", {}, KINDS[part.kind]), " ", make("code", {}, sample), " ", part.words, ...clause);
  });
  byId("pg-held").replaceChildren(...items);
}

function drawEvents(at) {
  const focused = document.activeElement?.closest?.(".pg-head")?.dataset.group;
  const entries = reading.entries.slice(0, reading.count(at));
  timeline.draw({ reading, entries, groups, selected, problems });
  if (focused !== undefined) timeline.heads().find(({ dataset }) => dataset.group === focused)?.focus({ preventScroll: true });
  say(byId("pg-count"), String(entries.length > 0 ? groups[entries.length - 1] + 1 : 0));
}

function drawPlayer(at) {
  const slider = byId("pg-position");
  const { chunks } = reading.request;
  slider.max = String(reading.last);
  slider.value = String(at);
  const chunk = at > 0 && at <= chunks.length ? `, ${JSON.stringify(shortened(visible(chunks[at - 1]), 30))}` : "";
  const all = chunks.length === 1 ? "the one chunk" : `all ${chunks.length} chunks`;
  const words = at === reading.last ? `At the end of the stream, after ${all}.` : at === 0 ? `Before ${all}.` : `After chunk ${at} of ${chunks.length}${chunk}.`;
  slider.setAttribute("aria-valuetext", words);
  say(byId("pg-place"), chunks.length >= MOST_CHUNKS ? `${words} The last one is the rest of the text.` : words);
  byId("pg-back").disabled = byId("pg-first").disabled = at === 0;
  byId("pg-on").disabled = byId("pg-last").disabled = at === reading.last;
}

function drawState(at, parts) {
  const after = reading.after(at);
  if (!after) return;
  const held = parts.filter(({ kind }) => kind === "held" || kind === "white").reduce((sum, { from, to }) => sum + reading.places.point(to) - reading.places.point(from), 0);
  const words = [`State: ${after.state}.`];
  if (held > 0) words.push(`${held} ${held === 1 ? "character is" : "characters are"} held back.`);
  if (after.discarded > 0) words.push(`${after.discarded} ${after.discarded === 1 ? "character is" : "characters are"} discarded.`);
  say(byId("pg-state"), words.join(" "));
  if (!timer) tellSoon([...words, ...parts.filter(({ kind }) => kind === "held" || kind === "white").map((part) => part.words)].join(" "));
}

/** For whoever listens: said when the slider has come to rest. */
const tellSoon = settled((words) => say(byId("pg-live"), words), 800);

// --- Both ways ------------------------------------------------------------------------------------

function select(group, { scroll = true } = {}) {
  selected = group;
  for (const element of document.querySelectorAll("#pg-ledger [data-group], #pg-events .pg-head")) {
    element.setAttribute("aria-pressed", String(Number(element.dataset.group) === group));
  }
  enter(spans(), spanOf(group) ?? spans()[0]);
  enter(timeline.heads(), headOf(group) ?? timeline.heads()[0]);
  const entry = reading.entries[groups.indexOf(group)];
  const words = entry ? `Event ${group + 1}: ${entry.event.type}${entry.event.code ? ` ${entry.event.code}` : ""}. ` : "";
  byId("pg-selection").replaceChildren(words, ...(entry && spanOf(group) === undefined ? ["No text belongs to it."] : []));
  if (scroll) {
    reveal(byId("pg-panel-events"), headOf(group)?.parentElement);
    reveal(byId("pg-ledger"), spanOf(group));
  }
}

const spans = () => [...document.querySelectorAll("#pg-ledger [data-group]")];
const spanOf = (group) => spans().find(({ dataset }) => Number(dataset.group) === group);
const headOf = (group) => timeline.heads().find(({ dataset }) => Number(dataset.group) === group);

/** Scroll `box` alone, not the page, so that `element` is seen in it. */
function reveal(box, element) {
  if (!element || box.scrollHeight <= box.clientHeight) return;
  const [outer, inner] = [box.getBoundingClientRect(), element.getBoundingClientRect()];
  if (inner.top < outer.top) box.scrollTop -= outer.top - inner.top + 8;
  else if (inner.bottom > outer.bottom) box.scrollTop += Math.min(inner.bottom - outer.bottom + 8, inner.top - outer.top - 8);
}

const groupOf = (target) => {
  const holder = target.closest?.("[data-group]");
  return holder ? Number(holder.dataset.group) : null;
};

function heat(group) {
  for (const element of document.querySelectorAll(".pg-hot")) element.classList.remove("pg-hot");
  if (group === null) return;
  for (const element of document.querySelectorAll(`#pg-ledger [data-group="${group}"], #pg-events li[data-group="${group}"]`)) element.classList.add("pg-hot");
}

function linkBothWays() {
  for (const [box, other] of [[byId("pg-ledger"), headOf], [byId("pg-events"), spanOf]]) {
    box.addEventListener("mouseover", ({ target }) => heat(groupOf(target)));
    box.addEventListener("mouseleave", () => heat(null));
    box.addEventListener("click", ({ target }) => {
      if (target.closest("a, .pg-more, pre[tabindex='0']") || groupOf(target) === null || String(getSelection())) return;
      select(groupOf(target));
    });
    box.addEventListener("focusin", ({ target }) => {
      if (target.matches(".pg-head, [role='button']")) select(groupOf(target));
    });
    box.addEventListener("keydown", (event) => {
      if (event.key !== "Enter" || !event.target.matches(".pg-head, [role='button']")) return;
      event.preventDefault();
      if (box === byId("pg-ledger") && state.tab !== "events") change({ tab: "events" }, { isOther: false });
      other(groupOf(event.target))?.focus();
    });
  }
  roving(byId("pg-ledger"), spans, { back: ["ArrowLeft", "ArrowUp"], on: ["ArrowRight", "ArrowDown"] });
  roving(byId("pg-events"), () => timeline.heads());
  byId("pg-events").addEventListener("more", draw);
}

/** Mark the event that accounts for the character at the caret of the text field. */
function markCaret() {
  const field = byId("pg-text");
  if (document.activeElement !== field || !reading || state.text !== field.value) return;
  const at = field.selectionStart;
  const entry = reading.entries.find(({ from, to }) => from <= at && at < to);
  heat(entry ? groups[entry.index] : null);
}

// --- Playing --------------------------------------------------------------------------------------

function move(to) {
  if (!reading) return;
  change({ position: to >= reading.last ? null : Math.max(0, to) }, { isOther: false });
}

function stop() {
  clearInterval(timer);
  timer = 0;
  say(byId("pg-play"), "▶ Play");
  byId("pg-play").setAttribute("aria-label", "Play");
}

function play() {
  if (timer) {
    stop();
    return;
  }
  if (!reading) return;
  if (state.cut === "whole") change({ cut: "words", position: 0 });
  if (position() === reading.last) move(0);
  say(byId("pg-play"), "Pause");
  byId("pg-play").setAttribute("aria-label", "Pause");
  timer = setInterval(() => {
    if (!reading || position() >= reading.last) stop();
    else move(position() + 1);
  }, Math.max(60, Math.min(600, 15_000 / reading.last)));
}

function listenPlayer() {
  byId("pg-position").addEventListener("input", ({ target }) => {
    stop();
    move(Number(target.value));
  });
  const by = { "pg-first": () => 0, "pg-back": () => position() - 1, "pg-on": () => position() + 1, "pg-last": () => reading.last };
  for (const [id, to] of Object.entries(by)) {
    byId(id).addEventListener("click", () => {
      stop();
      if (reading) move(to());
    });
  }
  byId("pg-play").addEventListener("click", play);
}

// --- Tabs -----------------------------------------------------------------------------------------

const TABS = ["events", "results", "messages", "convert", "case"];

function showTab() {
  for (const name of TABS) {
    const isShown = name === state.tab;
    const tab = byId(`pg-tab-${name}`);
    tab.setAttribute("aria-selected", String(isShown));
    tab.tabIndex = isShown ? 0 : -1;
    byId(`pg-panel-${name}`).hidden = !isShown;
  }
}

const views = panels({ formats: formats.map(({ name }) => name), state, desk, links, manifest, change, report, reading: () => reading, problems: () => problems, isReady: () => reference.isReady });

function refreshPanel() {
  for (const name of TABS) {
    if (name === state.tab) views[name]?.();
    else for (const topic of [name, `${name}-text`]) desk.forget(topic);
  }
  showDifferences();
}

function listenTabs() {
  for (const name of TABS) {
    byId(`pg-tab-${name}`).addEventListener("click", () => {
      if (state.tab === name) return;
      change({ tab: name }, { isOther: false });
      refreshPanel();
    });
  }
  const tabs = TABS.map((name) => byId(`pg-tab-${name}`));
  roving(byId("pg-tabs"), () => tabs);
  byId("pg-tabs").addEventListener("focusin", ({ target }) => target.click());
}

// --- Who answers ----------------------------------------------------------------------------------

function heard(topic, all) {
  if (topic === "parse") answers = all;
  showStatus();
  showDifferences();
}

/** Number the questions, and say which was the last whose answers are shown: whoever has asked can wait for its number. */
function number() {
  const { dataset } = byId("playground");
  dataset.asked = String(desk.count + edits);
  if (!isEdited && desk.isSettled) dataset.answered = dataset.asked;
}

const time = (milliseconds) => `${milliseconds < 10 ? milliseconds.toFixed(1) : Math.round(milliseconds)} ms`;

function showStatus() {
  const { javascript, reference: exact } = answers;
  const words = [];
  if (javascript) words.push(javascript.reply.unsupported === undefined ? `JavaScript: ${time(javascript.time)}.` : `Only the reference answers: JavaScript lacks ${javascript.reply.unsupported}.`);
  if (exact) words.push(`Reference: ${time(exact.time)}.`);
  if (javascript && exact && javascript.reply.unsupported === undefined && desk.differences.size === 0) words.push("They agree.");
  say(byId("pg-status"), words.join(" "));
}

const SUBJECTS = { events: "event", feeds: "chunk", messages: "message", report: "report entry" };

function showDifferences() {
  const notices = [...desk.differences.values()].map(({ op, path, one, other }) => {
    const [first, index, ...rest] = path;
    const place = index === undefined ? (first ?? "the reply") : `${SUBJECTS[first] ?? first} ${typeof index === "number" ? index + 1 : index}${rest.length > 0 ? `, ${rest.join("/")}` : ""}`;
    const said = (value) => make("code", {}, value === undefined ? "nothing" : shortened(JSON.stringify(value), 160));
    return make("p", {}, `The two implementations differ in ${op}, first in ${place}: JavaScript has `, said(one), ", the reference ", said(other), ". The reference is shown.");
  });
  const box = byId("pg-differ");
  box.hidden = notices.length === 0;
  const same = box.textContent === notices.map(({ textContent }) => textContent).join("");
  if (!same) box.replaceChildren(...notices);
}

// --- The reference --------------------------------------------------------------------------------

const megabytes = (bytes) => `${(bytes / 1e6).toFixed(1)} MB`;

function size() {
  const files = Object.entries(manifest.files).filter(([name]) => manifest.runtime.includes(name) || name.startsWith("pyodide/"));
  const sum = (member) => files.reduce((total, [, file]) => total + file[member], 0);
  return `${megabytes(sum("bytes"))}, ${megabytes(sum("compressed"))} compressed`;
}

function loadReference() {
  byId("pg-load").hidden = true;
  byId("pg-progress").hidden = false;
  byId("pg-progress").removeAttribute("value");
  say(byId("pg-loading-words"), `The reference is loading: ${size()}, once.`);
  desk.restart();
  reference.load(manifest);
}

function hearReference(message) {
  const words = byId("pg-loading-words");
  const wasReady = byId("playground").dataset.reference === "ready";
  if (message.kind === "progress") {
    byId("pg-progress").value = message.loaded / message.total;
    say(words, message.step === "loading" ? `The reference is loading: ${megabytes(message.loaded)} of ${megabytes(message.total)}.` : "The reference is starting.");
  } else if (message.kind === "ready") {
    byId("pg-loading").hidden = true;
    byId("playground").dataset.reference = "ready";
    desk.resume();
    refreshPanel();
    keepOffline(manifest, (said) => say(byId("pg-offline"), said));
  } else {
    byId("pg-progress").hidden = true;
    byId("pg-load").hidden = false;
    byId("pg-loading").hidden = false;
    delete byId("playground").dataset.reference;
    say(byId("pg-load"), wasReady ? "Load it again" : "Try again");
    say(words, `The reference ${wasReady ? "broke down" : "could not be loaded"}: ${message.message.replace(/[^.]$/, "$&.")} JavaScript continues to read xml-json.`);
  }
}

function loadWhenIdle() {
  if (navigator.connection?.saveData) {
    byId("pg-progress").hidden = true;
    byId("pg-load").hidden = false;
    say(byId("pg-loading-words"), `The reference is not loaded, to save data: it takes ${size()}.`);
    return;
  }
  say(byId("pg-loading-words"), `The reference loads as soon as the page is idle: ${size()}, once.`);
  const idle = window.requestIdleCallback ?? ((act) => setTimeout(act, 300));
  idle(loadReference, { timeout: 3000 });
}

say(byId("pg-python"), `Python ${manifest.versions.python}`);
fillExamples();
fillDialects();
listen();
linkBothWays();
listenPlayer();
listenTabs();
await restore(location.hash);
loadWhenIdle();
