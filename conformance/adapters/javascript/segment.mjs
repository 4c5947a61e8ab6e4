// SPDX-License-Identifier: MIT

import { countPoints, trimmedEnd, whiteEnd } from "./text.mjs";

/** One run of think or prose, without the white space around it (m-segment-trim). */
export class Segment {
  number = null; // known with its first delta (m-delta-segment)
  hasContent = false;
  content = []; // not yet emitted
  white = []; // may turn out to be trailing
  end = 0; // the offset up to which it was read, if spans are on

  constructor(type) {
    this.type = type;
  }

  push(text) {
    const from = this.hasContent ? 0 : whiteEnd(text);
    const end = trimmedEnd(text);
    if (end > from) {
      this.content.push(this.white.join(""), text.slice(from, end));
      this.white = [];
      this.hasContent = true;
    }
    const rest = text.slice(Math.max(from, end));
    if (this.hasContent && rest !== "") this.white.push(rest);
  }

  /** The start and end of the content not yet emitted (m-span-segment); each white space character is one UTF-16 unit. */
  get span() {
    const end = this.end - this.white.join("").length;
    return [end - countPoints(this.content.join("")), end];
  }

  /** Return the content not yet emitted, and clear it. */
  take() {
    const content = this.content.join("");
    this.content = [];
    return content;
  }
}
