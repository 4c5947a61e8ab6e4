// The protocols of @ai-sdk-tool/parser, which does not parse reasoning (`--without reasoning`).
import { createInterface } from "node:readline";
import { createRequire } from "node:module";
import { setImmediate as settled } from "node:timers/promises";

const require = createRequire(`${process.argv[2]}/`);
const { hermesProtocol, qwen3CoderProtocol } = require("@ai-sdk-tool/parser");
const PROTOCOLS = { hermes: hermesProtocol, "qwen3-coder": qwen3CoderProtocol };

const items = (part) => {
  if (part.type === "text-delta") return [{ content: part.delta }];
  if (part.type === "text") return [{ content: part.text }];
  return part.type === "tool-call" ? [{ call: part.toolName }, { arguments: part.input }] : [];
};

const whole = (protocol, tools, text) => protocol.parseGeneratedText({ text, tools }).flatMap(items);

const streamed = async (protocol, tools, chunks) => {
  const parser = protocol.createStreamParser({ tools });
  const writer = parser.writable.getWriter();
  const reader = parser.readable.getReader();
  const found = [];
  const reading = (async () => {
    for (let next = await reader.read(); !next.done; next = await reader.read()) found.push(...items(next.value));
  })();
  const feeds = [];
  const itemsOf = async (parts) => {
    for (const part of parts) await writer.write(part);
    // The items of a chunk arrive through the stream a moment after it has been written.
    await settled();
    return found.splice(0);
  };
  await itemsOf([{ type: "text-start", id: "1" }]);
  for (const delta of chunks) feeds.push(await itemsOf([{ type: "text-delta", id: "1", delta }]));
  await itemsOf([{ type: "text-end", id: "1" }]).then((rest) => found.unshift(...rest));
  const finish = { type: "finish", finishReason: "stop", usage: {} };
  await writer.write(finish);
  await writer.close();
  await reading;
  return { feeds, close: found };
};

for await (const line of createInterface({ input: process.stdin })) {
  const { id, format, tools, chunks } = JSON.parse(line);
  const protocol = PROTOCOLS[format]();
  const functions = tools.map(({ name, parameters }) => ({ type: "function", name, inputSchema: parameters }));
  let reply;
  try {
    reply =
      chunks.length === 1
        ? { feeds: [whole(protocol, functions, chunks[0])], close: [] }
        : await streamed(protocol, functions, chunks);
  } catch (problem) {
    reply = { error: String(problem) };
  }
  process.stdout.write(`${JSON.stringify({ id, ...reply })}\n`);
}
