// SPDX-License-Identifier: MIT
// Answers long requests, so that the page does not stand still.

import { answer } from "./javascript/answering.mjs";

addEventListener("message", ({ data: { number, line } }) => {
  const start = performance.now();
  const reply = answer(line);
  postMessage({ number, reply, time: performance.now() - start });
});
