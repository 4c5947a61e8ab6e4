// SPDX-License-Identifier: MIT
// Formats by description (spec/described.md): what a text in any format that a description describes
// says, as the cases of formats ask for it: reasoning, prose, and calls.
//
// There is one method for each region of the text, as in parser.mjs: it is given the text and an index
// to start at, and returns the index where the next one continues. An error has no item; it only
// decides where reading continues.

import { payloadReader } from "./payloads.mjs";
import { whiteEnd } from "./text.mjs";
import { typed } from "./typed.mjs";

const UNREAD = { object: [], array: [], arguments: [], tags: ["literals", "raw"] };

/** Return the first thing in a description that is not read here, or nothing. */
export function unread({ payload, ...members }) {
  const isThere = (object) => (member) => object[member] !== undefined;
  if (["literals", "text"].includes(payload?.kind)) return `a payload of the kind ${payload.kind}`;
  return ["header", "bare"].find(isThere(members)) ?? UNREAD[payload?.kind]?.find(isThere(payload));
}

/** Return the markers that a member of a description names: none, one, or several. */
export const markersOf = (member) => [member].flat().filter((marker) => marker !== "");

const escaped = (marker) => marker.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&");

/** The markers that are live in one region, each with its role. */
class Markers {
  #roles = new Map();

