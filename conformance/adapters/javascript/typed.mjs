// SPDX-License-Identifier: MIT
// Texts of arguments become values by the schema of their tool (spec/validation.md, "Text of elements").

import { canonical, readJson, tryJson, isArray, isObject } from "./values.mjs";
import { trim } from "./text.mjs";

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

/** Yield what a schema declares of a value: each type, with the values that it is limited to, in the order of the schema. */
function* declared(schema, root, seen = []) {
  if (typeof schema !== "object" || schema === null || seen.includes(schema)) return;
  const values = schema.enum ?? ("const" in schema ? [schema.const] : null);
  if (schema.type !== undefined) for (const type of [schema.type].flat()) yield { type, values };
  else if (values) yield { type: null, values };
  const applied = [...(schema.allOf ?? []), ...(schema.anyOf ?? []), ...(schema.oneOf ?? [])];
  if (schema.$ref !== undefined) applied.unshift(resolved(schema.$ref, root));
  for (const each of applied) yield* declared(each, root, [...seen, schema]);
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

/** Return the arguments of a call as JSON, given what was read of each by name, and the schema of its tool. */
export function typed(values, schema, { words = {}, types = {} }) {
  // Where the text says what a value is, nothing is converted (fd-tags-types).
  const isStated = Object.values(types).some((type) => type !== "text");
  const written = (key, text) => text.json ?? (isStated ? JSON.stringify(text) : value(text, schema.properties?.[key], schema, words));
  return `{${[...values].map(([key, text]) => `${JSON.stringify(key)}: ${written(key, text)}`).join(", ")}}`;
}
