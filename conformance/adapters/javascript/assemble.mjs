// SPDX-License-Identifier: MIT
// Converts events to chat messages (spec/messages.md): turns become messages of the assistant, and
// user texts and results become messages of the user. The report lists everything that is written
// differently from the events.

import { callName } from "./batch.mjs";
import { NO_LIMITS } from "./options.mjs";
import { Parser } from "./parser.mjs";
import { BlockReader } from "./reader.mjs";
import { ResultRules } from "./rules.mjs";
import { isStored, readStored } from "./stored.mjs";
import { LONE, trim, wellFormed } from "./text.mjs";
import { elementTexts } from "./values.mjs";
import { escapeLookalikes, frameItems, Refusal } from "./writer.mjs";

const CANCELLED = "Cancelled: this call has no result.";
const ABOUT_RESULTS = ["results-shape", "results-count", "results-order"];
/** Errors after which there is no block to close: there was none, or the text ended in it (msg-replay-void). */
const UNCLOSED = ["forged-results", "unclosed-execute", "unclosed-call", "missing-execute"];
/** The markers written in their literal form, by kind of text (msg-neutralise-model, msg-neutralise-user). */
const NEUTRALISED = {
  respond: /<(?=(?:think|execute|results|end)>)/g,
  think: /<(?=\/think>)/g,
  user: /<(?=\/?results>)/gi,
};

/** The codes of a report, in the order of the entries for one event (msg-report-order). */
const CODES = ["trimmed", "dropped", "retyped", "neutralised", "joined", "orphan", "surplus", "void", "moved", "completed", "mismatch"];

const string = (text) => escapeLookalikes(JSON.stringify(wellFormed(text)));
const item = (tool, status, content) => `{"tool": ${string(tool)}, "status": "${status}", "content": ${string(content)}}`;
const block = (calls) => `<execute>\n${frameItems(calls)}\n</execute>`;

/** Return `{messages, report}` for events, which are plain JSON objects. */
export function toMessages(events, system = null) {
  const kept = readStored(events).filter(({ event }) => isStored(event) && !isIgnored(event));
  refuseCalls(kept);
  const assembler = new Assembler();
  if (system !== null && trim(system) !== "") assembler.messages.push({ role: "system", content: system });
  assembler.write(grouped(kept));
  const report = assembler.report.sort((one, other) => one.index - other.index || CODES.indexOf(one.code) - CODES.indexOf(other.code));
  return { messages: assembler.messages, report };
}

/** Refuse a `call` whose content is not one call (msg-call-refused). */
export function refuseCalls(entries) {
  for (const { event, index } of entries) {
    if (event.type === "call" && callName(event.content) === undefined) throw new Refusal([index], "not the content of one call");
  }
}

export const isIgnored = ({ type, code }) =>
  type === "metric" || type === "interrupt" || (type === "error" && (code === undefined || ABOUT_RESULTS.includes(code)));

/** Group events into turns and the single events between them (msg-turn, msg-turn-xml). */
export function grouped(entries) {
  const groups = [];
  let turn = null;
  for (const entry of entries) {
    const { type } = entry.event;
    const last = turn?.entries.at(-1).event.type;
    if (["user", "result", "cancelled"].includes(type)) {
      const rest = turn && entry.of !== undefined ? callsAfter(turn, entry.of) : [];
      turn?.entries.splice(turn.entries.length - rest.length);
      groups.push({ kind: type, ...entry });
      turn = rest.length > 0 ? { kind: "turn", entries: rest } : null;
      if (turn) groups.push(turn);
      continue;
    }
    const isTurnOver = ["execute", "end", "error"].includes(last);
    if (turn === null || isTurnOver) groups.push((turn = { kind: "turn", entries: [] }));
    turn.entries.push(entry);
  }
  return groups;
}

/** Return the calls after the one that has an outcome, if nothing else follows it: another turn (msg-read-outcome-turn). */
function callsAfter({ entries }, call) {
  const rest = entries.slice(entries.findIndex(({ index }) => index === call) + 1);
  return rest.length < entries.length && rest.every(({ event }) => event.type === "call") ? rest : [];
}

