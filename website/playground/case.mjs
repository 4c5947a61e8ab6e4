// SPDX-License-Identifier: MIT
// A conformance case (spec/schemas/case.schema.json) of what the page shows.

import { joined } from "./normal.mjs";
import { callOptions } from "./state.mjs";

const LEVELS = ["may", "should", "must"];

/** What a case tests that has no error: the clause that gives each type of event. */
const GIVEN = {
  "xml-json": { think: "xj-think", call: "xj-call", call_delta: "m-call-delta", execute: "xj-execute", result: "xj-result", end: "xj-end", respond: "xj-prose-runs" },
  "xml-elements": { think: "xe-shared", call: "xe-call", call_delta: "m-call-delta", execute: "xe-execute", result: "xe-shared", end: "xe-shared", respond: "xe-shared" },
  delimiter: { think: "dl-segments", call: "dl-call", call_delta: "m-call-delta", execute: "dl-execute", result: "dl-result", end: "dl-end", respond: "dl-segments" },
};

const MOST_CLAUSES = 4;

function clausesOf(dialect, events, links) {
  const errors = events.filter(({ type }) => type === "error");
  const given = GIVEN[dialect.replace("-upper", "")];
  const named = errors.length > 0 ? errors.flatMap(({ code }) => links.ofCode(code, dialect)) : events.map(({ type }) => given[type]);
  const known = [...new Set(named)].filter((id) => id in links.clauses && !id.startsWith("err-"));
  return known.length > 0 ? known.slice(0, MOST_CLAUSES) : ["m-segment-white"];
}

/** Write a text that holds lone halves of surrogate pairs as parts. */
function inputOf(text) {
  const lone = /([\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff])/;
  if (!lone.test(text)) return text;
  const part = (piece, index) => (index % 2 ? { surrogate: piece.charCodeAt(0).toString(16).toUpperCase() } : piece);
  return { parts: text.split(lone).map(part).filter((piece) => piece !== "") };
}

/** Return the case; `state.case` has what was said of it, and a placeholder stands for the rest. */
export function caseOf({ state, reading, links, corpus }) {
  const given = reading.entries.map(({ event }) => event);
  const { dialect, mode, start, limits, text } = state;
  const clauses = clausesOf(dialect, given, links);
  const options = {
    ...(mode === "transcript" ? { mode } : {}),
    ...(start === "think" ? { start } : {}),
    ...(Object.keys(limits).length > 0 ? { limits } : {}),
    ...callOptions(state),
    ...(state.call_deltas && state.stream === "token" ? { stream: "token" } : {}),
  };
  const input = inputOf(text);
  const levels = clauses.map((id) => links.clauses[id][1]);
  const { state: end, discarded } = reading.reply;
  return {
    id: state.case.id || `${dialect}-edit-this-id`,
    revision: 1,
    title: state.case.title || "State the rule in one line",
    dialect,
    op: "parse",
    level: LEVELS.findLast((level) => levels.includes(level)) ?? "must",
    clauses,
    requires: [
      ...(mode === "transcript" ? ["transcript"] : []),
      ...(start === "think" ? ["start"] : []),
      ...("limits" in options ? ["limits"] : []),
      ...("calls" in options ? ["sealed"] : []),
      ...("call_deltas" in options ? ["call-deltas", "token"] : []),
      ...(typeof input === "string" ? [] : ["lone-surrogates"]),
    ],
    flags: ["example"],
    why: state.case.why || "State what goes wrong if a parser breaks the rule.",
    source: "spec",
    since: corpus,
    input,
    ...(Object.keys(options).length > 0 ? { options } : {}),
    expect: { events: joined(given).map(({ raw, ...event }) => event), state: end, discarded },
  };
}
