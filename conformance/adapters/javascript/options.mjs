// SPDX-License-Identifier: MIT

/** The limits and their defaults (m-limits). */
export const DEFAULT_LIMITS = Object.freeze({ size: 8_388_608, calls: 256, depth: 128, digits: 1000 });

/** The limits for what was read before, perhaps with other limits (msg-from-assistant). */
export const NO_LIMITS = Object.freeze(Object.fromEntries(Object.keys(DEFAULT_LIMITS).map((name) => [name, Number.MAX_SAFE_INTEGER])));

/** Return the options, completed with the defaults; throw a RangeError for misuse (m-misuse, m-limit-values). */
export function checked({ stream = "event", mode = "turn", start = "prose", raw = false, spans = false, calls = "shown", callDeltas = false, limits = {} }) {
  if (!["event", "token"].includes(stream)) throw new RangeError(`unknown stream: ${stream}`);
  if (!["turn", "transcript"].includes(mode)) throw new RangeError(`unknown mode: ${mode}`);
  if (!["prose", "think"].includes(start)) throw new RangeError(`unknown start: ${start}`);
  if (!["shown", "sealed"].includes(calls)) throw new RangeError(`unknown calls: ${calls}`);
  if (callDeltas && stream !== "token") throw new RangeError("call deltas need the token stream");
  for (const [name, value] of Object.entries(limits)) {
    if (!Object.hasOwn(DEFAULT_LIMITS, name)) throw new RangeError(`unknown limit: ${name}`);
    if (!Number.isInteger(value) || value < 1) throw new RangeError(`the limit ${name} must be a positive integer`);
  }
  return { stream, mode, start, raw: Boolean(raw), spans: Boolean(spans), calls, callDeltas: Boolean(callDeltas), limits: { ...DEFAULT_LIMITS, ...limits } };
}