/** Return the groups after one, up to and including the first that is not a `cancelled`. */
export function groupsAfter(groups, at) {
  const next = groups.findIndex(({ kind }, place) => place > at && kind !== "cancelled");
  return groups.slice(at + 1, next < 0 ? groups.length : next + 1);
}

export const callsOf = (turn) => turn.entries.filter(({ event }) => event.type === "call");
const entryOf = (turn, type) => turn.entries.find(({ event }) => event.type === type);

/** Whether a result is one failure of the tool `execute` (msg-void). */
export function isVoid({ event }) {
  const items = elementTexts(event.content);
  if (items?.length !== 1) return false;
  const { tool, status } = JSON.parse(items[0]) ?? {};
  return tool === "execute" && status === "failure";
}

/** Whether this content would be a valid results block for calls of these names (msg-results-mismatch). */
function answers(content, names) {
  const limits = { size: Infinity, depth: Infinity, digits: Infinity };
  const reader = new BlockReader(new ResultRules(names), limits);
  return reader.read(content, 0)?.kind === "element";
}

class Assembler {
  messages = [];
  report = [];
  #kind = null; // of the part added last
  #open = null; // the last replay, if it leaves a region open: {turn, content, kind, notes}

  write(groups) {
    for (let at = 0; at < groups.length; ) {
      const group = groups[at];
      if (group.kind === "user") this.#writeText("user", group);
      else if (group.kind === "result") this.#answer([], group);
      at += group.kind === "turn" ? 1 + this.#turn(group, groupsAfter(groups, at)) : 1;
    }
  }

