// SPDX-License-Identifier: MIT
// The events as a list, in the order in which they came.

import { make } from "./dom.mjs";
import { fill } from "./ledger.mjs";
import { numberOf } from "./normal.mjs";
import { shortened, visible } from "./text.mjs";

const MOST_ITEMS = 400;
const MOST_CONTENT = 4000;

const ABOUT_RESULTS = new Set(["results-shape", "results-count", "results-order"]);

/** Return the group of each entry: an event, or the deltas of one segment or call. */
export function grouped(entries) {
  const groups = [];
  let last = null;
  let number = -1;
  for (const { event } of entries) {
    const isMore = last && numberOf(event) !== undefined && numberOf(event) === numberOf(last) && event.type === last.type;
    if (!isMore) number += 1;
    groups.push(number);
    last = event;
  }
  return groups;
}

/** Say whether the call at `index` may run, as far as the events tell. */
export function fate(entries, index) {
  const ends = ({ event }) => ["execute", "end", "result"].includes(event.type);
  const breaks = ({ event }) => event.type === "error" && !ABOUT_RESULTS.has(event.code);
  for (let at = index - 1; at >= 0 && !ends(entries[at]); at -= 1) if (breaks(entries[at])) return "void";
  for (const entry of entries.slice(index + 1)) {
    if (breaks(entry)) return "void";
    if (ends(entry)) return entry.event.type === "execute" ? "runs" : "void";
  }
  return "waits";
}

const FATES = {
  runs: "may run: an execute follows",
  void: "never runs: its batch is void",
  waits: "may not run yet: no execute has come",
};

/** Links into the specification. */
export class Links {
  /** `top` leads to the top of the site. */
  constructor({ codes, clauses }, top = "../") {
    this.top = top;
    this.codes = codes;
    this.clauses = clauses;
  }

  clause(id) {
    const [page] = this.clauses[id] ?? [];
    return page ? make("a", { href: `${this.top}spec/${page}.html#${id}` }, id) : make("code", {}, id);
  }

  /** The clauses of a code: those of the dialect's own chapter, and of the chapters common to all. */
  ofCode(code, dialect) {
    const families = { "xml-json": ["xj"], "xml-elements": ["xe", "xj"], delimiter: ["dl", "xj"], "delimiter-upper": ["dl", "xj"] }[dialect] ?? ["tr", "fd", "xj"];
    const own = (this.codes[code] ?? []).filter((id) => ![...["xj", "xe", "dl"]].includes(id.split("-")[0]) || families.includes(id.split("-")[0]));
    const nearest = own.filter((id) => id.startsWith(`${families[0]}-`));
    return nearest.length > 0 ? own.filter((id) => nearest.includes(id) || !/^(xj|xe|dl)-/.test(id)) : own;
  }

  error(code) {
    return make("a", { href: `${this.top}spec/errors.html#err-${code}` }, code);
  }
}

/** The offending line with a caret below the offending character. */
export function caret(reading, offset) {
  const at = reading.places.index(offset);
  const start = reading.text.lastIndexOf("\n", at - 1) + 1;
  const lineEnd = reading.text.indexOf("\n", at);
  const end = lineEnd < 0 ? reading.text.length : lineEnd;
  const isNarrow = matchMedia("(max-width: 40em)").matches;
  const [from, to] = [Math.max(start, at - (isNarrow ? 20 : 40)), Math.min(end, at + (isNarrow ? 10 : 24))];
  const before = (from > start ? "…" : "") + visible(reading.text.slice(from, at));
  const after = visible(reading.text.slice(at, to)) + (to < end ? "…" : "");
  const line = 1 + (reading.text.slice(0, start).match(/\n/g)?.length ?? 0);
  const column = 1 + [...reading.text.slice(start, at)].length;
  return make(
    "div",
    { class: "pg-caret" },
    make("span", { class: "pg-small" }, `line ${line}, column ${column}`),
    make(
      "pre",
      { tabindex: "0", "aria-label": "The offending line" },
      `${before}${after || (at >= reading.text.length ? "⟨end of the text⟩" : "↵")}\n`,
      // The same text again, unseen: the caret stands right below wide characters and combining ones too.
      make("span", { class: "pg-same", "aria-hidden": "true" }, before),
      make("b", {}, "^"),
    ),
  );
}

function name(content) {
  try {
    return String(JSON.parse(content).name);
  } catch {
    return "";
  }
}

const counted = (count, one, many = `${one}s`) => `${count} ${count === 1 ? one : many}`;

/** Draws the list; `of` gives the groups, the problems of calls and what is selected. */
export class Timeline {
  constructor(list, links) {
    this.list = list;
    this.links = links;
    this.most = MOST_ITEMS;
  }