  /** Each argument is a role, and the markers that have it. */
  constructor(...roles) {
    this.roles = roles;
    for (const [role, markers] of roles) for (const marker of markers) this.#roles.set(marker, role);
    const longestFirst = [...this.#roles.keys()].sort((one, other) => other.length - one.length);
    this.pattern = new RegExp(longestFirst.map(escaped).join("|") || "(?!)", "g");
    this.longest = longestFirst[0]?.length ?? 0;
  }

  get markers() {
    return [...this.#roles.keys()];
  }

  /** Return these markers and others. */
  and(...roles) {
    return new Markers(...this.roles, ...roles);
  }

  /** Whether a text is the beginning of a marker, but not yet the whole of it. */
  isBegun(text) {
    return [...this.#roles.keys()].some((marker) => marker.length > text.length && marker.startsWith(text));
  }

  /** Return the first marker from an index on, or where the text that may become one begins. */
  find(text, from, isFinal) {
    this.pattern.lastIndex = from;
    const match = this.pattern.exec(text);
    const [start, end] = match ? [match.index, this.pattern.lastIndex] : [text.length, text.length];
    let held = isFinal ? start : Math.max(from, text.length - this.longest + 1);
    while (held < start && !this.isBegun(text.slice(held))) held++;
    // A longer marker that begins at the same place counts, if the text has not ended.
    const isHeld = held < start || (match && !isFinal && this.isBegun(text.slice(start, start + this.longest)));
    if (isHeld || !match) return { role: null, start: Math.min(held, start), end: text.length };
    return { role: this.#roles.get(match[0]), start, end };
  }

  /** Return the marker at an index, undefined if there may be one there, or null. */
  at(text, from, isFinal) {
    const rest = text.slice(from, from + this.longest);
    if (!isFinal && this.isBegun(rest)) return undefined;
    const markers = [...this.#roles.keys()].filter((marker) => rest.startsWith(marker));
    if (markers.length === 0) return null;
    const marker = markers.reduce((one, other) => (other.length > one.length ? other : one));
    return { role: this.#roles.get(marker), end: from + marker.length };
  }

  /** Return how many characters at the start of a text continue to a marker: all of one that is cut off. */
  reach(text, from) {
    let at = from;
    while (at < text.length && this.isBegun(text.slice(from, at + 1))) at++;
    return at;
  }
}

/** Reads one turn; give it text with `feed`, and then `close` it. Both return the items of the text. */
export class DescribedReader {
  #description;
  #tools;
  #items = [];
  #held = "";
  #region = this.#inProse;
  #inSection = false;
  #payload = null;
  #before = ""; // the text before an offending character that may begin what ends the skipped text
  #again = ""; // text that is read again, from before the offending character on
  #isEnded = false;
  #isTagged = false; // whether a call in tags is complete
  #isVoid = false;

  constructor(description, tools) {
    this.#description = { think: ["<think>", "</think>"], section: ["", ""], result: ["", ""], ends: [], ignored: [], ...description };
    this.#tools = new Map(tools.map((tool) => [tool.name, tool.parameters ?? {}]));
    const { think, section, call, result, ends, ignored, payload } = this.#description;
    const [callers, closers] = call.map(markersOf);
    const [, sectionClosers] = section.map(markersOf);
    this.calls = { callers, closers };
    this.prose = new Markers(
      ...[["think", markersOf(think[0])], ["section", markersOf(section[0])], ["call", callers]],
      ...[["results", markersOf(result[0])], ["end", ends], ["ignored", ignored]],
    );
    // The closers of values that show that a value was cut, unless a marker is like one (fd-tags-stray-alike).
    const strays = payload.kind === "tags" ? markersOf(payload.value[1]) : [];
    const others = [...this.prose.markers, ...markersOf(think[1])];
    const isAlike = (stray) => stray.includes("{key}") || others.some((marker) => marker.includes(stray) || stray.includes(marker));
    const live = ["stray", strays.some(isAlike) ? [] : strays];
    const openers = this.#description.think_ends_at_call ? [["section", markersOf(section[0])], ["call", callers]] : [];
    this.think = new Markers(["close", markersOf(think[1])], ...openers);
    this.afterTags = { prose: this.prose.and(live), think: this.think.and(live) };
    this.section = new Markers(["call", callers.length ? callers : ["{"]], ["close", sectionClosers], ["end", ends]);
    const ending = closers.filter((closer) => ends.includes(closer)); // fd-ends-call
    this.called = new Markers(["close", closers.filter((closer) => !ending.includes(closer))], ["end", ending]);
    // What ends the text that is skipped after an error, outside of a section and in one (fd-open-skip, fd-section-skip).
    this.void = closers.length ? this.called : this.prose;
    const inSection = closers.length ? [["close", closers]] : [["call", callers]];
    const read = [...(closers.length ? [] : callers), ...sectionClosers]; // a closer of a call is passed instead
    const longer = ends.filter((end) => read.some((marker) => end !== marker && end.startsWith(marker)));
    this.voidInSection = new Markers(...inSection, ["leave", sectionClosers], ["end", longer]);
    this.hasCloser = closers.length > 0 && !(payload.kind === "tags" && !payload.end);
  }

  feed(text) {
    this.#read(this.#held + text, false);
    return this.#items.splice(0);
  }

  close() {
    this.#read(this.#held, true);
    return this.#items.splice(0);
  }

  #read(text, isFinal) {
    this.#held = "";
    for (let at = 0; at < text.length && !this.#isEnded && this.#held === ""; ) {
      at = this.#region.call(this, text, at, isFinal);
      if (this.#again) [text, at, this.#again] = [this.#again, 0, ""];
    }
  }

  /** Read on from `at` when there is more text. */
  #wait(text, at) {
    this.#held = text.slice(at);
    return text.length;
  }

  #show(member, text) {
    if (text !== "") this.#items.push({ [member]: text });
  }

  // --- Text -------------------------------------------------------------------------------------

  /** The markers of prose and of thinks; after a call a closer of a value is one too (fd-tags-stray). */
  get #live() {
    return this.#isTagged && !this.#isVoid ? this.afterTags : this;
  }

  #inProse(text, at, isFinal) {
    const { role, start, end } = this.#live.prose.find(text, at, isFinal);
    this.#show("content", text.slice(at, start));
    if (role === null) return this.#wait(text, start);
    return this.#enter(role, text, end);
  }

  #enter(role, text, end) {
    if (role === "think") this.#region = this.#inThink;
    else if (role === "call") this.#openCall();
    else if (role === "section") this.#inSection = true;
    else if (role === "stray") this.#isVoid = true;
    if (role === "section") this.#region = this.#betweenCalls;
    this.#isEnded = role === "end" || role === "results"; // fd-ends, tr-forged
    return end;
  }

  #inThink(text, at, isFinal) {
    const { role, start, end } = this.#live.think.find(text, at, isFinal);
    this.#show("reasoning", text.slice(at, start));
    if (role === null) return this.#wait(text, start);
    if (role !== "stray") this.#region = this.#inProse;
    return role === "close" ? end : this.#enter(role, text, end);
  }

