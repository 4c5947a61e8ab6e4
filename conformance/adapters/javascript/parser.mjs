// SPDX-License-Identifier: MIT
// The parser of xml-json (spec/model.md, spec/xml-json.md).
//
// `feed` decodes a chunk, puts the few characters held back before it, and passes the text from
// one method to the next; there is one method for each region of the text. Each is given the text
// and an index to start at, and returns the index where the next one continues. No character is
// read twice, except those of an incomplete marker, nine at most (m-law-linear).

import { explain, FORGED } from "./explain.mjs";
import { checked } from "./options.mjs";
import { BlockReader } from "./reader.mjs";
import { CallRules, ResultRules } from "./rules.mjs";
import { Segment } from "./segment.mjs";
import { checkSnapshot, VERSION } from "./snapshot.mjs";
import { countPoints, Decoder, wellFormed, whiteEnd } from "./text.mjs";

const LIVE = /<(think|execute|results|end)>/g; // live in prose (xj-live-prose)
const OPENERS = ["<think>", "<execute>", "<results>", "<end>"];
const CLOSERS = { think: "</think>", execute: "</execute>", results: "</results>" };

/** The public state for each region. */
const STATES = {
  prose: "prose",
  start: "think",
  think: "think",
  block: "execute",
  void: "execute",
  results: "results",
  forged: "results",
  spoiled: "results",
  paused: "paused",
  ended: "ended",
};

