// SPDX-License-Identifier: MIT
// Writes calls, results and whole transcripts (spec/results.md). Values are those of values.mjs.

import { DEFAULT_LIMITS as LIMITS } from "./options.mjs";
import { Parser } from "./parser.mjs";
import { pointer } from "./reader.mjs";
import { countPoints, trim, wellFormed } from "./text.mjs";
import { canonical, isArray, isObject, isString, Numeral, tryJson } from "./values.mjs";

/** Thrown for a value that cannot be written; the message begins with its path (res-refuse-path). */
export class Refusal extends Error {
  constructor(path, message) {
    super(`${pointer(path) || "the whole value"}: ${message}`);
  }
}

const LOOKALIKE = /<(?=\/?(?:think|execute|results|end))/gi;

/** Escape whatever could be read as a marker in a JSON text (res-lookalike). */
export const escapeLookalikes = (json) => json.replace(LOOKALIKE, "\\u003c");

// --- JSON -----------------------------------------------------------------------------------------

const string = (text) => escapeLookalikes(JSON.stringify(text));

/** Write a value on one line; `depth` is its level if it is an array or an object. */
export function writeJson(value, path, depth) {
  if (isString(value)) {
    if (wellFormed(value) !== value) throw new Refusal(path, "it contains a lone surrogate");
    return string(value);
  }
  if (value instanceof Numeral) return writeNumber(value, path);
  if (value === null || typeof value === "boolean") return String(value);
  if (depth > LIMITS.depth) throw new Refusal(path, `it has more than ${LIMITS.depth} levels`);
  if (isArray(value)) return `[${value.map((item, index) => writeJson(item, [...path, index], depth + 1)).join(", ")}]`;
  const members = [...value].map(([name, item]) => {
    if (wellFormed(name) !== name) throw new Refusal(path, "a name in it contains a lone surrogate");
    return `${string(name)}: ${writeJson(item, [...path, name], depth + 1)}`;
  });
  return `{${members.join(", ")}}`;
}

/** Write a number as it was spelled: any other spelling may differ for some reader (res-numbers). */
function writeNumber({ text }, path) {
  if (!Number.isFinite(Number(text))) throw new Refusal(path, "the number is too large for a double");
  if (text.replace(/[^0-9]/g, "").length > LIMITS.digits) throw new Refusal(path, `it has more than ${LIMITS.digits} digits`);
  return text;
}

/** Return written items as an array (res-array, res-empty). */
export const frameItems = (items) => (items.length === 0 ? "[]" : `[\n  ${items.join(",\n  ")}\n]`);

/** Return written items as a block; refuse one beyond the limits (res-refuse-limits). */
function writeBlock(marker, items) {
  let size = "\n[\n]\n".length;
  for (const [index, item] of items.entries()) {
    size += countPoints(item) + (index > 0 ? ",\n  " : "\n  ").length;
    if (size > LIMITS.size) throw new Refusal([index], `the block has more than ${LIMITS.size} characters`);
  }
  return frame(marker, frameItems(items));
}

const frame = (marker, array) => `<${marker}>\n${array}\n</${marker}>`;

function checkMembers(value, members, path) {
  if (!isObject(value)) throw new Refusal(path, `expected an object with ${members.join(", ")}`);
  for (const member of members) {
    if (!value.has(member)) throw new Refusal(path, `the member ${member} is missing`);
  }
  for (const member of value.keys()) {
    if (!members.includes(member)) throw new Refusal(path, `the member ${JSON.stringify(member)} is not allowed`);
  }
}

function checkCount(items) {
  if (items.length > LIMITS.calls) throw new Refusal([LIMITS.calls], `there are more than ${LIMITS.calls} items`);
}

// --- Calls and results ----------------------------------------------------------------------------

/** Write a block of calls (res-calls). */
export function writeCalls(calls) {
  checkCount(calls);
  return writeBlock("execute", calls.map(writeCall));
}

function writeCall(call, index) {
  checkMembers(call, ["name", "args"], [index]);
  const [name, args] = [call.get("name"), call.get("args")];
  if (!isString(name) || name === "" || name === "execute") throw new Refusal([index, "name"], "expected the name of a tool");
  if (!isObject(args)) throw new Refusal([index, "args"], "expected an object");
  return `{"name": ${writeJson(name, [index, "name"], 3)}, "args": ${writeJson(args, [index, "args"], 3)}}`;
}

/** Write results (res-results). */
export function writeResults(items) {
  checkCount(items);
  const written = items.map((item, index) => writeItem(item, [index]));
  const reserved = items.findIndex((item) => item.get("tool") === "execute"); // res-void
  if (reserved >= 0 && items.length > 1) throw new Refusal([reserved, "tool"], "`execute` answers a void block, so it must be the only item");
  return writeBlock("results", written);
}

