// SPDX-License-Identifier: MIT
// The reply to one line of the adapter protocol (spec/adapter.md). Nothing here needs Node, so a web page can use it too.

import { toMessages } from "./assemble.mjs";
import { Batch } from "./batch.mjs";
import { DescribedReader, unread } from "./described.mjs";
import { exchanges } from "./exchanges.mjs";
import { fromMessages } from "./history.mjs";
import { Parser } from "./parser.mjs";
import { refusal } from "./refusing.mjs";
import { indexOfPoint } from "./text.mjs";
import { isArray, isObject, isString, Numeral, readJson } from "./values.mjs";
import { Refusal, writeCalls, writeEvents, writeResults } from "./writer.mjs";

/** Thrown to answer a request without a result; its kind is `error`, `unsupported` or `refused`. */
class Answer extends Error {
  constructor(kind, message) {
    super(message);
    this.kind = kind;
  }
}

const bad = (message) => new Answer("error", message);
const ABILITIES = ["token", "bytes", "raw", "spans", "sealed", "call-deltas", "limits", "transcript", "start", "finish", "snapshot", "restore", "turns", "lone-surrogates"];

// --- hello ----------------------------------------------------------------------------------------

function hello({ protocol }) {
  if (protocol === undefined) throw bad("hello needs `protocol`");
  if (protocol !== 1) throw new Answer("unsupported", `protocol ${protocol}`);
  return {
    protocol: 1,
    name: "cogwire-javascript",
    version: "0.1.0",
    language: "javascript",
    offset_unit: "codepoint",
    ops: Object.keys(OPS).filter((op) => op !== "hello"),
    dialects: { "xml-json": ABILITIES },
    formats: [], // each by its description
  };
}

// --- parse ----------------------------------------------------------------------------------------

const isTexts = (value) => Array.isArray(value) && value.every((item) => typeof item === "string");
const isCounts = (value) => Array.isArray(value) && value.every((item) => Number.isSafeInteger(item) && item >= 0);
const BASE64 = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

function fromBase64(text) {
  if (typeof text !== "string" || !BASE64.test(text)) throw bad("`chunks_b64` must be an array of strings in Base64");
  return Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
}

function cut(text, cuts) {
  if (typeof text !== "string" || !isCounts(cuts)) throw bad("`text` must be a string, and `cuts` an array of offsets");
  const chunks = [];
  let at = 0;
  let point = 0;
  for (const next of cuts) {
    if (next < point) throw bad("`cuts` must ascend");
    const end = indexOfPoint(text, next - point, at);
    if (end > text.length) throw bad("`cuts` must lie within the text");
    chunks.push(text.slice(at, end));
    at = end;
    point = next;
  }
  return [...chunks, text.slice(at)];
}

/** Return the turns of a request, each a list of chunks. */
function chunksOf(request) {
  const given = ["chunks", "chunks_b64", "text", "turns"].filter((member) => request[member] !== undefined);
  if (given.length !== 1) throw bad("parse needs exactly one of `chunks`, `chunks_b64`, `text` and `turns`");
  if (request.cuts !== undefined && given[0] !== "text") throw bad("`cuts` are allowed only with `text`");
  const value = request[given[0]];
  if (given[0] === "text") return [cut(value, request.cuts ?? [])];
  if (!Array.isArray(value)) throw bad(`\`${given[0]}\` must be an array`);
  if (given[0] === "chunks_b64") return [value.map(fromBase64)];
  const turns = given[0] === "turns" ? value : [value];
  if (!turns.every(isTexts)) throw bad("chunks must be strings");
  return turns;
}

const CHOICES = { mode: ["turn", "transcript"], stream: ["event", "token"], start: ["prose", "think"], calls: ["shown", "sealed"],
  finish: ["stop", "length", "cancelled", "interrupted"] };
const LIMITS = ["size", "calls", "depth", "digits"];