  #betweenCalls(text, at, isFinal) {
    const from = whiteEnd(text, at);
    if (from === text.length) return from;
    const marker = this.section.at(text, from, isFinal);
    if (marker === undefined) return this.#wait(text, from);
    if (marker === null) return this.#break(this.section.reach(text, from));
    if (marker.role === "close") return this.#leaveSection(marker.end);
    const isBrace = marker.role === "call" && this.calls.callers.length === 0; // fd-no-opener
    return this.#enter(marker.role, text, isBrace ? from : marker.end);
  }

  #leaveSection(end) {
    this.#inSection = false;
    this.#region = this.#inProse;
    return end;
  }

  // --- Calls ------------------------------------------------------------------------------------

  #openCall() {
    this.#payload = payloadReader(this.#description, this.#voidMarkers.longest);
    this.#region = this.#inCall;
  }

  #inCall(text, at) {
    const payload = this.#payload;
    const found = payload.read(text, at);
    if (found?.kind === "fault") return this.#break(payload.at, payload.recent);
    if (found?.call) this.#emit(found.call);
    if (found?.isLast) this.#region = this.hasCloser ? this.#afterCall : this.#afterSkip;
    return payload.at;
  }

  #emit({ name, args, values }) {
    const text = values ? typed(values, this.#tools.get(name) ?? {}, this.#description.payload) : args;
    this.#isTagged ||= values !== undefined;
    this.#items.push({ call: name }, { arguments: text });
  }

  /** Expect the closer of a call, which need not come if the text ends. */
  #afterCall(text, at, isFinal) {
    const from = whiteEnd(text, at);
    if (from === text.length) return from;
    const marker = this.called.at(text, from, isFinal);
    if (marker === undefined) return this.#wait(text, from);
    if (marker === null) {
      const offending = this.called.reach(text, from);
      return this.#break(offending, text.slice(from, offending)); // fd-skip
    }
    this.#region = this.#afterSkip;
    this.#isEnded = marker.role === "end";
    return marker.end;
  }

  #afterSkip(_text, at) {
    this.#region = this.#inSection ? this.#betweenCalls : this.#inProse;
    return at;
  }

  // --- Errors -----------------------------------------------------------------------------------

  /** What ends the skipped text. */
  get #voidMarkers() {
    return this.#inSection ? this.voidInSection : this.void;
  }

  /** Skip the text from an offending character on; what ends it may begin in the text `before` (fd-skip). */
  #break(at, before = "") {
    let start = Math.max(0, before.length - this.#voidMarkers.longest);
    while (start < before.length && !this.#voidMarkers.isBegun(before.slice(start))) start++;
    this.#before = before.slice(start);
    this.#isVoid = true;
    this.#region = this.#inVoid;
    return at;
  }

  #inVoid(text, at, isFinal) {
    const whole = this.#before + text.slice(at);
    const markers = this.#voidMarkers;
    const { role, start, end } = markers.find(whole, 0, isFinal);
    if (role === null) {
      const offending = Math.max(start, this.#before.length);
      this.#before = whole.slice(start, offending);
      this.#held = whole.slice(offending);
      return text.length;
    }
    this.#before = "";
    // A marker of prose is read there.
    const isProse = markers === this.prose;
    this.#again = whole.slice(isProse ? start : end);
    if (role === "leave") return this.#leaveSection(text.length);
    this.#isEnded = role === "end" && !isProse;
    this.#afterSkip(text, text.length);
    return role === "call" && !isProse ? this.#enter("call", text, text.length) : text.length;
  }
}
