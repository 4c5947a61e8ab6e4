// SPDX-License-Identifier: MIT
// What a reply says of a text: which event came with which chunk, and which characters it accounts for.

import { decoded, Places } from "./text.mjs";
import { reasons } from "./held.mjs";

/** One reading of a text: the request, its reply, and what both say about each character. */
export class Reading {
  /** `reply` is that to `request`, a parse of `chunks` with raws. */
  constructor(request, reply) {
    this.request = request;
    this.reply = reply;
    this.text = decoded(request.chunks.join(""));
    this.places = new Places(this.text);
    this.ends = ends(request.chunks);
    this.entries = entries(reply);
    this.states = new Map();
  }

  /** The number of positions: one before each chunk, one behind the last, and one for the end of the stream. */
  get last() {
    return this.request.chunks.length + 1;
  }

  /** How many characters have been fed at a position. */
  fed(position) {
    return this.ends[Math.min(position, this.request.chunks.length)];
  }

  /** How many events have come at a position. */
  count(position) {
    if (position >= this.last) return this.entries.length;
    let count = 0;
    while (count < this.entries.length && this.entries[count].chunk < position) count += 1;
    return count;
  }

  /** The request for the state at a position before the last. */
  prefix(position) {
    return { ...this.request, chunks: this.request.chunks.slice(0, position), close: false };
  }

  /** What is known at a position: the last reply's, or one of `prefix` that was kept; undefined where it has not come. */
  after(position) {
    return position >= this.last ? this.reply : this.states.get(position);
  }

  /**
   * Divide the text at a position into parts: `{from, to, kind, index?, words?, clause?}`, in the order of the text.
   * A part of an event has the event's type as its kind and its index.
   */
  parts(position) {
    const shown = this.entries.slice(0, this.count(position));
    const parts = shown
      .filter(({ from, to }) => to > from)
      .map(({ event, from, to, index }) => ({ from, to, kind: event.type, index }));
    const claimed = shown.at(-1)?.to ?? 0;
    const fed = this.fed(position);
    const after = this.after(position);
    const gone = after ? fed - this.#discarded(fed, after.discarded) : 0;
    const pending = fed - gone;
    if (pending > claimed) {
      const found = after
        ? reasons({ ...this.#about(position), events: shown.map(({ event }) => event).filter(({ type }) => type !== "call_delta"), from: claimed, to: pending, state: after.state })
        : [{ length: pending - claimed, kind: "held", words: "The reference has not read this yet." }];
      let from = claimed;
      for (const { length, ...reason } of found) parts.push({ ...reason, from, to: (from += length) });
    }
    if (gone > 0) {
      parts.push({ from: pending, to: fed, kind: "discarded", words: "Text after the hard stop is discarded.", clause: "m-after-stop" });
    }
    if (fed < this.text.length) parts.push({ from: fed, to: this.text.length, kind: "future", words: "This has not arrived yet." });
    return parts;
  }

  /** The index at which the last `count` code points before `fed` begin. */
  #discarded(fed, count) {
    if (count === 0) return fed;
    // A half that is incomplete counts as one, and is one unit of the text.
    return this.places.index(Math.max(0, this.places.point(fed) - count));
  }

  #about(position) {
    const { dialect, mode, stream, start, calls } = this.request;
    return { text: this.text, dialect: dialect.name ?? dialect, mode, stream, start, isSealed: calls === "sealed", isClosed: position >= this.last };
  }
}

function ends(chunks) {
  let at = 0;
  return [0, ...chunks.map((chunk) => (at += chunk.length))];
}

/** List the events of a reply with the chunk each came with and the characters it accounts for. */
function entries({ feeds, close }) {
  const listed = [];
  let at = 0;
  [...feeds, close].forEach((events, chunk) => {
    for (const event of events) {
      const from = at;
      at += event.raw?.length ?? 0; // a delta of a call accounts for nothing
      listed.push({ event, chunk, from, to: at, index: listed.length, isClosing: chunk === feeds.length });
    }
  });
  return listed;
}