function optionsOf(request) {
  const options = {};
  for (const [name, choices] of Object.entries(CHOICES)) {
    options[name] = request[name] === undefined ? choices[0] : request[name];
    if (typeof options[name] !== "string") throw bad(`\`${name}\` must be a string`);
    if (!choices.includes(options[name])) throw new Answer("unsupported", `the ${name} ${options[name]}`);
  }
  const { raw = false, spans = false, call_deltas: callDeltas = false, limits = {} } = request;
  if (typeof callDeltas !== "boolean") throw bad("`call_deltas` must be a boolean");
  if (callDeltas && options.stream !== "token") throw bad("`call_deltas` need `stream` to be `token`");
  if (typeof raw !== "boolean") throw bad("`raw` must be a boolean");
  if (typeof spans !== "boolean") throw bad("`spans` must be a boolean");
  if (typeof limits !== "object" || limits === null || Array.isArray(limits)) throw bad("`limits` must be an object");
  for (const [name, value] of Object.entries(limits)) {
    if (!LIMITS.includes(name)) throw new Answer("unsupported", `the limit ${name}`);
    if (!Number.isSafeInteger(value) || value < 1) throw bad("a limit must be a positive integer");
  }
  delete options.finish; // in this dialect only markers end anything
  return { ...options, raw, spans, callDeltas, limits };
}

/** Return a parser that continues from a snapshot, in which nothing is trusted. */
function restored(snapshot) {
  try {
    return Parser.restore(snapshot);
  } catch (error) {
    if (error instanceof RangeError) throw new Answer("refused", error.message);
    throw error;
  }
}

/** Read a text in a format that the request describes, as the cases of formats ask for it (ad-formats). */
function readFormat({ format, tools = [], ...request }) {
  if (typeof format !== "object" || format === null) throw new Answer("unsupported", "the name of a format: a description is needed");
  if ((request.start ?? "prose") !== "prose") throw new Answer("unsupported", "a turn in a format that does not start in prose");
  if (unread(format)) throw new Answer("unsupported", `a format with ${unread(format)}`);
  const place = refusal(format);
  if (place !== undefined) throw new Answer("refused", `${place || "the format"}: this is not a description of a format (spec/described.md#refused)`);
  const turns = chunksOf(request);
  const reader = new DescribedReader(format, tools);
  const feeds = turns[0].map((chunk) => reader.feed(chunk));
  return { feeds, close: reader.close() };
}

function parse(request) {
  if (request.format !== undefined) return readFormat(request);
  const turns = chunksOf(request);
  const options = optionsOf(request);
  const { snapshots = [], save, restore, close = true } = request;
  if (!isCounts(snapshots) || !isCounts(save ?? [])) throw bad("`snapshots` and `save` must be arrays of indices");
  if (typeof close !== "boolean") throw bad("`close` must be a boolean");
  if (request.turns !== undefined && options.mode === "transcript") throw bad("`turns` is not allowed in a transcript, which contains its own turns");
  if (request.turns !== undefined && (save ?? restore) !== undefined) throw bad("`save` and `restore` are not allowed with `turns`");
  let parser = restore === undefined ? new Parser(options) : restored(restore);
  const replies = turns.map((chunks, turn) => {
    if (turn > 0) {
      if (!close && !parser.isStopped) throw bad("the previous turn is still open");
      parser.nextTurn();
    }
    const saved = [];
    const feeds = chunks.map((chunk, index) => {
      const events = parser.feed(chunk);
      if (save?.includes(index)) saved.push(parser.snapshot());
      if (snapshots.includes(index)) parser = Parser.restore(JSON.parse(JSON.stringify(parser.snapshot())));
      return events;
    });
    const closing = close ? parser.close() : [];
    const reply = { feeds, close: closing, state: parser.state, discarded: parser.discarded };
    if (options.raw) reply.tail = parser.tail;
    return save === undefined ? reply : { ...reply, saved };
  });
  return request.turns === undefined ? replies[0] : { turns: replies };
}

