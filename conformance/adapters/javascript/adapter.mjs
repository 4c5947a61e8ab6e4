// SPDX-License-Identifier: MIT
// The adapter protocol (spec/adapter.md) as a process: one JSON object per line, in and out.

import { answer } from "./answering.mjs";

const utf8 = new TextDecoder("utf-8", { ignoreBOM: true, fatal: true });

function answerBytes(bytes) {
  let line;
  try {
    line = utf8.decode(bytes);
  } catch {
    return { id: null, error: "the line is not UTF-8" };
  }
  return answer(line);
}

/** Read lines until the input ends; answer all the lines that a chunk completes in one write. */
async function serve(input, output) {
  let parts = []; // of the line that is not yet complete
  for await (const chunk of input) {
    const replies = [];
    let start = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, start)) {
      parts.push(chunk.subarray(start, end));
      replies.push(`${JSON.stringify(answerBytes(Buffer.concat(parts)))}\n`);
      parts = [];
      start = end + 1;
    }
    parts.push(chunk.subarray(start));
    if (replies.length > 0 && !output.write(replies.join(""))) await new Promise((done) => output.once("drain", done));
  }
  const rest = Buffer.concat(parts);
  if (rest.length > 0) output.write(`${JSON.stringify(answerBytes(rest))}\n`);
}

await serve(process.stdin, process.stdout);
