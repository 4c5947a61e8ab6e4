// SPDX-License-Identifier: MIT
// Pairs the calls of a history with their outcomes (spec/messages.md, "Exchanges").

import { groupsAfter, callsOf, grouped, isIgnored, isVoid, refuseCalls } from "./assemble.mjs";
import { callName } from "./batch.mjs";
import { readStored } from "./stored.mjs";
import { elementTexts, memberTexts } from "./values.mjs";

/** Return the turns of these events, each call with its outcome. */
export function exchanges(events) {
  const kept = readStored(events).filter(({ event }) => !isIgnored(event)); // events that are not stored count too (msg-exchange-live)
  refuseCalls(kept);
  const ids = idsOf(events);
  const groups = grouped(kept);
  const turns = [];
  for (let at = 0; at < groups.length; at++) {
    const group = groups[at];
    if (group.kind === "user") turns.push(textTurn("user", [group]));
    else if (group.kind === "result") turns.push(modelTurn([], group, ids));
    if (group.kind !== "turn") continue;
    const following = groupsAfter(groups, at);
    const result = following.at(-1)?.kind === "result" ? following.at(-1) : null;
    const isCancelled = following[0]?.kind === "cancelled";
    const rest = isCancelled ? "cancelled" : following.length > 0 ? "missing" : "open";
    turns.push({ ...modelTurn(group.entries, result, ids, rest), cancelled: isCancelled });
    if (result) at += following.length;
  }
  return turns;
}

/** The id of each call: its own, or the number of calls before it (msg-exchange-id). */
function idsOf(events) {
  let calls = 0;
  return events.map(({ type, id }) => (type === "call" ? [String(id ?? `call_${calls}`), calls++][0] : null));
}

function textTurn(role, entries) {
  const texts = entries
    .filter(({ event }) => ["user", "think", "respond"].includes(event.type))
    .map(({ event: { type, content }, index }) => ({ index, type, content }));
  return { role, index: entries[0].index, texts, calls: [], surplus: [], cancelled: false, void: null };
}

function modelTurn(entries, result, ids, rest) {
  const turn = textTurn("assistant", result ? [...entries, result] : entries);
  const last = entries.at(-1)?.event.type;
  const error = entries.findLast(({ event }) => event.type === "error");
  const isAnswer = result !== null && isVoid(result) && last !== "execute"; // msg-exchange-void
  const calls = callsOf({ entries });
  // A block that breaks a rule ends its turn, so an error voids every call of the turn.
  const outcomes = calls.map(() => (error || isAnswer ? { status: "void", content: null } : { status: rest, content: null }));
  if (error) turn.void = error.event.content;
  if (isAnswer) {
    const [message] = JSON.parse(result.event.content).map(({ content }) => content);
    turn.void = typeof message === "string" ? message : turn.void ?? ""; // msg-exchange-void-message
  } else if (result) {
    turn.surplus = pair(error ? [] : calls, outcomes, result.event.content);
  }
  turn.calls = calls.map(({ event, index }, place) => ({
    id: ids[index],
    index,
    name: callName(event.content),
    args: memberTexts(event.content).get("args") ?? "{}",
    ...outcomes[place],
  }));
  return turn;
}

/** Set the outcomes of the last calls from the items (msg-exchange-pairs); return the surplus items. */
function pair(calls, outcomes, content) {
  const items = elementTexts(content);
  const texts = items ?? [JSON.stringify(content)];
  const own = calls.slice(Math.max(0, calls.length - texts.length));
  own.forEach(({ event }, place) => {
    const found = items ? outcomeOf(texts[place], callName(event.content)) : { status: "success", content: texts[place] };
    outcomes[calls.length - own.length + place] = found;
  });
  return texts.slice(own.length);
}

/** Return the outcome that an item states for a call of this tool (msg-exchange-status). */
function outcomeOf(text, name) {
  const { tool, status, content } = JSON.parse(text) ?? {};
  const isOutcome = tool === name && content !== undefined && (status === "success" || (status === "failure" && typeof content === "string"));
  return isOutcome ? { status, content: memberTexts(text).get("content") } : { status: "mismatch", content: text };
}
