// SPDX-License-Identifier: MIT
// Nothing in a snapshot is trusted (m-snapshot-trust). A value that no parser could have made is
// refused; the parser itself reads the text of an open block again.

import { countPoints, isHigh, trim, wellFormed } from "./text.mjs";

export const VERSION = 3;

const MEMBERS = [
  ...["version", "options", "kind", "pending", "region", "closed", "held", "segment", "segments"],
  ...["block", "awaiting", "discarded", "points", "unclaimed", "claimed"],
];
const REGIONS = ["prose", "start", "think", "block", "void", "results", "forged", "spoiled", "paused", "ended"];
/** The markers whose beginning may be held back, by region. */
const HOLDS = {
  prose: ["<think>", "<execute>", "<results>", "<end>"],
  start: ["<think>", "<results>"],
  think: ["</think>"],
  void: ["</execute>"],
  forged: ["</results>"],
  spoiled: ["</results>"],
};

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const isText = (value) => typeof value === "string" && wellFormed(value) === value;
const isCount = (value) => Number.isSafeInteger(value) && value >= 0;
const isNames = (value) => Array.isArray(value) && value.every((name) => isText(name) && name !== "" && name !== "execute");
const isExactly = (value, members) => isObject(value) && Object.keys(value).sort().join() === [...members].sort().join();

function isPending(pending, kind) {
  if (!Array.isArray(pending)) return false;
  if (pending.length === 0) return true;
  if (kind === "text") return pending.length === 1 && Number.isInteger(pending[0]) && pending[0] <= 0xffff && isHigh(pending[0]);
  if (kind !== "bytes" || !pending.every((byte) => isCount(byte) && byte <= 0xff)) return false;
  // These must be the beginning of one character, which decodes to exactly one replacement.
  const text = new TextDecoder("utf-8", { ignoreBOM: true }).decode(Uint8Array.from(pending));
  return pending[0] >= 0xc2 && text === "\uFFFD";
}

function isSegment(segment, { region, options, segments }) {
  if (segment === null) return true;
  if (!isExactly(segment, ["content", "white", "hasContent", "number"])) return false;
  const { content, white, hasContent, number } = segment;
  if (!isText(content) || typeof white !== "string" || trim(white) !== "" || typeof hasContent !== "boolean") return false;
  if (region !== "prose" && region !== "think") return false;
  if (!hasContent) return content === "" && white === "" && number === null;
  if (options.stream === "event") return number === null && content !== "" && trim(content) === content;
  return content === "" && isCount(number) && number === segments - 1;
}

function isBlock(block, { region, points, options }) {
  if (block === null) return region !== "block" && region !== "results";
  if (!isExactly(block, ["text", "start", "tools"]) || !isText(block.text) || !isCount(block.start)) return false;
  if (block.start + countPoints(block.text) !== points) return false;
  if (region === "block") return block.tools === null;
  return region === "results" && options.mode === "transcript" && (block.tools === null || isNames(block.tools));
}

function isAwaiting(awaiting, { region, options, segment }) {
  if (awaiting === null) return true;
  if (!isExactly(awaiting, ["tools"]) || !(awaiting.tools === null || isNames(awaiting.tools))) return false;
  return (region === "prose" || region === "start") && options.mode === "transcript" && !segment?.hasContent;
}

function isHeld({ held, region, claimed, options }) {
  if (typeof held !== "string" || !isCount(claimed)) return false;
  const markers = HOLDS[region] ?? [];
  if (held !== "" && !markers.some((marker) => marker.startsWith(held) && held !== marker)) return false;
  return claimed === 0 || (options.raw && claimed === 1 && held !== "" && (region === "void" || region === "spoiled"));
}

/** Throw a RangeError unless the value may be a snapshot of this version. */
export function checkSnapshot(value) {
  if (!isObject(value) || value.version !== VERSION) throw new RangeError("this is not a snapshot of this version");
  const isSound =
    isExactly(value, MEMBERS) &&
    isExactly(value.options, ["stream", "mode", "start", "raw", "spans", "calls", "callDeltas", "limits"]) &&
    isExactly(value.options.limits, ["size", "calls", "depth", "digits"]) &&
    typeof value.options.raw === "boolean" &&
    typeof value.options.spans === "boolean" &&
    typeof value.options.callDeltas === "boolean" &&
    [null, "text", "bytes"].includes(value.kind) &&
    isPending(value.pending, value.kind) &&
    REGIONS.includes(value.region) &&
    typeof value.closed === "boolean" &&
    isHeld(value) &&
    isCount(value.segments) &&
    isSegment(value.segment, value) &&
    isCount(value.points) &&
    isBlock(value.block, value) &&
    isAwaiting(value.awaiting, value) &&
    isCount(value.discarded) &&
    (value.discarded === 0 || value.region === "paused" || value.region === "ended") &&
    isText(value.unclaimed) &&
    (value.options.raw || value.unclaimed === "");
  if (!isSound) throw new RangeError("no parser could have made this snapshot");
}
