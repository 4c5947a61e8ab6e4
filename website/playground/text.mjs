// SPDX-License-Identifier: MIT
// Code points, in which the protocol counts, and chunks.

/** Return the text as a parser decodes it: a lone half of a surrogate pair is U+FFFD. */
export const decoded = (text) => text.replace(/[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\ufffd");

/** The places of a text: strings here count UTF-16 units, events count code points. */
export class Places {
  constructor(text) {
    this.text = text;
    this.isPlain = !/[\ud800-\udfff]/.test(text);
    if (this.isPlain) return;
    this.starts = [];
    for (let at = 0; at < text.length; at += text.codePointAt(at) > 0xffff ? 2 : 1) this.starts.push(at);
    this.starts.push(text.length);
  }

  /** Return the index of the code point `point`. */
  index(point) {
    return this.isPlain ? Math.min(point, this.text.length) : this.starts[Math.min(point, this.starts.length - 1)];
  }

  /** Return the code point at `index`. */
  point(index) {
    if (this.isPlain) return index;
    let [low, high] = [0, this.starts.length - 1];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (this.starts[middle] < index) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** The number of code points. */
  get length() {
    return this.isPlain ? this.text.length : this.starts.length - 1;
  }
}

/** More chunks than this are neither asked for nor drawn. */
export const MOST_CHUNKS = 4000;

const isHigh = (unit) => unit >= 0xd800 && unit <= 0xdbff;

/** Return the ends of chunks of `size` code points. */
function* everyPoints(text, size) {
  let count = 0;
  for (let at = 0; at < text.length; ) {
    at += text.codePointAt(at) > 0xffff ? 2 : 1;
    if (++count % size === 0) yield at;
  }
}

/** Return the ends of pieces as a model streams them: a word with the white space before it, at most twelve letters, or a few signs. */
function* wordEnds(text) {
  for (const match of text.matchAll(/[^\S\n]?[\p{L}\p{N}_]{1,12}|\n+|[^\S\n]+|[^\p{L}\p{N}\s_]{1,3}/gu)) yield match.index + match[0].length;
}

/** A small generator of random numbers, so that a seed gives the same cuts everywhere. */
function* numbers(seed) {
  for (let state = seed >>> 0; ; ) {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    yield ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }
}

function* randomEnds(text, seed) {
  const random = numbers(seed);
  for (let at = 0; at < text.length; ) {
    at += 1 + Math.floor(random.next().value ** 2 * 24);
    yield at;
  }
}

/**
 * Cut `text` into chunks, none of them between the halves of a pair.
 * `how` is "whole", "characters", "fixed", "words" or "random"; `size` and `seed` go with two of them.
 */
export function cut(text, { how, size, seed }) {
  const ends =
    how === "characters" ? everyPoints(text, 1)
    : how === "fixed" ? everyPoints(text, Math.max(1, size || 1))
    : how === "words" ? wordEnds(text)
    : how === "random" ? randomEnds(text, seed || 0)
    : [];
  const chunks = [];
  let start = 0;
  for (let end of ends) {
    if (end < text.length && isHigh(text.charCodeAt(end - 1))) end += 1;
    if (end <= start || end >= text.length) continue;
    chunks.push(text.slice(start, end));
    start = end;
    if (chunks.length === MOST_CHUNKS - 1) break;
  }
  if (start < text.length || how === "whole") chunks.push(text.slice(start));
  return chunks;
}

/** Name a character that is not seen. */
export const codePoint = (character) => `U+${character.codePointAt(0).toString(16).toUpperCase().padStart(4, "0")}`;

/** Shorten `text` to about `most` characters, its middle left out. */
export function shortened(text, most = 60) {
  if (text.length <= most) return text;
  const side = Math.floor((most - 1) / 2);
  return `${text.slice(0, side)}…${text.slice(-side)}`;
}

const GLYPHS = { "\n": "↵", "\t": "⇥", "\r": "␍", "\x7f": "␡" };

/** Write a text on one line for reading: white space and control characters as signs, one for one; so too what turns the text around. */
export const visible = (text) =>
  text.replace(/[\0-\x1f\x7f-\x9f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g, (c) => GLYPHS[c] ?? (c < " " ? String.fromCharCode(0x2400 + c.charCodeAt(0)) : "□"));