/** Write one item (res-item). */
export function writeItem(item, path) {
  checkMembers(item, ["tool", "status", "content"], path);
  const [tool, status, content] = [item.get("tool"), item.get("status"), item.get("content")];
  if (!isString(tool) || tool === "") throw new Refusal([...path, "tool"], "expected the name of a tool");
  if (status !== "success" && status !== "failure") throw new Refusal([...path, "status"], "expected success or failure");
  if (status === "failure" && !isString(content)) throw new Refusal([...path, "content"], "the content of a failure must be a string");
  if (status === "success" && tool === "execute") throw new Refusal([...path, "status"], "an item of the tool `execute` must be a failure");
  const members = ["tool", "status", "content"].map((name) => `"${name}": ${writeJson(item.get(name), [...path, name], 3)}`);
  return `{${members.join(", ")}}`;
}

// --- Events ---------------------------------------------------------------------------------------

/** The writer for each type of event; calls are written with their `execute`. */
const PARTS = {
  think: (event) => `<think>${event.get("content")}</think>`,
  respond: (event) => event.get("content"),
  result: (event) => frame("results", event.get("content")),
  execute: (_event, calls) => frame("execute", frameItems(calls)),
  end: () => "<end>",
};

/** Write a transcript (res-events-parts); it is read back, and must give the same events (res-events-refuse). */
export function writeEvents(events) {
  const entries = joinDeltas(events);
  const parts = [];
  let calls = [];
  for (const { event, index } of entries) {
    const type = event.get("type");
    if (type === "call") {
      calls.push(event.get("content"));
      continue;
    }
    if (calls.length > 0 && type !== "execute") throw new Refusal([index], "there are calls before it without an `execute`");
    parts.push(PARTS[type](event, calls));
    calls = [];
  }
  if (calls.length > 0) throw new Refusal([entries.at(-1).index], "calls without an `execute`");
  const text = parts.join("\n\n");
  checkRead(text, entries);
  return text;
}

const CONTENTS = ["think", "respond", "call", "result"];

function checkEvent(event, index) {
  const type = isObject(event) ? event.get("type") : undefined;
  if (type !== "call" && !Object.hasOwn(PARTS, String(type))) throw new Refusal([index], "this is not an event that can be written");
  if (!CONTENTS.includes(type)) return type;
  const content = event.get("content");
  if (!isString(content) || wellFormed(content) !== content) throw new Refusal([index, "content"], "expected a well-formed string");
  if (type === "think" || type === "respond") checkDone(event, index);
  return type;
}

function checkDone(event, index) {
  const done = event.get("done") ?? null;
  if (done === null || (done === true && (event.get("segment") ?? null) !== null)) return;
  throw new Refusal([index], "`done` must be true, and only on the last delta of a segment");
}

/** Return the events with their indices, the deltas of a segment joined into one (res-events-deltas). */
function joinDeltas(events) {
  const entries = [];
  let open = null; // the entry of a segment whose last delta has not been read yet
  for (const [index, event] of events.entries()) {
    if (isObject(event) && event.get("type") === "call_delta") continue; // m-call-delta-display
    const type = checkEvent(event, index);
    const isSegment = type === "think" || type === "respond";
    const number = isSegment ? event.get("segment")?.text : undefined;
    if (open && open.number === number && open.event.get("type") === type) {
      open.event.set("content", open.event.get("content") + event.get("content"));
    } else {
      entries.push({ event: new Map(event), index, number });
      if (isSegment) open = number === undefined ? null : entries.at(-1);
    }
    if (event.get("done") === true) open = null;
  }
  return entries;
}

function checkRead(text, entries) {
  const parser = new Parser({ mode: "transcript" });
  const read = [...parser.feed(text), ...parser.close()];
  for (const [place, { event, index }] of entries.entries()) {
    if (read[place]?.type !== event.get("type") || meaning(event) !== meaning(fromPlain(read[place]))) {
      throw new Refusal([index], "its written form would be read as something else");
    }
  }
  if (read.length > entries.length) throw new Refusal([entries.at(-1)?.index ?? 0], "the text would be read as more events than there are");
}

const fromPlain = (event) => tryJson(JSON.stringify(event));

/** Return a text that is equal for events of equal meaning; this dialect writes calls and results as they are. */
function meaning(event) {
  const type = event.get("type");
  const content = event.get("content");
  if (type === "result") return `${type} ${JSON.stringify(content)} ${canonical(event.get("payload") ?? null)}`;
  return CONTENTS.includes(type) ? `${type} ${JSON.stringify(content)}` : type;
}
