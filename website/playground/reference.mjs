// SPDX-License-Identifier: MIT
// The reference, which a worker runs: the page's side of it.

import { lineOf } from "./javascript.mjs";

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
    this.#waiting.get(data.number)?.({ reply: JSON.parse(data.line), time: data.time });
    this.#waiting.delete(data.number);
  }

  /** Answer a request: `{reply, time}`, the time in milliseconds. */
  answer(request, verbatim) {
    const number = ++this.#count;
    this.#worker.postMessage({ kind: "ask", number, line: lineOf(request, verbatim) });
    return new Promise((resolve) => this.#waiting.set(number, resolve));
  }
}