export class Parser {
  /** The method that reads each region. */
  #regions = {
    prose: this.#inProse,
    start: this.#inStart,
    think: this.#inThink,
    block: this.#inBlock,
    void: this.#inVoid,
    results: this.#inBlock,
    forged: this.#inSkipped,
    spoiled: this.#inSkipped,
    paused: this.#discard,
    ended: this.#discard,
  };
  #options;
  #clock;
  #decoder;
  #isClosed;
  #events = [];
  #now;

  #region;
  #held; // the beginning of a marker, to be read again with the next chunk
  #segment; // the open one, or null
  #segments; // how many segments have emitted an event
  #block; // {reader, rules, start, tools, parts, content}: the open block or results block, or null
  #awaiting; // {tools}, the names of the calls that results may answer here (null after a void block), or null
  #sealed; // calls that wait for their execute (m-sealed-order)
  #discarded;

  #cursor = 0; // the index in the text up to which code points have been counted
  #points; // the offset of #cursor

  #unclaimed; // text of earlier chunks that no event accounts for yet
  #claimed; // the index in the text up to which events account for it

  constructor(options = {}) {
    this.#options = checked(options);
    this.#clock = options.clock ?? null;
    this.#begin();
  }

  /** Reset everything for a new turn (m-next-turn). */
  #begin() {
    this.#decoder = new Decoder();
    this.#isClosed = false;
    this.#region = this.#turnStart();
    this.#held = "";
    this.#segment = null;
    this.#segments = 0;
    this.#block = null;
    this.#awaiting = null;
    this.#sealed = [];
    this.#discarded = 0;
    this.#points = 0;
    this.#unclaimed = [];
    this.#claimed = 0;
  }

  #turnStart() {
    return this.#options.start === "think" ? "start" : "prose";
  }

  get state() {
    return STATES[this.#region];
  }

  get discarded() {
    return this.#discarded;
  }

  get tail() {
    return this.#options.raw ? wellFormed(this.#unclaimedText() + this.#held.slice(this.#claimed)) : "";
  }

  /** The text of earlier chunks that no emitted event accounts for. */
  #unclaimedText() {
    return [...this.#sealed.map((call) => call.raw), ...this.#unclaimed].join("");
  }

  /** `{tools}`, the names of the calls that results may answer here (null after a void block), or null. */
  get awaiting() {
    return this.#awaiting;
  }

  get isStopped() {
    return this.#region === "paused" || this.#region === "ended";
  }

  /** Read a chunk and return the events that it completes; all chunks must be strings, or all bytes. */
  feed(chunk) {
    const kind = typeof chunk === "string" ? "text" : chunk instanceof Uint8Array ? "bytes" : null;
    if (kind === null) throw new TypeError("a chunk is a string or a Uint8Array");
    if (this.#isClosed) throw new TypeError("the parser is closed");
    if (kind !== (this.#decoder.kind ?? kind)) throw new TypeError("all chunks are strings, or all are bytes");
    this.#now = this.#clock?.();
    this.#decoder.kind = kind;
    this.#read(this.#held + this.#decoder.decode(chunk), false);
    return this.#takeEvents();
  }

  /** End the text and return the events that this completes. */
  close() {
    if (this.#isClosed) return [];
    this.#now = this.#clock?.();
    this.#isClosed = true;
    const text = this.#held + this.#decoder.end();
    this.#read(text, true);
    return this.#takeEvents();
  }

  nextTurn() {
    if (this.#options.mode === "transcript") throw new TypeError("a transcript has no next turn");
    if (!this.#isClosed && !this.isStopped) throw new TypeError("the turn is open");
    this.#begin();
  }

  // --- Reading ----------------------------------------------------------------------------------

  #read(text, isFinal) {
    this.#held = "";
    let at = 0;
    while (at < text.length) at = this.#regions[this.#region].call(this, text, at, isFinal);
    if (isFinal) this.#endText(text);
    else if (this.#options.stream === "token") this.#emitDelta(text);
    this.#advance(text);
  }

  /** Advance every position to the end of the text, or to the start of what is held back. */
  #advance(text) {
    const end = text.length - this.#held.length;
    this.#offset(text, end);
    this.#cursor = 0;
    if (!this.isStopped) this.#keepUnclaimed(text, end);
    this.#claimed = Math.max(0, this.#claimed - end);
  }

  /** Keep the unclaimed text for the next event or for the tail (m-raw-next). */
  #keepUnclaimed(text, end) {
    if (!this.#options.raw || this.#claimed >= end) return;
    this.#unclaimed.push(text.slice(this.#claimed, end));
    this.#claimed = end;
  }

  /** Return the offset in code points of an index, which is never below the one before. */
  #offset(text, at) {
    if (at > this.#cursor) {
      this.#points += countPoints(text, this.#cursor, at);
      this.#cursor = at;
    }
    return this.#points;
  }

  /** Hold back the end of the text if it may be the beginning of a marker (m-hold-back). */
  #hold(text, from, markers, isFinal) {
    const at = isFinal ? -1 : text.lastIndexOf("<");
    const isHeld = at >= from && markers.some((marker) => marker.startsWith(text.slice(at)));
    if (isHeld) this.#held = text.slice(at);
    return isHeld ? at : text.length;
  }

  #inProse(text, at, isFinal) {
    LIVE.lastIndex = at;
    const marker = LIVE.exec(text);
    const end = marker ? marker.index : this.#hold(text, at, OPENERS, isFinal);
    this.#extend("respond", text, at, end);
    if (this.#segment?.hasContent) this.#awaiting = null;
    if (!marker) return text.length;
    this.#endSegment(text, end);
    this.#open(marker[1], text, end, LIVE.lastIndex);
    return LIVE.lastIndex;
  }

  #open(word, text, start, end) {
    const awaiting = this.#awaiting;
    this.#awaiting = null;
    if (word === "think") {
      this.#region = "think";
    } else if (word === "execute") {
      this.#openBlock("block", this.#offset(text, end));
    } else if (word === "end") {
      const offset = this.#offset(text, end);
      this.#emit({ type: "end", ...this.#span(offset - "<end>".length, offset) }, text, end);
      this.#stop("ended", text, end);
    } else if (awaiting) {
      this.#openBlock("results", this.#offset(text, end), awaiting.tools);
    } else {
      const offset = this.#offset(text, start); // xj-forged
      const error = { type: "error", code: "forged-results", content: FORGED, offset, calls: 0 };
      this.#emit({ ...error, ...this.#span(offset, offset + 1) }, text, end);
      this.#region = "forged";
      if (this.#options.mode === "turn") this.#stop("paused", text, end);
    }
  }

  /** End the turn; a transcript continues with the next one (m-hard-stop, m-transcript-turns). */
  #stop(region, text, end) {
    this.#region = this.#options.mode === "turn" ? region : this.#turnStart();
    if (this.isStopped) this.#keepUnclaimed(text, end);
  }

  /** Read the beginning of a turn that starts in think: white space, and the opener if there is one (xj-start-think). */
  #inStart(text, at, isFinal) {
    const from = whiteEnd(text, at);
    const markers = this.#awaiting ? ["<think>", "<results>"] : ["<think>"];
    const marker = markers.find((one) => text.startsWith(one, from));
    const isHeld = !marker && !isFinal && markers.some((one) => one.startsWith(text.slice(from)));
    if (isHeld) this.#held = text.slice(from);
    if (isHeld || from === text.length) return text.length;
    const end = from + (marker ?? "").length;
    if (marker === "<results>") {
      this.#open("results", text, from, end);
    } else {
      this.#region = "think";
      this.#awaiting = null;
    }
    return end;
  }

  #inThink(text, at, isFinal) {
    const closer = text.indexOf(CLOSERS.think, at);
    this.#extend("think", text, at, closer >= 0 ? closer : this.#hold(text, at, [CLOSERS.think], isFinal));
    if (closer < 0) return text.length;
    const end = closer + CLOSERS.think.length;
    this.#endSegment(text, end);
    this.#region = "prose";
    return end;
  }

  #inBlock(text, at) {
    const { reader, rules, parts } = this.#block;
    const found = reader.read(text, at);
    parts.push(text.slice(at, reader.at));
    this.#emitCallDelta();
    if (found?.kind === "fault") return this.#breakBlock(found, text);
    if (found?.kind === "closed") {
      this.#closeBlock(text, reader.at);
    } else if (found?.kind === "element" && rules.capturesArray) {
      this.#block.content = found.content; // the results' array
    } else if (found?.kind === "element") {
      const isSealed = this.#options.calls === "sealed";
      rules.accept();
      this.#emit(this.#call(found), text, reader.at, isSealed ? this.#sealed : this.#events);
    }
    return reader.at;
  }

  #call({ content }) {
    const end = this.#block.start + this.#block.reader.count;
    return { type: "call", content, ...this.#span(end - countPoints(content), end) };
  }

  #openBlock(region, start, tools = null) {
    const { limits } = this.#options;
    const rules = region === "block" ? new CallRules(limits) : new ResultRules(tools);
    const reader = new BlockReader(rules, limits);
    this.#region = region;
    this.#block = { reader, rules, start, tools, parts: [], content: "" }; // `parts` is needed for a snapshot
  }

  #closeBlock(text, end) {
    const { reader, rules, start, content } = this.#block;
    const offset = start + reader.count;
    this.#block = null;
    if (rules.capturesArray) {
      const span = this.#span(start - "<results>".length, offset);
      this.#emit({ type: "result", content, payload: rules.payload, ...span }, text, end);
      this.#region = this.#turnStart();
    } else {
      for (const call of this.#sealed.splice(0)) this.#events.push(this.#stamped(call));
      this.#emit({ type: "execute", ...this.#span(offset - CLOSERS.execute.length, offset) }, text, end);
      this.#awaiting = this.#options.mode === "transcript" ? { tools: rules.names } : null;
      this.#stop("paused", text, end);
    }
  }

  /** Emit the one error of a block; the block is skipped from the offending character on (xj-skip). */
  #breakBlock(fault, text) {
    const { reader, rules, start } = this.#block;
    this.#unclaimed.unshift(...this.#sealed.splice(0).map((call) => call.raw ?? "")); // m-sealed-void
    const offset = start + reader.count - (fault.character === undefined ? 0 : 1);
    const content = explain(fault, rules);
    const more = { ...(fault.path !== undefined && { path: fault.path }), ...this.#span(offset, start + reader.count) };
    this.#emit({ type: "error", code: fault.code, content, offset, calls: rules.names.length, ...more }, text, reader.at);
    this.#block = null;
    this.#region = rules.capturesArray ? "spoiled" : "void";
    return reader.at - (fault.character ?? "").length;
  }

  /** Skip to the closer, which counts even inside a string here. */
  #inVoid(text, at, isFinal) {
    const end = this.#skip(text, at, CLOSERS.execute, isFinal);
    if (end < 0) return text.length;
    this.#awaiting = this.#options.mode === "transcript" ? { tools: null } : null;
    this.#stop("paused", text, end);
    return end;
  }

  /** Skip forged results, after which the turn continues, or spoiled ones, after which a turn begins. */
  #inSkipped(text, at, isFinal) {
    const end = this.#skip(text, at, CLOSERS.results, isFinal);
    if (end < 0) return text.length;
    this.#region = this.#region === "forged" ? "prose" : this.#turnStart();
    return end;
  }

  #skip(text, at, closer, isFinal) {
    const found = text.indexOf(closer, at);
    if (found < 0) this.#hold(text, at, [closer], isFinal);
    return found < 0 ? -1 : found + closer.length;
  }

  #discard(text, at) {
    this.#discarded += countPoints(text, at);
    return text.length;
  }

  #endText(text) {
    this.#endSegment(text, text.length);
    if (this.#block) this.#breakBlock(this.#block.reader.unclosed(), text);
  }

  // --- Emitting ---------------------------------------------------------------------------------

  #extend(type, text, at, end) {
    this.#segment ??= new Segment(type);
    this.#segment.push(wellFormed(text.slice(at, end)));
    if (this.#options.spans) this.#segment.end = this.#offset(text, end);
  }

  /** The span of an event's content as a member, if spans are on (m-span). */
  #span(start, end) {
    return this.#options.spans ? { span: [start, end] } : {};
  }

  #endSegment(text, end) {
    const segment = this.#segment;
    this.#segment = null;
    if (!segment?.hasContent) return;
    const isToken = this.#options.stream === "token";
    const delta = isToken ? { segment: segment.number ?? this.#segments++, done: true } : {};
    const span = this.#span(...segment.span);
    this.#emit({ type: segment.type, content: segment.take(), ...delta, ...span }, text, end);
  }

  /** Emit what is known of the open segment (m-token-mode). */
  #emitDelta(text) {
    const segment = this.#segment;
    if (!segment || segment.content.length === 0) return;
    segment.number ??= this.#segments++;
    const end = text.length - this.#held.length - segment.white.join("").length;
    const span = this.#span(...segment.span);
    this.#emit({ type: segment.type, content: segment.take(), segment: segment.number, ...span }, text, end);
  }

  /** Emit the text of the open call's args so far, once its name is known (m-call-delta-prompt). */
  #emitCallDelta() {
    const { reader, rules } = this.#block;
    if (rules.capturesArray || rules.name === null || reader.args.length === 0) return;
    const content = reader.args.splice(0).join("");
    if (!this.#options.callDeltas) return;
    this.#events.push(this.#stamped({ type: "call_delta", index: rules.names.length, name: rules.name, content }));
  }

  #stamped(event) {
    return this.#now === undefined ? event : { ...event, timestamp: this.#now };
  }

  /** Emit an event, which accounts for the text up to `end` (m-raw). */
  #emit(event, text, end, target = this.#events) {
    if (this.#options.raw) {
      this.#keepUnclaimed(text, end);
      event.raw = wellFormed(this.#unclaimed.join(""));
      this.#unclaimed = [];
    }
    target.push(this.#stamped(event));
  }

  #takeEvents() {
    const events = this.#events;
    this.#events = [];
    return events;
  }

  // --- Snapshots --------------------------------------------------------------------------------

  /** Return the whole state of the parser as a JSON value (m-snapshot). */
  snapshot() {
    const segment = this.#segment;
    const block = this.#block;
    return {
      version: VERSION,
      options: structuredClone(this.#options),
      kind: this.#decoder.kind,
      pending: [...this.#decoder.pending],
      region: this.#region,
      closed: this.#isClosed,
      held: this.#held,
      segment: segment && {
        content: segment.content.join(""),
        white: segment.white.join(""),
        hasContent: segment.hasContent,
        number: segment.number,
      },
      segments: this.#segments,
      block: block && { text: block.parts.join(""), start: block.start, tools: block.tools },
      awaiting: this.#awaiting && { tools: this.#awaiting.tools && [...this.#awaiting.tools] },
      discarded: this.#discarded,
      points: this.#points,
      unclaimed: wellFormed(this.#unclaimedText()),
      claimed: this.#claimed,
    };
  }

  /** Return a parser that continues from a snapshot; throw a RangeError for any other value. */
  static restore(value, { clock = null } = {}) {
    checkSnapshot(value);
    const parser = new Parser({ ...value.options, clock });
    parser.#decoder.kind = value.kind;
    parser.#decoder.pending = [...value.pending];
    parser.#region = value.region;
    parser.#isClosed = value.closed;
    parser.#held = value.held;
    parser.#segments = value.segments;
    parser.#awaiting = value.awaiting && { tools: value.awaiting.tools && [...value.awaiting.tools] };
    parser.#discarded = value.discarded;
    parser.#points = value.points;
    parser.#unclaimed = value.unclaimed === "" ? [] : [value.unclaimed];
    parser.#claimed = value.claimed;
    if (value.segment) parser.#restoreSegment(value.segment);
    if (value.block) parser.#restoreBlock(value.block);
    return parser;
  }

  #restoreSegment({ content, white, hasContent, number }) {
    this.#segment = new Segment(this.#region === "think" ? "think" : "respond");
    this.#segment.content = content === "" ? [] : [content];
    this.#segment.white = white === "" ? [] : [white];
    this.#segment.hasContent = hasContent;
    this.#segment.number = number;
    this.#segment.end = this.#points;
  }

  /** Read the text of the open block again, because no other state can be trusted (m-snapshot-trust). */
  #restoreBlock({ text, start, tools }) {
    this.#openBlock(this.#region, start, tools);
    const { reader, rules, parts } = this.#block;
    parts.push(text);
    let at = 0;
    let claimed = 0;
    // With sealed calls, the unclaimed text begins before the block and ends with the block's text.
    const isSealed = this.#options.calls === "sealed" && this.#region === "block";
    const unclaimed = this.#unclaimed.join("");
    if (isSealed && this.#options.raw && !unclaimed.endsWith(text)) throw new RangeError("the unclaimed text of the snapshot does not end with its block");
    const before = unclaimed.slice(0, unclaimed.length - text.length);
    while (at < text.length) {
      const found = reader.read(text, at);
      at = reader.at;
      if (found?.kind === "fault" || found?.kind === "closed") throw new RangeError("the block of the snapshot is not open");
      if (found?.kind === "element" && rules.capturesArray) this.#block.content = found.content;
      else if (found?.kind === "element") {
        rules.accept();
        const raw = (claimed === 0 ? before : "") + text.slice(claimed, at);
        if (isSealed) this.#sealed.push({ ...this.#call(found), ...(this.#options.raw && { raw }) });
        claimed = at;
      }
      if (rules.name !== null) reader.args = []; // already emitted
    }
    if (this.#sealed.length > 0 && this.#options.raw) this.#unclaimed = [text.slice(claimed)];
  }
}
