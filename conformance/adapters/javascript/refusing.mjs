// SPDX-License-Identifier: MIT
// Which descriptions are refused (spec/described.md#refused). A rule yields the place of each fault, a JSON Pointer.
// Descriptions with members that are not read here are not judged: `unread` in described.mjs names these.

import { markersOf } from "./described.mjs";

const WHITE = " \t\n\r";
const isWhite = (character) => character !== undefined && WHITE.includes(character);
const isText = (value) => typeof value === "string";
const isFlag = (value) => typeof value === "boolean";
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const isList = (value, isItem) => Array.isArray(value) && value.every(isItem);
const isPair = (value, isSide) => isList(value, isSide) && value.length === 2;
const differ = (items) => new Set(items).size === items.length;

// --- The schema -----------------------------------------------------------------------------------

const isInner = (value) => isText(value) && !isWhite(value[0]) && !isWhite(value.at(-1)); // in tags, where it may be empty
const isMarker = (value) => isText(value) && value !== "" && isInner(value.replace(/\n+$/, "")) && !isWhite(value[0]);
const isOpener = (value) => isMarker(value) || (isText(value) && value.endsWith(" ") && value !== " " && isInner(value.slice(0, -1)));
const isSide = (isOne) => (value) => isOne(value) || (isList(value, isOne) && value.length > 0);
const isNames = (value) => isText(value) || (isList(value, isText) && value.length > 0);
const isMarkers = (value) => isPair(value, isSide(isMarker));
const isCall = (value) => isPair(value, () => true) && (value[0] === "" || isSide(isOpener)(value[0])) && (value[1] === "" || isSide(isMarker)(value[1]));
const isWords = (value) => isObject(value) && Object.values(value).every(isText);
const isTags = (value) => isPair(value, isInner);
const TYPES = ["text", "json", "array", "boolean", "null", "number", "object"];

const MEMBERS = {
  name: (value) => isText(value) && /^[a-z0-9][a-z0-9.-]*$/.test(value),
  think: isMarkers, section: isMarkers, result: isMarkers, call: isCall,
  ends: (value) => isList(value, isMarker), ignored: (value) => isList(value, isMarker),
  gap: (value) => isText(value) && [...value].every(isWhite),
  think_ends_at_call: isFlag, payload: isObject,
};
const OBJECT = { name: isNames, args: isNames, partial: isFlag, keyed: isFlag };
const PAYLOADS = {
  object: OBJECT,
  array: { ...OBJECT, member: isText },
  arguments: { head: (value) => isList(value, isText) && value.length > 0 },
  tags: {
    tool: isTags, key: isTags, value: isTags, end: isInner, words: isWords,
    margin: (value) => value === "" || (isText(value) && value.length === 1 && isWhite(value)),
    item: isText,
    types: (value) => isWords(value) && Object.keys(value).every((tag) => tag !== "" && isInner(tag)) && Object.values(value).every((type) => TYPES.includes(type)),
  },
};
const REQUIRED = { object: [], array: [], arguments: ["head"], tags: ["tool", "key", "value"] };

function* unfit(value, known, required, path) {
  for (const member of required) if (!(member in value)) yield path;
  for (const [member, given] of Object.entries(value)) if (!Object.hasOwn(known, member) || !known[member](given)) yield `${path}/${member}`;
}

// --- Markers --------------------------------------------------------------------------------------

const contains = (one, other) => one !== other && one.includes(other, 1);
const clash = (markers) => !differ(markers) || markers.some((one) => markers.some((other) => contains(one, other)));
const overlap = (markers) => markers.some((one, index) => markers.some((other, at) => at !== index && one.includes(other)));

const REFERENCES = { "<": "&lt;", "§": "&sect;" };
const reference = (marker) => REFERENCES[marker[0]] ?? `&#${marker.codePointAt(0)};`;

