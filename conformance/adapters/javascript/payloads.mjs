// SPDX-License-Identifier: MIT
// The payloads of described formats (spec/described.md, "Payloads"). Each reader is given the text from the
// opener of a call on: `read` returns `{kind: "fault"}`, `{call, isLast}` or null, and `at` is the index after
// what was read or, at a fault, of the offending character. `recent` is the text before it in which a closer
// may begin.

import { DEFAULT_LIMITS } from "./options.mjs";
import { BlockReader } from "./reader.mjs";
import { CallRules } from "./rules.mjs";
import { isWhite, trim, whiteEnd } from "./text.mjs";
import { memberTexts } from "./values.mjs";

const FAULT = { kind: "fault" };
const SYNONYMS = ["args", "arguments", "input", "kwargs", "parameters", "params"];
const RESERVED = "execute";

// --- JSON -----------------------------------------------------------------------------------------

/** The rules of objects whose members have the names of a description (fd-object). */
class MemberRules extends CallRules {
  closer = ""; // the machine reads it

  constructor({ name = "name", args = "arguments", partial = false, keyed = false }) {
    super(DEFAULT_LIMITS);
    this.named = [name].flat();
    this.args = [args].flat();
    this.isPartial = partial;
    this.isKeyed = keyed;
  }

  needsValue(member) {
    return !this.isKeyed && this.named.includes(member);
  }

  checkValueStart(reader, character) {
    if (reader.depth === 1 && character !== "{") return { code: "not-object" };
    if (this.isKeyed) return reader.member === undefined || character === "{" ? null : { code: "bad-args" };
    if (this.named.includes(reader.member) && character !== '"') return { code: "bad-name" };
    if (this.args.includes(reader.member) && character !== "{") return { code: "bad-args" };
    return null;
  }

  /** Check that no member comes twice under two of its names, and that a keyed call has one member. */
  checkName(names, name) {
    if (this.isKeyed && (name === "" || name === RESERVED)) return { code: "bad-name" };
    const rivals = this.isKeyed ? [...names] : [this.named, this.args].find((known) => known.includes(name)) ?? [];
    return rivals.some((one) => names.has(one)) ? { code: "duplicate-key" } : null;
  }

  checkElement(names) {
    if (this.isKeyed) return names.size === 1 ? null : { code: "missing-name" };
    const given = this.args.some((one) => names.has(one));
    if (!this.named.some((one) => names.has(one))) return { code: "missing-name" };
    const isMissing = !this.isPartial || SYNONYMS.some((synonym) => !this.named.includes(synonym) && names.has(synonym));
    return !given && isMissing ? { code: "missing-args" } : null;
  }

  callOf(element) {
    const texts = memberTexts(element);
    if (this.isKeyed) return { name: [...texts.keys()][0], args: [...texts.values()][0] };
    const find = (known) => texts.get(known.find((one) => texts.has(one)));
    return { name: JSON.parse(find(this.named)), args: find(this.args) ?? "{}" };
  }
}

/** The rules of the arguments after a head: one object with any members. */
class ArgumentRules extends CallRules {
  closer = "";

  constructor() {
    super(DEFAULT_LIMITS);
  }

  needsValue() {
    return false;
  }

  checkValueStart(reader, character) {
    return reader.depth === 1 && character !== "{" ? { code: "bad-args" } : null;
  }

  checkElement() {
    return null;
  }
}

/** The rules of a JSON value in tags: any value (fd-tags-typed). */
class ValueRules extends ArgumentRules {
  checkValueStart() {
    return null;
  }
}

/** One JSON object, or one array of them, which may be the value of a `member` of an object. */
class JsonPayload {
  at = 0;
  recent = "";

  constructor(rules, { isArray = false, member = "" } = {}) {
    this.rules = rules;
    this.isArray = isArray;
    this.reader = new BlockReader(rules, DEFAULT_LIMITS, { isOne: !isArray, member });
  }

  read(text, from) {
    const found = this.reader.read(text, from);
    this.at = this.reader.at;
    if (found?.kind === "element") return { call: this.rules.callOf(found.content), isLast: !this.isArray };
    if (found?.kind === "closed") return { isLast: true };
    if (found === null) return null;
    this.at -= found.character.length;
    return FAULT;
  }
}

// --- Heads ----------------------------------------------------------------------------------------

/** Return the fields and markers of a template, each with whether white space comes before it. */
const partsOf = (template) =>
  [...template.matchAll(/([ \t\r\n]*)(\{name\}|\{id\}|(?:(?!\{name\}|\{id\})[^ \t\r\n])+)/g)].map(([, gap, part]) => ({ part, hasGap: gap !== "" }));

const isField = (part) => part === "{name}" || part === "{id}";

/** One template of a head, and how far a text has come in it. */
class Template {
  #index = 0;
  #matched = 0; // characters of the marker
  #isBegun = false;
  isDone = false;
  /** Whether the head ended before the last character, the `{` of the arguments. */
  isBefore = false;
  name = "";

  constructor(parts, nameEnds) {
    this.parts = parts;
    this.nameEnds = nameEnds;
  }

