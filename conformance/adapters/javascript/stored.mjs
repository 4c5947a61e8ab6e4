// SPDX-License-Identifier: MIT
// Reads events that any program stored (spec/messages.md, "Reading stored events").

import { Refusal } from "./writer.mjs";

const string = (value) => typeof value === "string";
const object = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const count = (value) => Number.isSafeInteger(value) && value >= 0;
/** The closed list of codes, of all dialects (err-codes). */
const CODES = [
  ...["json-syntax", "not-array", "not-object", "missing-name", "bad-name", "missing-args", "bad-args", "duplicate-key"],
  ...["number-range", "lone-surrogate", "bad-encoding", "trailing-text", "xml-syntax", "xml-forbidden", "duplicate-arg"],
  ...["unclosed-execute", "unclosed-call", "missing-execute", "forged-results"],
  ...["limit-size", "limit-calls", "limit-depth", "limit-digits", "results-shape", "results-count", "results-order"],
];
const code = (value) => CODES.includes(value);
/** The token counts of a `metric`. */
const cost = (value) => object(value) && count(value.input) && count(value.output);
const id = (value) => string(value) || Number.isInteger(value);
const counts = (value) =>
  object(value) && [value.tools_executed, value.success_count, value.failure_count].every(count);
const TEXT = { content: string, "?segment": count, "?done": (value) => value === true };
/** The members of each type (m-event-fields), each with its check; those marked with `?` may be absent. */
const TABLE = {
  user: { content: string },
  think: TEXT,
  respond: TEXT,
  call: { content: string },
  execute: {},
  result: { content: string, "?payload": counts },
  end: {},
  metric: { "?step": cost, total: cost },
  error: { code, content: string, offset: count, "?path": string, calls: count },
  interrupt: {},
  cancelled: {},
};

/** Return events of the table, each as `{event, index}`; refuse anything else (msg-read-refused). */
export function readStored(events) {
  const waiting = []; // the calls without a result, for results that do not name their tool
  const read = events.flatMap((event, index) => {
    if (event?.type === "call_delta") return []; // m-call-delta-display
    const first = waiting[0]?.index;
    const calls = waiting.length;
    const one = readEvent(event, index, waiting);
    return [{ event: one, index, of: one.type === "result" && waiting.length === calls - 1 ? first : undefined }];
  });
  return joinDeltas(read);
}

function readEvent(stored, index, waiting) {
  if (!object(stored)) throw new Refusal([index], "an event must be an object");
  const type = stored.type === "metrics" ? "metric" : stored.type; // msg-read-metrics
  if (!string(type) || !Object.hasOwn(TABLE, type)) throw new Refusal([index], "expected a type of the table");
  const given = type === "result" ? named(stored, waiting) : stored;
  const event = { type };
  const isOwn = type === "error" && (stored.code ?? null) === null; // an error of the framework itself
  for (const [key, fits] of Object.entries({ ...(isOwn ? { "?content": string } : TABLE[type]), "?raw": string, "?id": id })) {
    const name = key.replace("?", "");
    const value = given[name] ?? null;
    if (value === null && key === name) throw new Refusal([index, name], "this member is missing");
    if (value !== null && !fits(value)) throw new Refusal([index, name], "this member has the wrong type");
    if (value !== null) event[name] = value;
  }
  if (event.done && event.segment === undefined) throw new Refusal([index, "done"], "only a delta, which has a segment, may have `done`");
  if (given === stored) follow(event, index, waiting);
  else waiting.shift();
  return event;
}

/** Update the calls that still wait for a result. */
function follow(event, index, waiting) {
  if (event.type === "call") waiting.push({ index, name: parsed(event.content)?.name });
  else if (["user", "think", "respond", "result"].includes(event.type)) waiting.length = 0;
}

/** Read the result of an older program, `{outcome, content, error}`, as one item (msg-read-outcome). */
function named(stored, waiting) {
  const isOlder = (value) => object(value) && string(value.outcome) && (string(value.content) || (value.content ?? null) === null);
  const older = [stored.payload, parsed(stored.content)].find(isOlder);
  if (!older) return stored;
  const text = string(older.content) && older.content !== "" ? `${older.outcome}\n${older.content}` : older.outcome;
  const tool = JSON.stringify(waiting[0]?.name ?? "unknown");
  const status = (older.error ?? false) === false ? "success" : "failure";
  return { ...stored, content: `[{"tool": ${tool}, "status": "${status}", "content": ${JSON.stringify(text)}}]`, payload: null };
}

function parsed(content) {
  try {
    return JSON.parse(content);
  } catch {
    return undefined;
  }
}

const STORED = ["user", "think", "call", "result", "respond", "cancelled"];

/** Whether storage keeps an event (m-persisted). */
export const isStored = ({ type, raw }) => STORED.includes(type) || raw !== undefined;

/** Join the deltas of a segment into one event, in the place of the first (msg-read-deltas). */
function joinDeltas(entries) {
  const joined = [];
  let open = null;
  for (const { event, index, of } of entries) {
    if (open && event.type === open.type && event.segment === open.segment) {
      open.content += event.content;
      if (event.raw === undefined) delete open.raw;
      else if (open.raw !== undefined) open.raw += event.raw;
      if (event.done) open = null;
      continue;
    }
    joined.push({ event, index, of });
    if (isStored(event)) open = event.segment !== undefined && !event.done ? event : null;
  }
  return joined;
}
