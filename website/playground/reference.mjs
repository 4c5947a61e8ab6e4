// SPDX-License-Identifier: MIT
// The reference, which a worker runs: the page's side of it.

import { lineOf } from "./javascript.mjs";

const LONGEST = 60_000;

/** Keep the spelling of a number that is none of JavaScript's, so that it is shown as it was written. */
const spelled = (_, value, context) =>
  typeof value === "number" && context?.source && context.source !== String(value) ? JSON.rawJSON(context.source) : value;

/** Loads once, tells how it goes on, and answers one request after the other. */
export class Reference {
  name = "the reference";
  isReady = false;
  #worker = null;
  #waiting = new Map();
  #count = 0;
  #tell;

  /** `tell` takes `{kind: "progress", loaded, total, step}`, `{kind: "ready", time}` and `{kind: "failed", message}`. */
  constructor(tell) {
    this.#tell = tell;
  }

  /** Load it; a second call begins anew. */
  load(manifest) {
    this.#worker?.terminate();
    for (const { patience } of this.#waiting.values()) clearTimeout(patience);
    this.#waiting.clear();
    this.isReady = false;
    this.#worker = new Worker(new URL("worker.mjs", import.meta.url), { type: "module" });
    this.#worker.addEventListener("message", ({ data }) => this.#hear(data));
    this.#worker.addEventListener("error", (event) => {
      event.preventDefault();
      this.#tell({ kind: "failed", message: event.message || "the worker could not be started" });
    });
    this.#worker.postMessage({ kind: "load", manifest });
  }

  #hear(data) {
    if (data.kind !== "answer") {
      this.isReady = data.kind === "ready";
      if (data.kind === "failed") this.#worker.terminate();
      this.#tell(data);
      return;
    }
    const { resolve, patience } = this.#waiting.get(data.number);
    clearTimeout(patience);
    this.#waiting.delete(data.number);
    resolve({ reply: JSON.parse(data.line, spelled), time: data.time });
  }

  /** A tool's pattern can keep a schema busy for years. */
  #giveUp(number) {
    const message = `it has not answered for ${LONGEST / 1000} seconds`;
    this.#hear({ kind: "answer", number, line: JSON.stringify({ crashed: message }), time: LONGEST });
    this.#hear({ kind: "failed", message });
  }

  /** Answer a request: `{reply, time}`, the time in milliseconds. */
  answer(request, verbatim) {
    const number = ++this.#count;
    this.#worker.postMessage({ kind: "ask", number, line: lineOf(request, verbatim) });
    const patience = setTimeout(() => this.#giveUp(number), LONGEST);
    return new Promise((resolve) => this.#waiting.set(number, { resolve, patience }));
  }
}