  /** Read one character; return whether the head continues with it. */
  read(character) {
    if (this.#index === this.parts.length) return (this.isDone = this.isBefore = true);
    const { part, hasGap } = this.parts[this.#index];
    if (!this.#isBegun && hasGap && isWhite(character)) return true;
    this.#isBegun = true;
    if (part === "{name}" && !isWhite(character) && !this.nameEnds.includes(character)) {
      this.name += character;
      return true;
    }
    if (part === "{id}" && /[0-9A-Za-z]/.test(character)) return true;
    if (isField(part)) {
      if (part === "{name}" && (this.name === "" || this.name === RESERVED)) return false;
      this.#endPart();
      return this.read(character);
    }
    if (character !== part[this.#matched]) return false;
    this.#matched++;
    if (this.#matched === part.length) {
      this.#matched = 0;
      this.#endPart();
      this.isDone = this.#index === this.parts.length;
    }
    return true;
  }

  #endPart() {
    this.#index++;
    this.#isBegun = false;
  }
}

/** A head with the name of a tool, and an object with its arguments (fd-head, fd-arguments). */
class HeadedPayload {
  at = 0;
  recent = ""; // the text of the head
  #object = null;
  #name = "";

  constructor({ head }) {
    const templates = head.map(partsOf);
    // What may come at a place is the same in all templates that began in the same way: white space, and what ends a name.
    const like = (parts, size) => templates.filter((other) => parts.slice(0, size).every(({ part }, index) => part === other[index]?.part));
    const merged = (parts) => parts.map(({ part }, at) => ({ part, hasGap: at === 0 || like(parts, at).some((other) => other[at]?.hasGap) }));
    const ends = (parts, next) => ["{", ...like(parts, next).map((other) => other[next]?.part[0] ?? "{")];
    this.templates = templates.map((parts) => new Template(merged(parts), ends(parts, parts.findIndex(({ part }) => part === "{name}") + 1)));
  }

  read(text, from) {
    this.at = from;
    while (this.#object === null && this.at < text.length) {
      const left = this.templates.filter((template) => template.read(text[this.at]));
      if (left.length === 0) {
        this.recent += text.slice(from, this.at);
        return FAULT;
      }
      this.templates = left;
      const done = left.find((template) => template.isDone);
      if (!done?.isBefore) this.at++;
      if (done) this.#object = new JsonPayload(new ArgumentRules());
      this.#name = done?.name;
    }
    if (this.#object === null) {
      this.recent += text.slice(from);
      return null;
    }
    this.recent = "";
    this.#object.rules.callOf = (args) => ({ name: this.#name, args });
    const found = this.#object.read(text, this.at);
    this.at = this.#object.at;
    return found;
  }
}

// --- Tags -----------------------------------------------------------------------------------------

/** The name of a tool, and keys and values between tags (fd-tags). */
class TagsPayload {
  at = 0;
  recent = "";
  #expected = null;
  #matched = "";
  #state;
  #texts = new Map();
  #tool = null;
  #key = null;
  #name = "";
  #value = []; // the text since the last closer, or the opener
  #earlier = ""; // the text before that
  #level = 1; // how many values of the key are open

  #json = null; // reads a value that is JSON

  constructor({ tool, key, value, end = "", margin = "", types = {}, item }, closer, reach) {
    this.tags = { tool, key, value, end: end || closer, margin };
    this.isNested = item !== undefined;
    this.types = types;
    this.reach = reach;
    this.keyClosers = Object.keys(types).length ? Object.keys(types) : key[1] ? [key[1]] : [];
    // A name ends where the next marker that is not empty begins.
    this.afterKey = this.keyClosers.length ? this.keyClosers : [value[0]];
    this.afterTool = tool[1] ? [tool[1]] : [key[0], this.tags.end];
    if (tool[0]) this.#expect([tool[0], () => this.#beginName()]);
    else this.#beginName();
  }

  read(text, from) {
    this.at = from;
    let found = null;
    while (this.at < text.length && found === null) found = this.#state(text);
    // At a fault, the closer that ends the skipped text may begin before the offending character.
    this.recent = this.reach > 0 ? (this.recent + text.slice(from, this.at)).slice(-this.reach) : "";
    return found;
  }

  #expect(...expected) {
    this.#expected = new Map(expected);
    this.#state = this.#inTag;
  }

  #inTag(text) {
    if (this.#matched === "") this.at = whiteEnd(text, this.at);
    if (this.at === text.length) return null;
    const tags = [...this.#expected.keys()];
    const matched = this.#matched + text[this.at];
    if (tags.some((tag) => tag.startsWith(matched))) {
      this.at++;
      this.#matched = matched;
      // The longer of two tags counts (fd-apart).
      if (!tags.includes(matched) || tags.some((tag) => tag !== matched && tag.startsWith(matched))) return null;
    } else if (!tags.includes(this.#matched)) return FAULT;
    const then = this.#expected.get(this.#matched);
    this.#matched = "";
    return then() ?? null;
  }

  #beginName() {
    this.#name = "";
    this.#state = this.#inName;
  }

  #inName(text) {
    if (this.#name === "") this.at = whiteEnd(text, this.at);
    const start = this.at;
    const next = this.#tool === null ? this.afterTool : this.afterKey;
    const ends = `<>\n${next.map((tag) => tag[0]).join("")}`;
    while (this.at < text.length && !ends.includes(text[this.at])) this.at++;
    this.#name += text.slice(start, this.at);
    return this.at === text.length ? null : this.#endName(text[this.at]);
  }

  #endName(character) {
    const name = this.#name.trim();
    const isTool = this.#tool === null;
    const next = isTool ? this.afterTool : this.afterKey;
    const isEnd = character === "\n" || next.some((tag) => tag.startsWith(character));
    if (!isEnd || name === "" || (isTool ? name === RESERVED : this.#texts.has(name))) return FAULT;
    if (isTool) return this.#endTool(name);
    this.#key = name;
    if (this.keyClosers.length === 0) return this.#endKey();
    return this.#expect(...this.keyClosers.map((closer) => [closer, () => this.#endKey(closer)]));
  }

  #endTool(name) {
    this.#tool = name;
    const [before, after] = this.tags.tool[1].split("{id}");
    if (before === "") return this.#beginArgument();
    const then = () => this.#beginArgument();
    return this.#expect([before, after === undefined ? then : () => this.#skipId([after, then])]);
  }

  /** Skip an id, which white space and a marker follow. */
  #skipId(expected) {
    this.#state = (text) => {
      while (this.at < text.length && /[0-9A-Za-z]/.test(text[this.at])) this.at++;
      return this.at === text.length ? null : this.#expect(expected) ?? null;
    };
  }

  #beginArgument() {
    const end = () => ({ call: { name: this.#tool, values: this.#texts }, isLast: true });
    this.#expect([this.tags.key[0], () => this.#beginName()], [this.tags.end, end]);
  }

  #endKey(closer = "") {
    const begin = (this.types[closer] ?? "text") === "text" ? () => this.#beginValue() : () => this.#beginJson();
    const opener = this.tags.value[0];
    return opener ? this.#expect([opener, begin]) : begin();
  }

  #beginJson() {
    this.#json = new BlockReader(new ValueRules(), DEFAULT_LIMITS, { isOne: true });
    this.#value = [];
    this.#state = this.#inJson;
  }

  /** Read JSON up to the first character of the closer after it. */
  #inJson(text) {
    const closer = this.tags.value[1];
    const next = text.indexOf(closer[0], this.at);
    if (next === this.at && this.#json.isComplete) {
      if (this.#json.read(" ", 0) !== null) return FAULT; // the range of a number is checked after it
      this.#texts.set(this.#key, { json: trim(this.#value.join("")) });
      this.#key = null;
      return this.#expect([closer, () => this.#beginArgument()]);
    }
    const end = next < 0 ? text.length : Math.max(next, this.at + 1);
    const piece = text.slice(this.at, end);
    const found = this.#json.read(piece, 0);
    this.at += this.#json.at;
    this.#value.push(piece);
    if (found?.kind !== "fault") return null;
    this.at -= found.character.length;
    return FAULT;
  }

  #beginValue() {
    this.#value = [];
    this.#earlier = "";
    this.#level = 1;
    this.#state = this.#inValue;
  }

  #inValue(text) {
    const { key, value: [, end], margin } = this.tags;
    const closer = end.replace("{key}", () => this.#key);
    // The closer may have begun in the text before.
    const held = this.#value.pop() ?? "";
    const whole = held + text.slice(this.at);
    const found = whole.indexOf(closer);
    if (found < 0) {
      const cut = Math.max(0, whole.length - closer.length + 1);
      this.#value.push(whole.slice(0, cut), whole.slice(cut));
      this.at = text.length;
      return null;
    }
    this.at += found + closer.length - held.length;
    let value = this.#value.join("") + whole.slice(0, found);
    // A value of the same key may be in this one, with its own closer (fd-tags-nested).
    const opened = this.isNested ? value.split(key[0] + this.#key + key[1]).length - 1 : 0;
    this.#level += opened - 1;
    if (this.#level > 0) {
      this.#earlier += value + closer;
      this.#value = [];
      return null;
    }
    value = this.#earlier + value;
    if (margin && value.startsWith(margin)) value = value.slice(1);
    if (margin && value.endsWith(margin)) value = value.slice(0, -1);
    this.#texts.set(this.#key, value);
    this.#key = null;
    return this.#beginArgument();
  }
}

/** Return a reader of the payload of one call, or of one array of calls; a marker that ends skipped text has at most `longest` characters. */
export function payloadReader({ payload, call }, longest) {
  switch (payload.kind) {
    case "object":
    case "array":
      return new JsonPayload(new MemberRules(payload), { isArray: payload.kind === "array", member: payload.member });
    case "arguments":
      return new HeadedPayload(payload);
    default:
      return new TagsPayload(payload, [call[1]].flat()[0], longest - 1);
  }
}
