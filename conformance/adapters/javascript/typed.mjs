// SPDX-License-Identifier: MIT
// Texts of arguments become values by the schema of their tool (spec/validation.md, "Text of elements").

import { canonical, readJson, tryJson, isArray, isObject, Numeral } from "./values.mjs";
import { trim, whiteEnd } from "./text.mjs";

const INTEGER = /^-?(?:0|[1-9][0-9]*)$/;
const NUMBER = /^-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][-+]?[0-9]+)?$/;

const LONE = /\p{Surrogate}/u;

/** Whether all in a value may be in a block: no number is infinite, and no half of a pair is alone (xj-number-range, xj-lone-surrogate). */
function isSound(value) {
  if (value instanceof Numeral) return Number.isFinite(Number(value.text));
  if (isArray(value)) return value.every(isSound);
  return isObject(value) ? [...value].flat().every(isSound) : !LONE.test(value);
}

const ifSound = (text, isKind) => (isKind(tryJson(text)) && isSound(tryJson(text)) ? trim(text) : undefined);

/** For each type, the JSON text of a text that fits it, or undefined (val-coerce-types). */
const FITS = {
  string: (text) => JSON.stringify(text),
  integer: (text) => (INTEGER.test(text) && Number.isFinite(Number(text)) ? text : undefined),
  number: (text) => (NUMBER.test(text) && Number.isFinite(Number(text)) ? text : undefined),
  boolean: (text) => (text === "true" || text === "false" ? text : undefined),
  null: (text) => (text === "null" ? text : undefined),
  array: (text) => ifSound(text, isArray),
  object: (text) => ifSound(text, isObject),
};

/** Return the schema that a reference leads to, or nothing. */
function resolved(reference, root) {
  const tokens = reference.startsWith("#/") ? reference.slice(2).split("/") : [];
  const names = tokens.map((token) => decodeURIComponent(token).replaceAll("~1", "/").replaceAll("~0", "~"));
  return names.reduce((schema, name) => schema?.[name], root);
}

/** Return the groups of schemas that a schema applies to the same value; of each group, one counts. */
function applied({ $ref, allOf = [], anyOf = [], oneOf = [] }, root) {
  const every = [...($ref === undefined ? [] : [resolved($ref, root)]), ...allOf];
  return [...every.map((each) => [each]), ...[anyOf, oneOf].filter((branches) => branches.length > 0)];
}

const isSchema = (schema, seen) => typeof schema === "object" && schema !== null && !seen.includes(schema);

/** Return the types that a schema declares, or null, each with the values to which it is limited, in the order of the schema. */
function declared(schema, root, seen = []) {
  if (typeof schema === "boolean") return [{ type: null, values: null }];
  if (!isSchema(schema, seen)) return [];
  const values = "const" in schema ? [schema.const] : schema.enum ?? null;
  const own = [schema.type ?? null].flat().map((type) => ({ type, values }));
  const inner = (each) => declared(each, root, [...seen, schema]);
  return applied(schema, root).map((group) => group.flatMap(inner)).reduce(both, own);
}

/** Return the types that two schemas both declare; if there are none, those of the first that has some (val-coerce-first). */
function both(some, others) {
  const found = some.flatMap((one) => others.flatMap((other) => common(one, other)));
  return [found, some, others].find((options) => options.length > 0) ?? [];
}

function common(one, other) {
  const types = new Set([one.type, other.type]);
  types.delete(null);
  if (types.has("integer")) types.delete("number"); // every integer is a number
  if (types.size > 1) return [];
  const values = one.values && other.values ? one.values.filter((each) => isListed(JSON.stringify(each), other.values)) : one.values ?? other.values;
  return [{ type: [...types][0] ?? null, values }];
}

/** Return a value with each number spelled in one way, since `1.0` is the listed `1`. */
function respelled(value) {
  if (value instanceof Numeral) return new Numeral(String(Number(value.text)));
  if (isArray(value)) return value.map(respelled);
  return isObject(value) ? new Map([...value].map(([name, inner]) => [name, respelled(inner)])) : value;
}

const isEqual = (one, other) => canonical(respelled(readJson(one))) === canonical(respelled(readJson(other)));
const isListed = (json, values) => values.some((each) => isEqual(JSON.stringify(each), json));

/** Return the schema that a schema itself has for a member of this name (val-coerce-where). */
function namedIn({ properties = {}, patternProperties = {}, additionalProperties }, name) {
  const patterns = Object.keys(patternProperties).filter((pattern) => new RegExp(pattern, "u").test(name));
  const named = [...(Object.hasOwn(properties, name) ? [properties[name]] : []), ...patterns.map((pattern) => patternProperties[pattern])];
  return named.length > 0 ? { allOf: named } : additionalProperties;
}

/** Return the schema of a member of a value: all that the schemas of the value say of it. */
function memberOf(schema, root, member, seen = []) {
  if (!isSchema(schema, seen)) return {};
  const { prefixItems, items } = schema;
  const own = typeof member === "number" ? prefixItems?.[member] ?? items : namedIn(schema, member);
  const isSilent = (branch) => declared(branch, root).every(({ type, values }) => type === null && values === null);
  const groups = applied(schema, root).map((group) => group.map((each) => memberOf(each, root, member, [...seen, schema])));
  // A branch that says nothing of the member comes last (val-coerce-silent).
  const ordered = groups.map((group) => ({ anyOf: group.sort((one, other) => isSilent(one) - isSilent(other)) }));
  return { allOf: [own ?? {}, ...ordered] };
}

/** Return the JSON text of one argument; a text that fits no type is a string (val-coerce-misfit). */
function value(text, schema, root, words) {
  const options = declared(schema, root);
  const known = words[text] ?? text;
  // A text that says null is null wherever null is allowed, before any other type (fd-tags-null).
  const allowsNull = ({ type, values }) => type === "null" && (values?.includes(null) ?? true);
  if (known === "null") options.sort((one, other) => allowsNull(other) - allowsNull(one));
  // Without a type, the text itself is the value, unless it is the JSON of a listed value (val-coerce-untyped).
  const written = tryJson(known);
  const isJson = written !== undefined && isSound(written);
  const isMeant = (one) => isJson && isListed(known, [one]);
  const untyped = (values) => JSON.stringify(!values?.includes(text) && values?.some(isMeant) ? values.find(isMeant) : text);
  const fitting = options
    .map(({ type, values }) => ({ json: type === null ? untyped(values) : FITS[type]?.(type === "string" ? text : known), type, values }))
    .filter(({ json }) => json !== undefined);
  // Of a value that is not listed, a branch that only lists values says nothing (val-coerce-first).
  const found = fitting.find(({ json, values }) => values === null || isListed(json, values)) ?? fitting.find(({ type }) => type !== null);
  return found?.json ?? JSON.stringify(text);
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
  const types = declared(schema, root).map(({ type }) => type);
  const kinds = parts?.length > 0 && types.every((type) => type === null) ? ["array", "object"] : types;
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
    const inner = memberOf(schema, schema, key);
    const hasParts = item !== undefined && declared(inner, schema).some(({ type }) => type !== null);
    const tree = hasParts ? treeOf(text, tags) : { text, parts: null };
    return treeValue(tree, inner, schema, { item, words });
  };
  return `{${[...values].map(([key, text]) => `${JSON.stringify(key)}: ${written(key, text)}`).join(", ")}}`;
}