  draw({ reading, entries, groups, selected, problems }) {
    const items = [];
    const ordinals = new Map(reading.entries.filter(({ event }) => event.type === "call").map(({ index }, ordinal) => [index, ordinal]));
    for (let at = 0; at < entries.length && items.length < this.most; ) {
      let end = at + 1;
      while (end < entries.length && groups[entries[end].index] === groups[entries[at].index]) end += 1;
      const run = entries.slice(at, end);
      items.push(this.#item(reading, entries, run, groups[run[0].index], selected, problems?.[ordinals.get(run[0].index)]));
      at = end;
    }
    const shown = groups[entries.length - 1] + 1 || 0;
    if (shown > items.length) items.push(this.#more(shown - items.length));
    this.list.replaceChildren(...items);
    const heads = this.heads();
    if (heads.length > 0 && !heads.some((head) => head.tabIndex === 0)) heads[0].tabIndex = 0;
  }

  heads() {
    return [...this.list.querySelectorAll(".pg-head")];
  }

  #more(count) {
    const button = make("button", { type: "button", class: "pg-more" }, `Show ${counted(count, "more event")}`);
    button.addEventListener("click", () => {
      this.most += 2000;
      this.list.dispatchEvent(new CustomEvent("more"));
    });
    return make("li", {}, button);
  }

  #item(reading, entries, run, group, selected, problems) {
    const [{ event, from }] = run;
    const last = run.at(-1);
    const head = make(
      "button",
      { type: "button", class: "pg-head", "aria-pressed": String(group === selected), "data-group": group, tabindex: group === selected ? "0" : "-1" },
      make("span", { class: "pg-number" }, String(group + 1)),
      make("span", { class: "pg-type" }, event.type),
      make("span", { class: "pg-name" }, event.type === "call" ? name(event.content) : event.type === "call_delta" ? event.name : event.type === "error" ? event.code : ""),
      make("span", { class: "pg-where" }, `${this.#range(reading, from, last.to)} · ${this.#came(run)}`),
    );
    return make("li", { class: `pg-event pg-${event.type}`, "data-group": group }, head, ...this.#body(reading, entries, run, problems));
  }

  #range({ places }, from, to) {
    return from === to ? `at ${places.point(from)}, no text of its own` : `${places.point(from)}–${places.point(to)}`;
  }

  #came(run) {
    const [first, last] = [run[0], run.at(-1)];
    const place = ({ chunk, isClosing }) => (isClosing ? "the close" : `chunk ${chunk + 1}`);
    return first.chunk === last.chunk ? `with ${place(first)}` : `with ${place(first)} to ${place(last)}`;
  }

  #body(reading, entries, run, problems) {
    const { event, index } = run[0];
    if (event.type === "error") return this.#error(reading, event);
    if (event.content === undefined) return [];
    const content = make("pre", { class: "pg-content", tabindex: "-1" });
    let length = 0;
    for (const { event: delta } of run) {
      if (length > MOST_CONTENT) break;
      const piece = run.length > 1 ? make("span", { class: "pg-delta" }) : content;
      if (delta.content || run.length === 1) fill(piece, delta.content.slice(0, MOST_CONTENT));
      if (piece !== content && delta.content) content.append(piece);
      length += delta.content.length;
    }
    const rest = run.reduce((sum, { event: { content: text } }) => sum + text.length, 0) - MOST_CONTENT;
    if (rest > 0) content.append(make("i", {}, ` … ${counted(rest, "more character")}`));
    const notes = [];
    if (event.type === "call_delta") notes.push(make("p", { class: "pg-note" }, `the args of call ${event.index} while they come: ${counted(run.length, "delta")}. A delta never runs.`));
    else if (run.length > 1 || event.segment !== undefined) {
      const isDone = run.at(-1).event.done;
      notes.push(make("p", { class: "pg-note" }, `segment ${event.segment}: ${counted(run.length, "delta")}, ${isDone ? "done" : "not done"}`));
    }
    if (event.type === "call") notes.push(...this.#judgement(fate(entries, index), problems));
    if (event.payload) {
      const { tools_executed: all, success_count: good, failure_count: bad } = event.payload;
      notes.push(make("p", { class: "pg-note" }, `${counted(all, "tool")} executed, ${counted(good, "success", "successes")}, ${counted(bad, "failure")}`));
    }
    return [content, ...notes];
  }

  /** Say whether a call runs: it may have problems, or be in a batch that does not run. */
  #judgement(kind, found) {
    const isGood = !found || found.problems.length === 0;
    const note = isGood || kind !== "runs" ? [make("p", { class: `pg-note pg-fate-${kind}` }, FATES[kind])] : [];
    return [...note, ...this.#problems(found)];
  }

  #problems(found) {
    if (!found) return [];
    const { problems, args } = found;
    if (problems.length === 0) return [make("p", { class: "pg-note pg-good" }, `fits its tool${args === undefined ? "" : `; its arguments: ${shortened(JSON.stringify(args), 200)}`}`)];
    const items = problems.map(({ code, path, message }) => make("li", {}, make("a", { href: "../spec/validation.html#judging" }, code), " at ", make("code", {}, path || "(the call)"), ": ", message));
    return [make("div", { class: "pg-problems" }, make("p", {}, `It does not fit its tool, and fails without being run: ${counted(problems.length, "problem")}.`), make("ul", {}, ...items))];
  }

  #error(reading, event) {
    const facts = [
      make("p", {}, make("b", {}, this.links.error(event.code)), ` at ${event.offset}`, event.path === undefined ? "" : ", path ", event.path === undefined ? "" : make("code", {}, event.path), `, voids ${counted(event.calls, "call")}`),
      caret(reading, event.offset),
      make("p", { class: "pg-message" }, make("span", { class: "pg-small" }, "The message to the model: "), event.content),
    ];
    const clauses = this.links.ofCode(event.code, reading.request.dialect);
    if (clauses.length > 0) facts.push(make("p", { class: "pg-small pg-clauses" }, "Clauses: ", ...clauses.flatMap((id, at) => [at ? ", " : "", this.links.clause(id)])));
    return [make("div", { class: "pg-error-body" }, ...facts)];
  }
}
