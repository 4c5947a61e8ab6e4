// SPDX-License-Identifier: MIT
// Input becomes text (spec/model.md, "Text").
//
// A character that decoding replaces stays a lone surrogate inside the parser. Well-formed input
// contains none, so a block can distinguish it from a U+FFFD that the model wrote (m-fffd,
// xj-bad-encoding). It becomes U+FFFD where text leaves the parser: `wellFormed`.

/** Matches each lone surrogate. */
export const LONE = /\p{Surrogate}/gu;
/** A high surrogate: it cannot pair with one before it, and no low surrogate follows it. */
const DAMAGED = "\uD800";

/** Write U+FFFD for each lone surrogate. */
export const wellFormed = (text) => text.replace(LONE, "\uFFFD");

export const isHigh = (unit) => (unit & 0xfc00) === 0xd800;
export const isLow = (unit) => (unit & 0xfc00) === 0xdc00;

/** Whether a character is one that decoding replaced. */
export const isLone = (character) => character.length === 1 && (character.charCodeAt(0) & 0xf800) === 0xd800;

/** Count the code points from one index to another; strings are UTF-16 here (m-codepoints). */
export function countPoints(text, from = 0, to = text.length) {
  let count = to - from;
  for (let at = from; at < to - 1; at++) {
    if (isHigh(text.charCodeAt(at)) && isLow(text.charCodeAt(at + 1))) count--;
  }
  return count;
}

/** Return the index in UTF-16 units that lies `count` code points after another index. */
export function indexOfPoint(text, count, from = 0) {
  let at = from;
  for (let remaining = count; remaining > 0; remaining--) at += text.codePointAt(at) > 0xffff ? 2 : 1;
  return at;
}

// `String.prototype.trim` removes far more characters than count as white space here (m-white), and
// a regex for trailing white space takes quadratic time.
export const isWhite = (character) => character === " " || character === "\n" || character === "\r" || character === "\t";

export function whiteEnd(text, at = 0) {
  while (at < text.length && isWhite(text[at])) at++;
  return at;
}

export function trimmedEnd(text) {
  let end = text.length;
  while (end > 0 && isWhite(text[end - 1])) end--;
  return end;
}

export const trim = (text) => text.slice(whiteEnd(text), Math.max(whiteEnd(text), trimmedEnd(text)));

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true }); // m-no-bom

/** Return the length of the sequence that a lead byte begins, and the range of its second byte. */
function sequence(lead) {
  if (lead < 0x80) return [1, 0, 0];
  if (lead >= 0xc2 && lead <= 0xdf) return [2, 0x80, 0xbf];
  if (lead >= 0xe0 && lead <= 0xef) return [3, lead === 0xe0 ? 0xa0 : 0x80, lead === 0xed ? 0x9f : 0xbf];
  if (lead >= 0xf0 && lead <= 0xf4) return [4, lead === 0xf0 ? 0x90 : 0x80, lead === 0xf4 ? 0x8f : 0xbf];
  return [0, 0, 0];
}

/** Return the length of the character at `at`, or of the maximal subpart of one, with its state. */
function subpart(bytes, at) {
  const [length, lowest, highest] = sequence(bytes[at]);
  if (length === 0) return { length: 1, state: "broken" };
  for (let next = 1; next < length; next++) {
    if (at + next === bytes.length) return { length: next, state: "cut" };
    const byte = bytes[at + next];
    const fits = next === 1 ? byte >= lowest && byte <= highest : byte >= 0x80 && byte <= 0xbf;
    if (!fits) return { length: next, state: "broken" };
  }
  return { length, state: "whole" };
}

function joined(pending, chunk) {
  const bytes = new Uint8Array(pending.length + chunk.length);
  bytes.set(pending);
  bytes.set(chunk, pending.length);
  return bytes;
}

/** Decodes chunks of one kind, strings or bytes, to text. */
export class Decoder {
  kind = null;
  /** The bytes of an incomplete character, or one high surrogate. */
  pending = [];

  decode(chunk) {
    return typeof chunk === "string" ? this.#fromString(chunk) : this.#fromBytes(chunk);
  }

  /** Return the text of an incomplete character at the end: one damaged character, or nothing (m-utf8-end). */
  end() {
    const text = this.pending.length > 0 ? DAMAGED : "";
    this.pending = [];
    return text;
  }

  #fromString(chunk) {
    if (chunk === "") return "";
    const text = String.fromCharCode(...this.pending) + chunk;
    const last = text.charCodeAt(text.length - 1);
    this.pending = isHigh(last) ? [last] : [];
    return isHigh(last) ? text.slice(0, -1) : text;
  }

  #fromBytes(chunk) {
    const bytes = this.pending.length > 0 ? joined(this.pending, chunk) : chunk;
    const parts = [];
    let good = 0; // the bytes from here on are well formed
    let at = 0;
    this.pending = [];
    while (at < bytes.length) {
      if (bytes[at] < 0x80) {
        at++;
        continue;
      }
      const { length, state } = subpart(bytes, at);
      if (state === "whole") {
        at += length;
        continue;
      }
      if (good < at) parts.push(utf8.decode(bytes.subarray(good, at)));
      if (state === "broken") parts.push(DAMAGED);
      else this.pending = [...bytes.subarray(at)];
      at += length;
      good = at;
    }
    if (good < at) parts.push(utf8.decode(bytes.subarray(good)));
    return parts.join("");
  }
}