const IN_REFERENCE = /^[#a-z0-9;]/; // what may begin in a reference, after its first character

/** Whether a marker may be live in a text that begins with a reference of so many characters, across it (fd-literal). */
function isAcross(marker, written, size) {
  for (let at = 1 - marker.length; at < size; at++) {
    const [one, other] = at < 0 ? [written, marker.slice(-at)] : [marker, written.slice(at)];
    if (one.startsWith(other.slice(0, one.length))) return true;
  }
  return false;
}

function* unlikeMarkers({ think, section, call, result, ends, ignored, payload, think_ends_at_call: endsThink }) {
  const [[thinks, unthinks], [sections, unsections], [calls, uncalls], [results, unresults]] = [think, section, call, result].map((pair) => pair.map(markersOf));
  const openers = [...thinks, ...sections, ...calls, ...results];
  const inSection = sections.length > 0;
  if (clash([...openers, ...ends, ...ignored])) yield ""; // fd-distinct
  if (clash([...unthinks, ...(endsThink ? [...sections, ...calls] : [])])) yield "/think";
  const stopping = [...sections, ...calls];
  const others = [...openers, ...ends, ...ignored, ...unthinks].filter((marker) => !stopping.includes(marker));
  if (endsThink && others.some((marker) => stopping.some((each) => marker.startsWith(each)))) yield "/think_ends_at_call"; // fd-apart-think
  const beginsLine = (closers, others) => closers.some((closer) => others.some((other) => other.startsWith(`${closer}\n`)));
  if (endsThink && beginsLine(unthinks, stopping)) yield "/think/1"; // fd-closer-line
  if (inSection && beginsLine(unsections, calls)) yield "/section/1";
  if (beginsLine(uncalls, uncalls.filter((closer) => ends.includes(closer)))) yield "/call/1";
  if (clash(uncalls) || clash(unresults)) yield "/call";
  if (uncalls.length && uncalls.every((closer) => ends.includes(closer))) yield "/call/1"; // fd-ends-call
  if (inSection && uncalls.some((closer) => ends.includes(closer))) yield "/section";
  if (inSection && (clash([...calls, ...unsections, ...ends]) || clash([...uncalls, ...unsections, ...ends]))) yield "/section";
  if (inSection && !calls.length && [...unsections, ...ends].some((marker) => marker.includes("{"))) yield "/section"; // fd-apart-brace
  if (!calls.length && !(inSection && payload.kind === "object")) yield "/call/0"; // fd-no-opener
  const parts = [...openers, ...unthinks, ...unsections, ...uncalls, ...unresults, ...ends, ...ignored];
  for (const marker of parts) for (const other of parts) { // fd-literal
    const sign = reference(other);
    const rest = other.slice(String.fromCodePoint(other.codePointAt(0)).length);
    if ((marker.includes("&") || IN_REFERENCE.test(marker)) && isAcross(marker, sign + rest, sign.length)) yield "";
  }
  if (parts.some((marker) => /\{\w+\}/.test(marker))) yield ""; // fd-braces
}

// --- Payloads -------------------------------------------------------------------------------------

function* unlikeNames({ name = "name", args = "arguments", partial, keyed }) {
  const all = [name, args].flat();
  if (!differ(all)) yield "/payload/args"; // fd-member-names
  if (keyed && (partial || [name].flat().join() !== "name" || [args].flat().join() !== "arguments" || all.length > 2)) yield "/payload/keyed";
}

function* unlikeHeads({ head }) {
  const parts = head.map((template) => template.split(/(\{name\}|\{id\}|[ \t\n\r]+)/).filter((part) => part.trim()));
  const isField = (part) => part === "{name}" || part === "{id}";
  for (const pieces of parts) { // fd-head-template, fd-head-fields, fd-braces
    const count = (field) => pieces.filter((piece) => piece === field).length;
    const after = (field) => pieces[pieces.indexOf(field) + 1];
    const isAfterName = after("{name}") === undefined || !/^[\w-]|^\{id\}/.test(after("{name}"));
    const isAfterId = count("{id}") === 0 || (after("{id}") !== undefined && !/^[0-9A-Za-z]|^\{name\}/.test(after("{id}")));
    const isWord = pieces.some((piece) => !isField(piece) && /\{\w+\}/.test(piece));
    if (count("{name}") !== 1 || count("{id}") > 1 || !isAfterName || !isAfterId || isWord) yield "/payload/head";
  }
  if (!differ(head) || parts.some((one, index) => parts.slice(index + 1).some((other) => isAlike(one, other)))) yield "/payload/head"; // fd-head-distinct

  /** Whether the first place at which two templates differ, white space aside, is not in two markers apart. */
  function isAlike(one, other) {
    const at = one.findIndex((piece, place) => piece !== other[place]);
    if (at < 0) return one.length < other.length;
    const [first, second] = [one[at], other[at]];
    return second === undefined || isField(first) || isField(second) || first.startsWith(second) || second.startsWith(first);
  }
}

function* unlikeTags(tags, { call, section }) {
  const [[name, nameEnd], [key, keyEnd], [value, valueEnd]] = [tags.tool, tags.key, tags.value];
  const { end: given = "", margin = "", item = "", types = {}, words = {} } = tags;
  const [calls, closers, unsections] = [markersOf(call[0]), markersOf(call[1]), markersOf(section[1])];
  const end = given || closers[0];
  const typed = Object.keys(types);
  if (!end) return yield "/payload/end"; // fd-no-closer
  if (!given && closers.length > 1) yield "/call/1"; // fd-apart-closer
  if (!key || !valueEnd || !(keyEnd || value || typed.length)) yield "/payload/key"; // fd-no-tag
  if (end === key || (!end.startsWith(key) && overlap([key, end]))) yield "/payload/end"; // fd-apart
  const after = unsections.length ? [...(closers.length ? closers : calls), ...unsections] : closers;
  const isBegun = (marker) => [...given].some((_, at) => marker !== given.slice(at) && marker.startsWith(given.slice(at)));
  if (overlap(after) || after.some(isBegun)) yield "/payload/end"; // fd-apart-skip
  const [before, afterId, ...more] = nameEnd.split("{id}");
  if (afterId !== undefined && (more.length || !before || isWhite(before.at(-1)) || !/^[^\sa-zA-Z0-9]/.test(afterId))) yield "/payload/tool/1"; // fd-tags-id
  const keys = valueEnd.split("{key}");
  if (keys.length > 1 && (keys.length > 2 || keys.includes("") || typed.length)) yield "/payload/value/1"; // fd-tags-key
  if (item && (keys.length < 2 || !keyEnd || value || margin)) yield "/payload/item"; // fd-tags-item
  if (item && (/[<>\n]/.test(item) || item.trim() !== item)) yield "/payload/item"; // fd-tags-item-name
  const ends = [...(before ? [before] : [key, end]), ...(typed.length ? typed : [keyEnd || value])];
  if (ends.some((marker) => /^[\w-]/.test(marker))) yield "/payload/tool"; // fd-tags-name-end
  const fields = [name, before, afterId ?? "", key, keyEnd, value, ...keys, given];
  if (fields.some((marker) => /\{\w+\}/.test(marker))) yield "/payload/tool"; // fd-braces
  if (typed.some((one) => typed.some((other) => one !== other && other.startsWith(one)))) yield "/payload/types"; // fd-tags-types-distinct
  if (typed.length && keyEnd) yield "/payload/types"; // fd-tags-types-alone
  if (Object.keys(words).length && Object.values(types).some((type) => type !== "text")) yield "/payload/words";
  if (!Object.values(words).every((word) => word === word.trim() && isJson(word))) yield "/payload/words"; // fd-tags-words
}

function isJson(text) {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

// --- A description --------------------------------------------------------------------------------

/** Whether a value has a text with U+FFFD or half of a surrogate pair in it (fd-damaged). */
function isDamaged(value) {
  if (isText(value)) return /[\uFFFD\uD800-\uDFFF]/u.test(value);
  return typeof value === "object" && value !== null && Object.entries(value).flat().some(isDamaged);
}

function* faults(description) {
  if (isDamaged(description)) yield "";
  const before = [...unfit(description, MEMBERS, ["name", "call", "payload"], "")];
  if (before.length) return yield* before;
  const form = { think: ["<think>", "</think>"], section: ["", ""], result: ["", ""], ends: [], ignored: [], ...description };
  const { kind, ...payload } = form.payload;
  if (!PAYLOADS[kind]) return yield "/payload/kind";
  const inside = [...unfit(payload, PAYLOADS[kind], REQUIRED[kind], "/payload")];
  if (inside.length) return yield* inside;
  yield* unlikeMarkers(form);
  if (kind === "arguments") yield* unlikeHeads(payload);
  else if (kind === "tags") yield* unlikeTags(payload, form);
  else yield* unlikeNames(payload);
}

/** Return the place of the first fault of a description, or nothing if it is one. */
export const refusal = (description) => faults(description).next().value;
