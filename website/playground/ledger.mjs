// SPDX-License-Identifier: MIT
// The ledger as a view: the text, in spans that are owned by the event that accounts for them.

import { make } from "./dom.mjs";
import { codePoint } from "./text.mjs";

/** More is not drawn: a page of so many spans is slow, and nobody reads it. */
const MOST_SPANS = 2500;
const MOST_CHARACTERS = 20_000;

const UNSEEN = /(\r?\n|\t+|^ +| +$| {2,}| (?=\n)|[\0-\x08\x0b-\x1f\x7f-\xa0\xad\u061c\u180e\u2000-\u200f\u2028-\u202f\u205f-\u206f\u3000\ufe00-\ufe0f\ufeff\ufff9-\ufffd])/;

function sign(piece) {
  if (piece.endsWith("\n")) return make("i", { class: "pg-line", "data-sign": piece === "\n" ? "↵" : "␍↵" }, piece);
  if (piece[0] === "\t") return make("i", { class: "pg-tab" }, piece);
  if (piece[0] === " ") return make("i", { class: "pg-spaces" }, piece);
  return make("i", { class: "pg-unseen", "data-sign": codePoint(piece) }, piece);
}

/** Fill `element` with `text`, with white space shown where it matters and control characters shown everywhere. */
export function fill(element, text) {
  const pieces = text.split(UNSEEN);
  pieces.forEach((piece, index) => {
    if (piece) element.append(index % 2 ? sign(piece) : piece);
  });
  return element;
}

/** Append the text of a part, with a mark where one chunk ends and the next begins. */
function fillCut(element, text, from, cuts) {
  let at = 0;
  for (const cut of cuts) {
    fill(element, text.slice(at, cut - from));
    element.append(make("i", { class: "pg-cut", "aria-hidden": "true" }));
    at = cut - from;
  }
  return fill(element, text.slice(at));
}

/**
 * Draw `parts` of `text` into `container`; `groups` gives the group of an event's index, `cuts` the places of the cuts to be shown.
 * Return a notice of what is left out, or "".
 */
export function drawLedger(container, { text, parts, groups, cuts, selected }) {
  const drawn = [];
  const named = new Set();
  let focusable = false;
  for (const part of parts.slice(0, MOST_SPANS)) {
    if (part.from >= MOST_CHARACTERS) break;
    const to = Math.min(part.to, MOST_CHARACTERS);
    const inside = cuts.filter((cut) => cut > part.from && cut < to);
    const span = make("span", { class: `pg-part pg-${part.kind}` });
    if (part.index === undefined) span.title = part.words;
    else {
      const group = groups[part.index];
      Object.assign(span.dataset, { group, index: part.index, ...(named.has(group) ? {} : { number: group + 1 }) });
      span.setAttribute("role", "button");
      span.setAttribute("aria-pressed", String(group === selected));
      span.tabIndex = (selected === null ? !focusable : group === selected && !named.has(group)) ? 0 : -1;
      focusable ||= span.tabIndex === 0;
      span.title = `event ${group + 1}: ${part.kind}`;
      named.add(group);
    }
    drawn.push(fillCut(span, text.slice(part.from, to), part.from, inside));
    if (cuts.includes(to) && to < text.length) drawn.push(make("i", { class: "pg-cut", "aria-hidden": "true" }));
  }
  if (!focusable) {
    const first = drawn.find((span) => span.dataset.index !== undefined);
    if (first) first.tabIndex = 0;
  }
  container.replaceChildren(...drawn);
  const isCut = parts.length > MOST_SPANS || text.length > MOST_CHARACTERS;
  return isCut ? `Only the first ${MOST_CHARACTERS.toLocaleString("en")} characters and ${MOST_SPANS.toLocaleString("en")} spans are drawn; all of the text is read.` : "";
}