  #note(index, code, message) {
    this.report.push({ index, code, message });
  }

  /** Add a part to the message of its role (msg-merge, msg-joined). */
  #add(role, text, kind, index) {
    if (role === "assistant") this.#closeReplay();
    this.#open = null;
    const last = this.messages.at(-1);
    if (last?.role !== role) {
      this.messages.push({ role, content: text });
    } else {
      const isLost = kind === this.#kind ? kind === "user" || kind === "respond" : false;
      const isReplay = role === "assistant" && (kind === "replay" || this.#kind === "replay");
      if (isLost || isReplay) this.#note(index, "joined", "the boundary to the previous part is lost");
      last.content += `\n\n${text}`;
    }
    this.#kind = kind;
  }

  /** Trim a text, replace lone surrogates, and note both in the report (msg-trim, msg-surrogates). */
  #clean(text, index) {
    this.#noteHalves(text, index);
    const trimmed = trim(wellFormed(text));
    if (trimmed === "") this.#note(index, "dropped", "there is no text");
    else if (trimmed.length < text.length) this.#note(index, "trimmed", "the white space around it is left out");
    return trimmed;
  }

  #noteHalves(text, index) {
    for (const _half of text.match(LONE) ?? []) this.#note(index, "neutralised", "a lone surrogate is written as U+FFFD");
  }

  #writeText(kind, { event, index }) {
    const text = this.#clean(event.content, index).replace(NEUTRALISED[kind], () => {
      this.#note(index, "neutralised", "text that could be read as a marker is written in its literal form");
      return "&lt;";
    });
    if (text === "") return;
    const written = kind === "think" ? `<think>${text}</think>` : text;
    this.#add(kind === "user" ? "user" : "assistant", written, kind, index);
  }

  // --- Turns --------------------------------------------------------------------------------------

  /** Write a turn and its result; return how many of the following groups that uses. */
  #turn(turn, following) {
    let taken = following.findIndex(({ kind }) => kind !== "cancelled"); // msg-cancelled
    if (taken < 0) taken = following.length;
    const isCancelled = taken > 0;
    const result = following[taken]?.kind === "result" ? following[taken] : null;
    const isOpen = following.length === 0;
    const calls = callsOf(turn);
    if (this.#replay(turn)) {
      if (entryOf(turn, "execute")) this.#answerReplay(turn, calls, result, isOpen);
      else if (result) this.#answer([], result, entryOf(turn, "error") !== undefined);
    } else {
      this.#plain(turn, calls, result, isCancelled, isOpen);
    }
    return taken + (result ? 1 : 0);
  }

  /** Write the think and prose of a turn, all before its calls, and note its error, which has no written form. */
  #segments(turn, calls) {
    for (const entry of turn.entries) {
      if (entry.event.type !== "think" && entry.event.type !== "respond") continue;
      this.#writeText(entry.event.type, entry);
      const isMoved = calls.length > 0 && calls[0].index < entry.index && trim(entry.event.content) !== "";
      if (isMoved) this.#note(entry.index, "moved", "this followed a call, and is written before it"); // msg-turn-xml
    }
    const error = entryOf(turn, "error");
    if (error) this.#note(error.index, "void", "the text that broke a rule is left out"); // msg-void-known
  }

  #plain(turn, calls, result, isCancelled, isOpen) {
    const isKnown = entryOf(turn, "error") !== undefined;
    const valid = isKnown ? [] : calls;
    this.#segments(turn, valid);
    if (result && isVoid(result) && !isCancelled) {
      this.#answer([], result, isKnown);
    } else if (valid.length === 0) {
      if (result) this.#answer([], result, isKnown);
    } else if (isCancelled) {
      this.#block(valid);
      if (result && !isVoid(result)) return this.#results(valid, result);
      this.#orphans(valid);
      if (result) this.#answer([], result);
    } else if (result) {
      this.#answer(valid, result);
    } else {
      this.#block(valid);
      if (!isOpen) this.#orphans(valid);
    }
  }

  /** Write a block of calls, or the empty block before an empty result (msg-block, msg-empty-block). */
  #block(calls, result = null) {
    const written = calls.map(({ event, index }) => this.#call(event.content, index));
    this.#add("assistant", block(written), "block", (calls[0] ?? result).index);
  }

  /** Write a call; only `args` may be missing (msg-call-args). */
  #call(content, index) {
    const text = trim(content);
    if (text !== content) this.#note(index, "trimmed", "the white space around it is left out");
    if (Object.hasOwn(JSON.parse(text), "args")) return text;
    this.#note(index, "completed", "the call is written with empty args");
    return `${trim(text.slice(0, -1))}, "args": {}}`;
  }

  #orphanItems(calls) {
    return calls.map(({ event, index }) => {
      this.#note(index, "orphan", "no result was returned");
      return item(callName(event.content), "failure", CANCELLED);
    });
  }

  #orphans(calls) {
    this.#addResults(frameItems(this.#orphanItems(calls)), calls[0]?.index);
  }

  #addResults(array, index) {
    const text = escapeLookalikes(array);
    this.#add("user", `<results>\n${text}\n</results>`, "results", index);
  }

  // --- Results ------------------------------------------------------------------------------------

  /** Write the calls and their result; calls that the result has no items for get a separate block (msg-fewer). */
  #answer(calls, result, isKnown = false) {
    if (isVoid(result) && calls.length === 0) return this.#answerVoid(result, isKnown);
    const { items } = this.#itemsOf(result, calls);
    const own = items.length === 0 ? [] : calls.slice(Math.max(0, calls.length - items.length));
    const earlier = calls.slice(0, calls.length - own.length);
    if (earlier.length > 0) {
      this.#block(earlier);
      this.#orphans(earlier);
    }
    if (own.length > 0 || items.length === 0) this.#block(own, result);
    this.#results(own, result);
  }

  #answerVoid(result, isKnown) {
    if (!isKnown) this.#note(result.index, "void", "this answers a void block, which is left out");
    if (this.messages.at(-1)?.role === "user") this.#add("assistant", "<think></think>", "think", result.index); // msg-stand-in
    this.#verbatim(result);
  }

  /** Answer a replayed block, which is written as it was and so is neither divided nor void (msg-replay-results). */
  #answerReplay(turn, calls, result, isOpen) {
    if (result) {
      this.#results(calls, result, true);
    } else if (!isOpen && calls.length > 0) {
      this.#orphans(calls);
    } else if (!isOpen) {
      const { index } = entryOf(turn, "execute");
      this.#note(index, "orphan", "the empty block has no result");
      this.#addResults("[]", index);
    }
  }

  /** Return the texts of the items; content that is not an array becomes one item (msg-results-text). */
  #itemsOf({ event }, calls) {
    const items = elementTexts(event.content);
    if (items) return { items, isArray: true };
    const last = calls.at(-1);
    const tool = last ? callName(last.event.content) : "unknown";
    return { items: [item(tool, "success", event.content)], isArray: false };
  }

  /** Write the result of these calls; if it has too few items, the first calls are orphans. */
  #results(calls, result, isReplay = false) {
    const { items, isArray } = this.#itemsOf(result, calls);
    const own = items.slice(0, calls.length);
    if (own.length < items.length) this.#note(result.index, "surplus", "results without a call are left out");
    if (items.length > 0 && calls.length === 0 && !isReplay) return; // msg-surplus
    if (own.length > 0 || items.length === 0) this.#noteContent(result, isArray);
    const orphans = this.#orphanItems(calls.slice(0, calls.length - own.length));
    const isWhole = isArray && own.length === items.length && orphans.length === 0;
    const array = isWhole ? trim(result.event.content) : frameItems([...orphans, ...own]);
    const names = calls.map(({ event }) => callName(event.content));
    if (!answers(wellFormed(array), names)) this.#note(result.index, "mismatch", "the results do not answer the calls");
    this.#verbatim({ event: { content: array }, index: result.index });
  }

  /** Note what the array no longer shows: white space around it, or that the content was not an array (msg-results-text). */
  #noteContent({ event: { content }, index }, isArray) {
    if (isArray) {
      if (trim(content) !== content) this.#note(index, "trimmed", "the white space around it is left out");
      return;
    }
    this.#note(index, "completed", "the content is not an array; it is written as one item");
    this.#noteHalves(content, index);
    this.#noteLookalikes(wellFormed(content), index);
  }

  #noteLookalikes(text, index) {
    const places = escapeLookalikes(text).length - text.length;
    for (let place = 0; place < places; place += 5) this.#note(index, "neutralised", "text that could be read as a marker is escaped");
  }

  /** Write results as they are, except for lookalikes (msg-results). */
  #verbatim({ event, index }) {
    const text = this.#clean(event.content, index);
    this.#noteLookalikes(text, index);
    this.#addResults(text, index);
  }

  // --- Replays ------------------------------------------------------------------------------------

  /** Write a turn as its raws if they read as its events (msg-replay); return whether they do. */
  #replay(turn) {
    if (!turn.entries.every(({ event }) => event.raw !== undefined)) return false;
    const { index } = turn.entries[0];
    const error = turn.entries.findLast(({ event }) => event.type === "error")?.event;
    const isClosed = error && !UNCLOSED.includes(error.code) && !entryOf(turn, "end");
    const raw = turn.entries.map(({ event }) => event.raw).join("") + (isClosed ? "\n</execute>" : "");
    const text = [raw, `<think>${raw}`].find((one) => readsAs(one, turn));
    if (text === undefined) {
      this.#note(index, "mismatch", "`raw` does not read as the turn, which is written from its events");
      return false;
    }
    this.#closeReplay();
    const last = this.messages.at(-1);
    const before = { turn, content: last?.role === "assistant" ? last.content : null, kind: this.#kind };
    const count = this.report.length;
    if (text !== raw) this.#note(index, "completed", "the missing opener of the think is written");
    this.#noteHalves(text, index);
    this.#add("assistant", wellFormed(text), "replay", index);
    if (leavesOpen(text)) this.#open = { ...before, notes: this.report.slice(count) };
    return true;
  }

  /** Undo a replay that leaves a region open, and write the turn from its events (msg-replay-open). */
  #closeReplay() {
    if (this.#open === null) return;
    const { turn, content, kind, notes } = this.#open;
    this.#open = null;
    this.report = this.report.filter((note) => !notes.includes(note));
    this.#kind = kind;
    if (content === null) this.messages.pop();
    else this.messages.at(-1).content = content;
    this.#segments(turn, []);
  }
}

const outline = ({ type, content }) => JSON.stringify([type, type === "error" ? "" : content]);

function readAll(text) {
  const parser = new Parser({ mode: "transcript", limits: NO_LIMITS });
  const read = [...parser.feed(text), ...parser.close()];
  return { read, state: parser.state };
}

/** Whether a text reads as the events of a turn. */
const readsAs = (text, turn) => readAll(text).read.map(outline).join() === turn.entries.map(({ event }) => outline(event)).join();

const leavesOpen = (text) => readAll(text).state !== "prose";
