// SPDX-License-Identifier: MIT
// Why a parser has produced no event yet for some of the characters that it was fed, in words. The clauses say what may be held back
// (m-hold-back); a parser does not report which reason applies, so it is found here from the text and the state.

import { DIALECTS } from "./state.mjs";

const WHITE = " \t\n\r";

const isDelimiter = (dialect) => dialect.startsWith("delimiter");

/** The clause of a dialect's own chapter. */
const own = (dialect, { xml, elements = xml, delimiter }) =>
  isDelimiter(dialect) ? delimiter : dialect === "xml-elements" ? elements : xml;

/** Codes that are about results in a transcript: they void no block. */
const ABOUT_RESULTS = new Set(["results-shape", "results-count", "results-order"]);

const UNCLAIMED = ["It produces no event, and belongs to the next one.", "m-raw-next"];

/**
 * Divide the characters from `from` to `to` of `text`, which no event accounts for yet, and give the reason for each part.
 * `events` are those so far. Returns `{length, kind, words, clause}` for each part; the kinds are "held", "opener", "white"
 * and "skipped".
 */
export function reasons(at) {
  const parts = [];
  let from = at.from;
  const take = (length, kind, words, clause) => {
    if (length <= 0) return;
    parts.push({ length, kind, words, clause });
    from += length;
  };
  const rest = () => at.text.slice(from, at.to);
  const last = at.events.at(-1);

  if (at.state === "paused" || at.state === "ended") {
    take(rest().length, "skipped", "The block is void: everything up to its end is skipped.", own(at.dialect, { xml: "xj-skip", elements: "xe-void", delimiter: "dl-void-stop" }));
    return parts;
  }
  if (!DIALECTS.includes(at.dialect)) {
    take(rest().length, "held", "It may be part of a marker, of white space at the end of a segment, or of an incomplete call.", "m-hold-back");
    return parts;
  }
  if (last?.type === "error" && at.mode === "transcript") skipInTranscript(at, last, rest, take);
  if (!rest()) return parts;
  if (at.isSealed && (at.state === "execute" || isBatchBegun(at, rest()))) {
    take(rest().length, "held", "Calls are sealed: nothing of a batch is emitted before its execute.", "m-sealed-order");
    return parts;
  }
  if (at.state === "execute") inBlock(at, last, rest, take);
  else if (at.state === "results") take(rest().length, "held", ...ofResults(at, last));
  else inSegment(at, last, () => from, rest, take);
  take(rest().length, "opener", ...UNCLAIMED);
  return parts;
}

/** Whether a text that no event accounts for has calls of an unfinished batch, with prose between them. */
const isBatchBegun = ({ dialect }, rest) => isDelimiter(dialect) && /(^|[\n\r])[ \t]*§call:/i.test(rest);

/** In a transcript the text continues after what an error has skipped. */
function skipInTranscript(at, error, rest, take) {
  if (isDelimiter(at.dialect) || at.state === "results") return;
  const isBlock = !ABOUT_RESULTS.has(error.code) && error.code !== "forged-results";
  if (isBlock && at.state === "execute") return;
  const closer = isBlock ? "</execute>" : "</results>";
  const end = rest().indexOf(closer);
  if (end < 0) return;
  take(end + closer.length, "skipped", `${isBlock ? "The block is void" : "These results are not valid"}: everything up to ${closer} is skipped.`, isBlock ? own(at.dialect, { xml: "xj-skip", elements: "xe-void" }) : "xj-forged-transcript");
}

function ofResults({ dialect }, last) {
  if (last?.type === "error") {
    return ["These results are not valid: everything up to their end is skipped.", own(dialect, { xml: "xj-results-shape", delimiter: "dl-results-skip" })];
  }
  return ["The results are not complete: they are one event, which is emitted at their end.", own(dialect, { xml: "xj-result", delimiter: "dl-hold-results" })];
}

// --- Blocks ---------------------------------------------------------------------------------------

