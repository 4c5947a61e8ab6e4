// SPDX-License-Identifier: MIT
// The implementation in JavaScript: on the page's own thread, and in a worker where the request is long.

import { answer } from "./javascript/answering.mjs";

const LONG = 200_000;

/** A lone half of a surrogate pair: no encoding has it, and JSON text only as an escape. */
const LONE = /[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g;
const escaped = (half) => `\\u${half.charCodeAt(0).toString(16)}`;

/** Write a request as a line; `verbatim` has members that are JSON text already, so that numbers keep their spelling. */
export function lineOf(request, verbatim = {}) {
  const more = Object.entries(verbatim).map(([name, text]) => `,${JSON.stringify(name)}:${text.replace(LONE, escaped)}`);
  return `${JSON.stringify({ id: "1", ...request }).slice(0, -1)}${more.join("")}}`;
}

export class JavaScript {
  name = "JavaScript";
  #worker = null;
  #waiting = new Map();
  #count = 0;

  /** Answer a request: `{reply, time}`, the time in milliseconds. */
  async answer(request, verbatim) {
    if (typeof request.dialect === "object") return { reply: { unsupported: "formats" }, time: 0 };
    const line = lineOf(request, verbatim);
    if (line.length > LONG) return this.#answerElsewhere(line);
    const start = performance.now();
    const reply = answer(line);
    return { reply, time: performance.now() - start };
  }

  #answerElsewhere(line) {
    this.#worker ??= this.#start();
    const number = ++this.#count;
    this.#worker.postMessage({ number, line });
    return new Promise((resolve) => this.#waiting.set(number, resolve));
  }

  #start() {
    const worker = new Worker(new URL("javascript-worker.mjs", import.meta.url), { type: "module" });
    worker.addEventListener("message", ({ data: { number, ...answered } }) => {
      this.#waiting.get(number)(answered);
      this.#waiting.delete(number);
    });
    return worker;
  }
}
