// SPDX-License-Identifier: MIT
// Texts of arguments become values by the schema of their tool (spec/validation.md, "Text of elements").

import { canonical, readJson, tryJson, isArray, isObject } from "./values.mjs";
import { trim, whiteEnd } from "./text.mjs";

const INTEGER = /^-?(?:0|[1-9][0-9]*)$/;
const NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?$/;

/** For each type, the JSON text of a text that fits it, or undefined (val-coerce-types). */
const FITS = {
  string: (text) => JSON.stringify(text),
  integer: (text) => (INTEGER.test(text) && Number.isFinite(Number(text)) ? text : undefined),
  number: (text) => (NUMBER.test(text) && Number.isFinite(Number(text)) ? text : undefined),
  boolean: (text) => (text === "true" || text === "false" ? text : undefined),
  null: (text) => (text === "null" ? text : undefined),
  array: (text) => (isArray(tryJson(text)) ? trim(text) : undefined),
  object: (text) => (isObject(tryJson(text)) ? trim(text) : undefined),
};

/** Return the schema that a reference leads to, or nothing. */
function resolved(reference, root) {
  const tokens = reference.startsWith("#/") ? reference.slice(2).split("/") : [];
  const names = tokens.map((token) => decodeURIComponent(token).replaceAll("~1", "/").replaceAll("~0", "~"));
  return names.reduce((schema, name) => schema?.[name], root);
}

/** Yield a schema, and those that it applies to the same value, in its order. */
function* applied(schema, root, seen = []) {
  if (typeof schema !== "object" || schema === null || seen.includes(schema)) return;
  yield schema;
  const others = [...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  if (schema.$ref !== undefined) others.unshift(resolved(schema.$ref, root));
  for (const each of others) yield* applied(each, root, [...seen, schema]);
}

/** Yield what a schema declares of a value: each type, with the values that it is limited to, in the order of the schema. */
function* declared(whole, root) {
  for (const schema of applied(whole, root)) {
    const values = schema.enum ?? ("const" in schema ? [schema.const] : null);
    if (schema.type !== undefined) for (const type of [schema.type].flat()) yield { type, values };
    else if (values) yield { type: null, values };
  }
}

/** Return the schema of a member of a value: all that the schemas of the value say of it. */
function memberOf(whole, root, member) {
  const inner = ({ properties, additionalProperties, prefixItems, items }) =>
    typeof member === "number" ? prefixItems?.[member] ?? items : properties?.[member] ?? additionalProperties;
  return { allOf: [...applied(whole, root)].map(inner) };
}

/** Return the JSON text of one argument; a text that fits no type is a string (val-coerce-misfit). */
function value(text, schema, root, words) {
  const options = [...declared(schema, root)];
  const known = words[text] ?? text;
  // A text that says null is null wherever null is allowed, before any other type (fd-tags-null).
  if (known === "null") options.sort((one, other) => (other.type === "null") - (one.type === "null"));
  for (const { type, values } of options) {
    const json = type === null ? undefined : FITS[type]?.(type === "string" ? text : known);
    if (json === undefined) continue;
    const isListed = (one) => canonical(readJson(JSON.stringify(one))) === canonical(readJson(json));
    if (!values || values.some(isListed)) return json;
  }
  // Without a type, the text itself is the value, unless it is the JSON of a listed value (val-coerce-untyped).
  const listed = options.flatMap(({ values }) => values ?? []);
  if (!options.some(({ type }) => type !== null) && !listed.includes(text)) {
    const json = listed.map((one) => JSON.stringify(one)).find((one) => one === known);
    if (json !== undefined) return json;
  }
  return JSON.stringify(text);
}

// --- Values whose parts are between tags (fd-tags-tree) ---------------------------------------------

const DEEPEST = 125;
const isKey = (key) => key !== "" && key === trim(key) && !/[<>\n]/.test(key);

/** Return what is in a value: its text, and its parts, each a key and a value; null if it has other text. */
function treeOf(text, { key: [opener, closer], value: [, end] }) {
  const plain = { text, parts: null };
  const beginsEnd = end.split("{key}")[0];
  const around = []; // the keys around the place, where the value of each begins, and the parts before it
  let parts = [];
  for (let pos = 0; ; ) {
    const at = whiteEnd(text, pos);
    if (text.startsWith(opener, at) && !text.startsWith(beginsEnd, at)) {
      const stop = text.indexOf(closer, at + opener.length);
      const key = text.slice(at + opener.length, Math.max(stop, 0));
      if (around.length === DEEPEST || !isKey(key)) return plain;
      pos = stop + closer.length;
      around.push({ key, begin: pos, before: parts });
      parts = [];
      continue;
    }
    if (around.length === 0) return at < text.length ? plain : { text, parts };
    const { key, begin, before } = around.pop();
    const last = end.replace("{key}", () => key);
    const stop = parts.length > 0 ? at : text.indexOf(last, pos);
    if (stop < 0 || !text.startsWith(last, stop)) return plain;
    const inner = text.slice(begin, stop);
    before.push([key, { text: inner, parts: parts.length === 0 && trim(inner) !== "" ? null : parts }]);
    parts = before;
    pos = stop + last.length;
  }
}

/** Return the JSON text of a value with parts by the first type that it fits, or that of its text. */
function treeValue({ text, parts }, schema, root, { item, words }) {
  const kinds = [...declared(schema, root)].map(({ type }) => type);
  if (kinds.length === 0 && parts?.length > 0) kinds.push("array", "object");
  const inner = (part, member) => treeValue(part, memberOf(schema, root, member), root, { item, words });
  for (const kind of parts === null ? [] : kinds) {
    if (kind === "array" && parts.every(([key]) => key === item)) {
      return `[${parts.map(([, part], index) => inner(part, index)).join(", ")}]`;
    }
    if (kind === "object" && new Set(parts.map(([key]) => key)).size === parts.length) {
      return `{${parts.map(([key, part]) => `${JSON.stringify(key)}: ${inner(part, key)}`).join(", ")}}`;
    }
    if (kind === "null" && text === "") return "null";
    if (kind === "string" || kind === null) break;
  }
  return value(text, schema, root, words);
}

/** Return the arguments of a call as JSON, given what was read of each by name, and the schema of its tool. */
export function typed(values, schema, { words = {}, types = {}, item, ...tags }) {
  // Where the text says what a value is, nothing is converted (fd-tags-types).
  const isStated = Object.values(types).some((type) => type !== "text");
  const written = (key, text) => {
    if (text.json !== undefined || isStated) return text.json ?? JSON.stringify(text);
    const inner = schema.properties?.[key];
    const hasParts = item !== undefined && !declared(inner, schema).next().done;
    const tree = hasParts ? treeOf(text, tags) : { text, parts: null };
    return treeValue(tree, inner, schema, { item, words });
  };
  return `{${[...values].map(([key, text]) => `${JSON.stringify(key)}: ${written(key, text)}`).join(", ")}}`;
}