function inBlock(at, last, rest, take) {
  if (isDelimiter(at.dialect)) {
    inBatch(at, last, rest, take);
    return;
  }
  const isVoid = last?.type === "error" && !ABOUT_RESULTS.has(last.code) && last.code !== "forged-results" && !rest().includes("<execute>");
  if (isVoid) {
    take(rest().length, "skipped", "The block is void: nothing in it is read, up to </execute>.", own(at.dialect, { xml: "xj-skip", elements: "xe-void" }));
    return;
  }
  const opener = rest().indexOf("<execute>");
  if (opener >= 0 && last?.type !== "call") {
    take(opener + "<execute>".length, "opener", "The opener <execute> produces no event, and belongs to the next one.", "m-raw-next");
  }
  if (at.dialect === "xml-elements") inElements(at, rest, take);
  else inArray(at, rest, take);
}

const upTo = (text, pattern) => pattern.exec(text)[0].length;

function inArray({ dialect }, rest, take) {
  take(upTo(rest(), /^[ \t\n\r,[]*/), "opener", "The text between calls produces no event, and belongs to the next one.", "m-raw-next");
  if (rest().startsWith("]")) awaitCloser(dialect, rest, take);
  else take(rest().length, "held", "The call is not complete: it is emitted at its last }.", "xj-call");
}

function inElements({ dialect }, rest, take) {
  take(upTo(rest(), /^[ \t\n\r]*/), "opener", "White space in a block produces no event, and belongs to the next one.", "m-raw-next");
  if (rest() === "<") take(1, "held", "“<” may begin a call, or the closer </execute>.", "xe-block-tag");
  else if (rest().startsWith("</")) awaitCloser(dialect, rest, take);
  else take(rest().length, "held", "The call is not complete: it is emitted at the end of its element.", "xe-call");
}

function awaitCloser(dialect, rest, take) {
  const begun = rest().lastIndexOf("<");
  const clause = own(dialect, { xml: "xj-execute", elements: "xe-execute" });
  if (begun > 0) take(begun, "held", "All calls are complete, but they may not run before </execute>.", clause);
  const words = begun < 0 ? "All calls are complete, but they may not run before </execute>." : `“${rest()}” may be the beginning of “</execute>”, before which no call may run.`;
  take(rest().length, "held", words, clause);
}

function inBatch(at, last, rest, take) {
  const opener = /^[ \t\n\r]*(?:§(?:think|respond):[ \t\n\r]*)*§call:[ \t\n\r]*/i.exec(rest());
  if (opener) {
    take(opener[0].length, "opener", "The marker §call: produces no event, and belongs to the next one.", "m-raw-next");
    take(rest().length, "held", "The call is not complete: it is emitted at its last }.", "dl-call");
    return;
  }
  take(upTo(rest(), /^[ \t\n\r]*/), "white", "White space after a call produces no event, and belongs to the next one.", "m-raw-next");
  takeMarker(rest, take);
}

// --- Segments -------------------------------------------------------------------------------------

const MARKERS = {
  prose: ["<think>", "<execute>", "<results>", "<end>"],
  think: ["</think>"],
};
const LINE_MARKERS = ["§think:", "§call:", "§respond:", "§result:", "§execute", "§end", "[SYSTEM: "];
const NEED_BOUNDARY = new Set(["§execute", "§end"]);

function inSegment(at, last, from, rest, take) {
  const isOpen = at.stream === "token" && last?.segment !== undefined && !last.done;
  if (!isOpen) openers(at, rest, take);
  const begun = isDelimiter(at.dialect) ? lineMarkerAt(at, from()) : markerAt(at, rest(), last);
  const body = begun === null ? rest() : rest().slice(0, rest().length - begun);
  const said = withoutWhite(body);
  const white = body.length - said;
  if (at.stream === "event") take(said, "held", "The segment is open: in event mode it is emitted when it is over.", "m-event-mode");
  else take(said, "opener", ...UNCLAIMED);
  if (isOpen || said > 0) take(white, "white", "White space that may end the segment.", "m-segment-trim");
  else take(white, at.isClosed ? "opener" : "white", "White space alone is not a segment, and no segment begins with it.", "m-segment-white");
  if (begun === null || at.isClosed) return;
  if (isDelimiter(at.dialect)) takeMarker(rest, take);
  else takePrefix(at, rest, take, last);
}

/** Return the length of `text` without the white space at its end. */
function withoutWhite(text) {
  let length = text.length;
  while (length > 0 && WHITE.includes(text[length - 1])) length -= 1;
  return length;
}

/** Take the markers at the front that open the segment, with segments of only white space. */
function openers(at, rest, take) {
  if (isDelimiter(at.dialect)) {
    // The execute of a void batch produces no event (dl-void-stop).
    const marker = /^[ \t\n\r]*(?:§(?:(?:think|respond):|execute(?=[ \t\n\r§]))[ \t\n\r]*)+/i.exec(rest());
    if (marker) take(marker[0].length, "opener", "A marker produces no event, and belongs to the next one.", "m-raw-next");
    return;
  }
  const pattern = at.state === "think" ? /^[ \t\n\r]*(?:<think>[ \t\n\r]*<\/think>[ \t\n\r]*)*<think>[ \t\n\r]*/ : /^[ \t\n\r]*(?:<think>[ \t\n\r]*<\/think>[ \t\n\r]*)+/;
  const marker = pattern.exec(rest());
  if (marker) take(marker[0].length, "opener", "An opener, and a segment of white space, produce no event, and belong to the next one.", "m-raw-next");
}

/** What is live besides where a turn may begin in a think: its own opener, and the results of the batch before. */
function atStart({ start, state, mode }, last) {
  if (start !== "think" || state !== "think" || last?.type === "think") return [];
  const mayBeAnswered = mode === "transcript" && (last?.type === "execute" || last?.type === "error");
  return mayBeAnswered ? ["<think>", "<results>"] : ["<think>"];
}

const live = (at, last) => [...MARKERS[at.state === "think" ? "think" : "prose"], ...atStart(at, last)];

/** Return the length of the longest end of `text` that begins a live marker, or null. */
function markerAt(at, text, last) {
  const markers = live(at, last);
  for (let length = Math.min(9, text.length); length > 0; length -= 1) {
    const end = text.slice(-length);
    if (markers.some((marker) => marker.length > length && marker.startsWith(end))) return length;
  }
  return null;
}

const listed = (names) => (names.length > 1 ? `${names.slice(0, -1).join(", ")} or ${names.at(-1)}` : names[0]);

const quoted = (text) => `“${text}”`;

function takePrefix(at, rest, take, last) {
  const meant = live(at, last).filter((marker) => marker.startsWith(rest()));
  take(rest().length, "held", `${quoted(rest())} may be the beginning of ${listed(meant.map(quoted))}.`, "m-hold-back");
}

/** Return the length of an end of the text that may be a marker at a fresh place, or null. */
function lineMarkerAt(at, from) {
  const begun = Math.max(at.text.lastIndexOf("§", at.to - 1), at.text.lastIndexOf("[", at.to - 1));
  if (begun < from || begun >= at.to) return null;
  const end = at.text.slice(begun, at.to);
  if (!LINE_MARKERS.some((marker) => begins(marker, end))) return null;
  const before = at.text.slice(0, begun);
  return isFresh(at, before) ? end.length : null;
}

/** Whether a marker would be live behind `before` (dl-fresh). */
function isFresh(at, before) {
  const isPartBefore = ["call", "result", "end"].includes(at.events.at(-1)?.type);
  for (let end = before.length; ; ) {
    const from = withoutWhite(before.slice(0, end));
    if (from === 0 || /[\n\r]/.test(before.slice(from, end)) || (isPartBefore && from <= at.from)) return true;
    const marker = /§(?:(?:think|respond):|execute)$/i.exec(before.slice(Math.max(0, from - 9), from));
    if (!marker) return false;
    end = from - marker[0].length;
  }
}

/** Only the letters of ASCII have two cases. */
const lower = (text) => text.replace(/[A-Z]/g, (letter) => letter.toLowerCase());
const begins = (marker, text) => (marker.startsWith("[") ? marker.startsWith(text) : marker.startsWith(lower(text)));

function takeMarker(rest, take) {
  const text = rest();
  if (!text) return;
  if (NEED_BOUNDARY.has(lower(text))) {
    take(text.length, "held", `${quoted(text)} is a marker only if white space, a § or the end of the text follows.`, "dl-hold-boundary");
    return;
  }
  if (LINE_MARKERS.some((marker) => marker.length === text.length && begins(marker, text))) {
    take(text.length, "opener", "A marker produces no event, and belongs to the next one.", "m-raw-next");
    return;
  }
  const meant = LINE_MARKERS.filter((marker) => begins(marker, text));
  if (meant.length > 0) take(text.length, "held", `${quoted(text)} may be the beginning of ${listed(meant.map(quoted))}.`, "m-hold-back");
}