// --- Writing --------------------------------------------------------------------------------------
//
// These ops get a request as values.mjs reads it, which keeps the spelling of numbers.

/** Return a member that is an array. */
function arrayOf(request, member) {
  const value = request.get(member);
  if (!isArray(value)) throw bad(`\`${member}\` must be an array`);
  return value;
}

const calls = (request) => ({ text: writeCalls(arrayOf(request, "calls")) });
const results = (request) => ({ text: writeResults(arrayOf(request, "results")) });
const render = (request) => ({ text: writeEvents(arrayOf(request, "events")) });

const ENDINGS = { cancelled: "cancelled", interrupted: "interrupt" };

function outcomeOf(pair) {
  const [index, outcome] = isArray(pair) && pair.length === 2 ? pair : [];
  const isPair = index instanceof Numeral && /^-?[0-9]+$/.test(index.text) && isObject(outcome) && outcome.size === 2;
  if (!isPair || !isString(outcome.get("status")) || !outcome.has("content")) {
    throw bad("an outcome must be an index and an object with `status` and `content`");
  }
  return [Number(index.text), outcome.get("status"), outcome.get("content")];
}

function batch(request) {
  const events = arrayOf(request, "events");
  const outcomes = (request.has("outcomes") ? arrayOf(request, "outcomes") : []).map(outcomeOf);
  const ending = request.get("ending") ?? null;
  if (ending !== null && !Object.hasOwn(ENDINGS, String(ending))) throw bad("`ending` must be null, `cancelled` or `interrupted`");
  const one = new Batch();
  const answers = [
    ...events.flatMap((event) => one.take(event)),
    ...outcomes.flatMap((outcome) => one.settle(...outcome)),
    ...(ending === null ? [] : one.take(new Map([["type", ENDINGS[ending]]]))),
  ];
  return { events: answers };
}

function toMessagesOp({ events, system = null }) {
  if (!isArray(events)) throw bad("`events` must be an array");
  if (system !== null && typeof system !== "string") throw bad("`system` must be a string or null");
  return toMessages(events, system);
}

function fromMessagesOp({ messages }) {
  if (!isArray(messages)) throw bad("`messages` must be an array");
  return { events: fromMessages(messages) };
}

function exchangesOp({ events }) {
  if (!isArray(events)) throw bad("`events` must be an array");
  return { exchanges: exchanges(events) };
}

// --- Lines ----------------------------------------------------------------------------------------

const keepingNumerals = (op) => (_request, line) => op(readJson(line));

const OPS = {
  hello,
  parse,
  calls: keepingNumerals(calls),
  results: keepingNumerals(results),
  render: keepingNumerals(render),
  batch: keepingNumerals(batch),
  messages: toMessagesOp,
  from_messages: fromMessagesOp,
  exchanges: exchangesOp,
};

/** Answer one line, whatever it contains. */
export function answer(line) {
  let request;
  try {
    request = JSON.parse(line);
  } catch {
    return { id: null, error: "the line is not JSON" };
  }
  if (typeof request !== "object" || request === null || typeof request.id !== "string") {
    return { id: null, error: "a request must be an object whose `id` is a string" };
  }
  const { id, op, dialect = "xml-json" } = request;
  try {
    if (typeof op !== "string") throw bad("`op` must be a string");
    if (!Object.hasOwn(OPS, op)) throw new Answer("unsupported", `the op ${op}`);
    if (typeof dialect === "object" && dialect !== null) throw new Answer("unsupported", "a dialect by its description");
    if (typeof dialect !== "string") throw bad("`dialect` must be a string");
    if (dialect !== "xml-json") throw new Answer("unsupported", `the dialect ${dialect}`);
    return { id, ...OPS[op](request, line) };
  } catch (error) {
    if (error instanceof Answer) return { id, [error.kind]: error.message };
    if (error instanceof Refusal) return { id, refused: error.message };
    return { id, crashed: String(error?.stack ?? error) };
  }
}
