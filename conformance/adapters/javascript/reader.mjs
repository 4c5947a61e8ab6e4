// SPDX-License-Identifier: MIT
// Reads the inside of a block or a results block: one JSON array and the closer after it
// (spec/xml-json.md, "Blocks" and "Results blocks"). It reads one character at a time, with one
// small method for each thing that may be expected; `rules` (rules.mjs) checks the elements.

import { countPoints, indexOfPoint, isHigh, isLone, isLow, isWhite } from "./text.mjs";

const VALUE_STARTS = '"{[-0123456789tfn';
const LITERALS = { t: "rue", f: "alse", n: "ull" };
const ESCAPES = { '"': '"', "\\": "\\", "/": "/", b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };
const HEX = /^[0-9A-Fa-f]$/;
/** The characters of a string that need a check; a surrogate pair is one character and needs none. */
const SPECIAL = /["\\\u0000-\u001f\p{Surrogate}]/gu;

/** The states of a number, with the state that each kind of character leads to. */
const NUMBER = {
  start: { "-": "minus", 0: "zero", digit: "int" },
  minus: { 0: "zero", digit: "int" },
  zero: { ".": "point", e: "e" },
  int: { 0: "int", digit: "int", ".": "point", e: "e" },
  point: { 0: "fraction", digit: "fraction" },
  fraction: { 0: "fraction", digit: "fraction", e: "e" },
  e: { "-": "sign", "+": "sign", 0: "exponent", digit: "exponent" },
  sign: { 0: "exponent", digit: "exponent" },
  exponent: { 0: "exponent", digit: "exponent" },
};
const COMPLETE = new Set(["zero", "int", "fraction", "exponent"]);

const isDigit = (character) => character >= "0" && character <= "9";

function numberKind(character) {
  if (character === "E") return "e";
  return character >= "1" && character <= "9" ? "digit" : character;
}

/** Return the JSON Pointer (RFC 6901) of some reference tokens. */
export const pointer = (tokens) => tokens.map((token) => `/${String(token).replaceAll("~", "~0").replaceAll("/", "~1")}`).join("");

/**
 * Reads until something is found: `read` returns
 * `{kind: "element", content, name}`, `{kind: "closed"}`,
 * `{kind: "fault", code, path, expected, character}`, or null at the end of the text.
 * `at` is then the index after what was read, and `count` the number of code points read so far.
 */
export class BlockReader {
  at = 0;
  count = 0;
  /** Pieces of the text of `args` that the parser has not taken yet. */
  args = [];
  #isArgs = false; // within the `args` of an element
  #expected = this.#beforeArray;
  #stack = []; // open arrays {index} and objects {names, key}
  #found = null;
  #capture = null; // the parts of an element's text, or of the results' array
  #closed = 0; // how many characters of the closer have been read
  #string = null; // {isName, parts}: parts is null if the value is not needed
  #high = 0; // a high surrogate, which a low one must follow
  #hex = "";
  #name = "";
  #number = null; // {state, text, digits}
  #literal = "";
  #around = []; // the object around the array that is being read (fd-array-member)

  /**
   * With `isOne`, read one value and no array, as if it were the only element of one. With `member`, read an
   * object of which this member is the array; it is read at the depth of arguments, where no rule is checked.
   */
  constructor(rules, limits, { isOne = false, member = "" } = {}) {
    this.rules = rules;
    this.limits = limits;
    this.arrayMember = member;
    if (member) this.#expected = this.#beforeObject;
    if (isOne) this.#stack.push({ index: 0, isOne });
    if (isOne) this.#expected = this.#value;
  }

  /** Whether a value of an array is complete here. */
  get isComplete() {
    const isNumber = this.#expected === this.#inNumber && COMPLETE.has(this.#number.state);
    return this.depth === 1 && (isNumber || this.#expected === this.#afterValue);
  }

  read(text, at) {
    let start = at; // where the captured text begins in this chunk
    let argsStart = at;
    this.#found = null;
    while (at < text.length && this.#found === null) {
      if (this.#expected === this.#inString && this.#high === 0) {
        at = this.#skipPlain(text, at);
        if (at === text.length || this.#found) break;
      }
      const unit = text[at];
      const character = unit < "\ud800" ? unit : String.fromCodePoint(text.codePointAt(at));
      const captured = this.#capture;
      const isArgs = this.#isArgs;
      this.#readCharacter(character);
      if (this.#capture !== captured && this.#capture) start = at;
      if (this.#isArgs && !isArgs) argsStart = at;
      at += character.length;
      if (isArgs && !this.#isArgs) this.#addArgs(text, argsStart, at);
      if (this.#found?.kind === "element") this.#found.content = this.#captured(text, start, at);
    }
    if (this.#isArgs) this.#addArgs(text, argsStart, at);
    this.#capture?.push(text.slice(start, at));
    this.at = at;
    return this.#found;
  }

  /** Add a piece of `args`, without a character that breaks a rule. */
  #addArgs(text, start, end) {
    const piece = text.slice(start, end - (this.#found?.character ?? "").length);
    if (piece !== "") this.args.push(piece);
  }

  #captured(text, start, end) {
    const content = [...this.#capture, text.slice(start, end)].join("");
    this.#capture = null;
    return content;
  }

  /** The JSON Pointer of the current place, or undefined outside of the array (err-path-outside). */
  path(...more) {
    if (this.#stack.length === 0) return undefined;
    const tokens = this.#stack.map((open) => (open.names ? open.key : open.index)).filter((token) => token !== null);
    return pointer([...tokens, ...more]);
  }

  /** The fault if the text ends here. */
  unclosed() {
    return { kind: "fault", code: this.rules.codeOf("unclosed-execute"), path: this.path() };
  }

  get depth() {
    return this.#stack.length;
  }

  /** The member of an element that is being read; undefined at any other depth. */
  get member() {
    return this.depth === 2 ? this.#stack[1].key : undefined;
  }

  get index() {
    return this.#stack[0].index;
  }

  // --- Reading a character ----------------------------------------------------------------------

  /** Read one character; the order of the checks is that of err-order. */
  #readCharacter(character) {
    this.count++;
    if (character >= "\ud800" && isLone(character)) {
      this.#fault("bad-encoding", "well-encoded text");
    } else {
      // A character beyond the size changes nothing: the path is the one before it, and so is the name.
      const isOver = this.count > this.limits.size;
      const before = isOver ? this.path() : undefined;
      const { name } = this.rules;
      this.#expected(character);
      // The characters of the closer do not count (xj-limit-size).
      if (isOver && this.#expected !== this.#inCloser && this.#found?.kind !== "fault" && this.#found?.kind !== "closed") {
        this.#fault("limit-size", `no more characters than ${this.limits.size}`);
        this.#found.path = before;
        this.rules.name = name;
      }
    }
    if (this.#found?.kind === "fault") this.#found.character = character;
  }

  #fault(code, expected, path = this.path()) {
    this.#found = { kind: "fault", code: this.rules.codeOf(code), path, expected };
  }

  /** Report a rule that is broken, if any; return whether one is. */
  #isBroken(broken, path) {
    if (broken) this.#fault(broken.code, broken.expected, path); // builds the path only if needed: it may be long
    return Boolean(broken);
  }

  /** Jump over plain characters of a string. */
  #skipPlain(text, at) {
    SPECIAL.lastIndex = at;
    const run = text.slice(at, SPECIAL.exec(text)?.index);
    const points = countPoints(run);
    const room = Math.max(0, this.limits.size - this.count);
    if (points > room) {
      this.count += room;
      const crossing = indexOfPoint(run, room);
      this.#readCharacter(String.fromCodePoint(run.codePointAt(crossing)));
      return at + crossing + (run.codePointAt(crossing) > 0xffff ? 2 : 1);
    }
    this.count += points;
    this.#string.parts?.push(run);
    return at + run.length;
  }

  // --- Values -----------------------------------------------------------------------------------

  #beforeObject(character) {
    if (isWhite(character)) return;
    if (character !== "{") return this.#fault("not-object", "`{`, an object with the array of calls");
    this.#stack.push({ index: 0 }, { index: 0 }, { names: new Set(), key: null, isAround: true });
    this.#expected = this.#firstName;
  }

  #beforeArray(character) {
    if (isWhite(character)) return;
    if (character !== "[") return this.#fault("not-array", "`[`, the array of calls");
    this.#stack.push({ index: 0 });
    this.#expected = this.#firstValue;
    if (this.rules.capturesArray) this.#capture = [];
  }

  #firstValue(character) {
    if (character === "]") this.#close();
    else this.#value(character);
  }

  #value(character) {
    if (isWhite(character)) return;
    if (!VALUE_STARTS.includes(character)) return this.#fault("json-syntax", "a JSON value");
    if (this.#isBroken(this.rules.checkValueStart(this, character))) return;
    if (character === "{") this.#open({ names: new Set(), key: null }, this.#firstName);
    else if (character === "[") this.#open({ index: 0 }, this.#firstValue);
    else if (character === '"') this.#openString(false, this.rules.needsValue(this.member));
    else if (character in LITERALS) this.#openLiteral(LITERALS[character]);
    else this.#openNumber(character);
  }

  #open(container, expected) {
    if (this.depth - (this.#stack[2]?.isAround ? 1 : 0) === this.limits.depth) return this.#fault("limit-depth", `no more levels than ${this.limits.depth}`);
    if (this.depth === 1 && !this.rules.capturesArray) this.#capture = [];
    this.#isArgs ||= this.member === "args";
    this.#stack.push(container);
    this.#expected = expected;
  }

  #afterValue(character) {
    if (isWhite(character)) return;
    const container = this.#stack.at(-1);
    const closer = container.names ? "}" : "]";
    if (container.isOne) return this.#fault("json-syntax", "nothing after the value");
    if (character === closer) return this.#close();
    if (character !== ",") return this.#fault("json-syntax", `\`,\` or \`${closer}\``);
    if (container.names) container.key = null;
    else container.index++;
    this.#expected = container.names ? this.#nameStart : this.#value;
  }

  /** Close the innermost container. */
  #close() {
    const { names, isAround } = this.#stack.at(-1);
    if (this.depth === 2 && this.#isBroken(this.rules.checkElement(names), `/${this.index}`)) return;
    if (this.depth === 1 && this.#isBroken(this.rules.checkArray(this))) return;
    if (isAround) this.#found = { kind: "closed" };
    this.#stack.pop();
    if (this.depth === 0 && this.#around.length > 0) {
      this.#stack.push(...this.#around.splice(0));
      this.#expected = this.#afterValue;
      return;
    }
    this.#isArgs &&= this.depth > 2;
    this.#expected = this.depth > 0 ? this.#afterValue : this.#afterArray;
    const isCaptured = this.rules.capturesArray ? this.depth === 0 : this.depth === 1 && names;
    if (isCaptured) this.#found = { kind: "element" };
    else if (this.depth === 0 && this.rules.closer === "") this.#found = { kind: "closed" }; // a described array
  }

  // --- Names ------------------------------------------------------------------------------------

  #firstName(character) {
    if (character === "}") this.#close();
    else this.#nameStart(character);
  }

  #nameStart(character) {
    if (isWhite(character)) return;
    if (character !== '"') return this.#fault("json-syntax", "a name in double quotes");
    this.#openString(true, true);
  }

  #colon(character) {
    if (isWhite(character)) return;
    if (character !== ":") return this.#fault("json-syntax", "`:`");
    const object = this.#stack.at(-1);
    object.key = this.#name;
    this.#expected = this.#value;
    if (!object.isAround || this.#name !== this.arrayMember) return;
    this.#around = this.#stack.splice(0);
    this.#expected = this.#beforeArray;
  }

  // --- Strings ----------------------------------------------------------------------------------

  #openString(isName, isNeeded) {
    this.#string = { isName, parts: isNeeded ? [] : null };
    this.#expected = this.#inString;
  }

  #inString(character) {
    if (character < " ") return this.#fault("json-syntax", "an escape instead of a control character");
    if (character === "\\") {
      this.#expected = this.#inEscape; // perhaps of the low surrogate
    } else if (this.#high !== 0) {
      this.#loneSurrogate();
    } else if (character === '"') {
      this.#closeString();
    } else {
      this.#string.parts?.push(character);
    }
  }

  #inEscape(character) {
    if (character === "u") {
      this.#hex = "";
      this.#expected = this.#inHex;
    } else if (!(character in ESCAPES)) {
      this.#fault("json-syntax", "one of the escapes of JSON");
    } else if (this.#high !== 0) {
      this.#loneSurrogate();
    } else {
      this.#string.parts?.push(ESCAPES[character]);
      this.#expected = this.#inString;
    }
  }

  #inHex(character) {
    if (!HEX.test(character)) return this.#fault("json-syntax", "a hexadecimal digit");
    this.#hex += character;
    if (this.#hex.length < 4) return;
    const unit = Number.parseInt(this.#hex, 16);
    // A low surrogate must follow a high one, and may follow nothing else (xj-lone-surrogate).
    if (isLow(unit) !== (this.#high !== 0)) return this.#loneSurrogate();
    if (isHigh(unit)) {
      this.#high = unit;
    } else {
      this.#string.parts?.push(this.#high ? String.fromCharCode(this.#high, unit) : String.fromCharCode(unit));
      this.#high = 0;
    }
    this.#expected = this.#inString;
  }

  #loneSurrogate() {
    this.#fault("lone-surrogate", "both halves of a surrogate pair");
  }

  #closeString() {
    const { isName, parts } = this.#string;
    const value = parts?.join("");
    if (!isName) {
      if (parts && this.#isBroken(this.rules.checkString(this, value))) return;
      this.#expected = this.#afterValue;
      return;
    }
    const { names } = this.#stack.at(-1);
    // The path is the member's, although its `:` has not been read yet (err-path-duplicate).
    if (names.has(value)) return this.#fault("duplicate-key", "each name once in an object", this.path(value));
    if (this.depth === 2 && this.#isBroken(this.rules.checkName(names, value), this.path(value))) return;
    names.add(value);
    this.#name = value;
    this.#expected = this.#colon;
  }

  // --- Numbers and literals ---------------------------------------------------------------------

  #openNumber(character) {
    this.#number = { state: "start", text: "", digits: 0 };
    this.#expected = this.#inNumber;
    this.#inNumber(character);
  }

  #inNumber(character) {
    const number = this.#number;
    const next = NUMBER[number.state][numberKind(character)];
    if (next === undefined) return this.#afterNumber(character);
    if (isDigit(character) && ++number.digits > this.limits.digits) {
      return this.#fault("limit-digits", `no more digits than ${this.limits.digits}`);
    }
    number.state = next;
    number.text += character;
  }

  /** Read the character after a number, which completes the number if it is allowed there (xj-number-range). */
  #afterNumber(character) {
    if (!COMPLETE.has(this.#number.state)) return this.#fault("json-syntax", "a digit");
    const closer = this.#stack.at(-1).names ? "}" : "]";
    const { isOne } = this.#stack.at(-1);
    if (!isWhite(character) && (isOne || (character !== "," && character !== closer))) {
      return this.#fault("json-syntax", `\`,\` or \`${closer}\` after the number`);
    }
    if (!Number.isFinite(Number(this.#number.text))) return this.#fault("number-range", "a number that a double can hold");
    this.#expected = this.#afterValue;
    this.#afterValue(character);
  }

  #openLiteral(rest) {
    this.#literal = rest;
    this.#expected = this.#inLiteral;
  }

  #inLiteral(character) {
    if (character !== this.#literal[0]) return this.#fault("json-syntax", "`true`, `false` or `null`");
    this.#literal = this.#literal.slice(1);
    if (this.#literal === "") this.#expected = this.#afterValue;
  }

  // --- After the array --------------------------------------------------------------------------

  #afterArray(character) {
    if (isWhite(character)) return;
    if (character !== "<") return this.#fault("trailing-text", `\`${this.rules.closer}\``);
    this.#closed = 1;
    this.#expected = this.#inCloser;
  }

  #inCloser(character) {
    if (character !== this.rules.closer[this.#closed]) return this.#fault("trailing-text", `\`${this.rules.closer}\``);
    this.#closed++;
    if (this.#closed === this.rules.closer.length) this.#found = { kind: "closed" };
  }
}
