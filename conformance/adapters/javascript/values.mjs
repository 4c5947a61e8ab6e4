// SPDX-License-Identifier: MIT
// JSON values whose numbers keep their spelling and whose members keep their order (res-numbers,
// res-member-order): a number is a `Numeral`, and an object is a Map.

import { trim } from "./text.mjs";

/** A number as it was written. */
export class Numeral {
  constructor(text) {
    this.text = text;
  }
}

export const isObject = (value) => value instanceof Map;
export const isArray = (value) => Array.isArray(value);
export const isString = (value) => typeof value === "string";

/** Thrown by a strict reader for an object with two members of one name. */
class DuplicateName extends Error {}

const TOKEN = /[ \t\n\r]*(?:([{}[\],:])|(")|([-0-9.eE+]+)|(true|false|null))/y;
const QUOTE = /["\\]/g;
const LITERALS = { true: true, false: false, null: null };

/**
 * Return the index after a string's closing quote, from the one after its opening quote.
 * A regex for the whole string may overflow the stack.
 */
function stringEnd(text, start) {
  QUOTE.lastIndex = start;
  while (QUOTE.exec(text)[0] === "\\") QUOTE.lastIndex++;
  return QUOTE.lastIndex;
}

/** Yield the tokens of a valid JSON text, each as `{sign, string, number, literal, end}`. */
function* tokens(text) {
  for (let at = 0; ; ) {
    TOKEN.lastIndex = at;
    const found = TOKEN.exec(text);
    if (found === null) return;
    const [, sign, quote, number, literal] = found;
    const start = TOKEN.lastIndex;
    at = quote ? stringEnd(text, start) : start;
    yield { sign, string: quote && JSON.parse(text.slice(start - 1, at)), number, literal, end: at };
  }
}

/**
 * Read a JSON text; throw a SyntaxError if it is not valid.
 * With `isStrict`, throw a DuplicateName for two members of one name.
 */
export function readJson(text, { isStrict = false } = {}) {
  JSON.parse(text); // checks the grammar, so the code below need not
  const result = [];
  const stack = [{ value: result, name: null }];
  for (const { sign, string, number, literal } of tokens(text)) {
    const open = stack.at(-1);
    if (sign === "}" || sign === "]") stack.pop();
    else if (sign === "," || sign === ":") continue;
    else if (sign) stack.push({ value: put(open, sign === "{" ? new Map() : [], isStrict), name: null });
    else if (string !== undefined && isObject(open.value) && open.name === null) open.name = string;
    else if (string !== undefined) put(open, string, isStrict);
    else if (number) put(open, new Numeral(number), isStrict);
    else put(open, LITERALS[literal], isStrict);
  }
  return result[0];
}

function put(open, value, isStrict) {
  if (isArray(open.value)) {
    open.value.push(value);
  } else {
    if (isStrict && open.value.has(open.name)) throw new DuplicateName(open.name);
    open.value.set(open.name, value);
    open.name = null;
  }
  return value;
}

/** Read a JSON text, by default strictly; return undefined if it is not valid. */
export function tryJson(text, options = { isStrict: true }) {
  try {
    return readJson(text, options);
  } catch (error) {
    if (error instanceof SyntaxError || error instanceof DuplicateName) return undefined;
    throw error;
  }
}

/** Return the texts of the elements of a JSON array, or undefined if the text is not an array. */
export function elementTexts(text) {
  if (!isArray(tryJson(text, { isStrict: false }))) return undefined;
  const texts = [];
  let depth = 0;
  let start = text.indexOf("[") + 1; // of the element
  for (const { sign, end } of tokens(text)) {
    if (depth === 1 && (sign === "," || sign === "]")) {
      const element = trim(text.slice(start, end - 1));
      if (element !== "") texts.push(element);
      start = end;
    }
    if (sign === "{" || sign === "[") depth++;
    if (sign === "}" || sign === "]") depth--;
  }
  return texts;
}

/** Return the texts of the members of a JSON object by name; the last of two with one name wins. */
export function memberTexts(text) {
  const texts = new Map();
  let depth = 0;
  let name = null;
  let start = 0; // of the value
  for (const { sign, string, end } of tokens(text)) {
    if (depth === 1 && name === null && string !== undefined) name = string;
    else if (depth === 1 && sign === ":") start = end;
    else if (depth === 1 && name !== null && (sign === "," || sign === "}")) {
      texts.set(name, trim(text.slice(start, end - 1)));
      name = null;
    }
    if (sign === "{" || sign === "[") depth++;
    if (sign === "}" || sign === "]") depth--;
  }
  return texts;
}

/** Write a value so that equal values have equal texts; the order of members has no meaning. */
export function canonical(value) {
  if (value instanceof Numeral) return value.text;
  if (isArray(value)) return `[${value.map(canonical).join()}]`;
  if (!isObject(value)) return JSON.stringify(value);
  return `{${[...value.keys()].sort().map((name) => `${JSON.stringify(name)}:${canonical(value.get(name))}`).join()}}`;
}
