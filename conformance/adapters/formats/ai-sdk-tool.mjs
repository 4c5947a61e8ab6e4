// The protocols of @ai-sdk-tool/parser, which do not parse reasoning (`--without reasoning`).  With the argument
// `reasoning`, extractReasoningMiddleware of ai comes before them, as it does for a model that is wrapped in both.
import { createInterface } from "node:readline";
import { createRequire } from "node:module";
import { setImmediate as settled } from "node:timers/promises";
import { pathToFileURL } from "node:url";

const [folder, part] = process.argv.slice(2);
const require = createRequire(`${folder}/`);
const { hermesProtocol, qwen3CoderProtocol } = require("@ai-sdk-tool/parser");
const PROTOCOLS = { hermes: hermesProtocol, "qwen3-coder": qwen3CoderProtocol };
const { extractReasoningMiddleware } = part ? await import(pathToFileURL(require.resolve("ai"))) : {};
// An adapter that takes nothing is not asked texts of which the prompt has begun the reasoning.
const TAKES = part ? ["start"] : [];

const items = (part) => {
  if (part.type === "text-delta") return [{ content: part.delta }];
  if (part.type === "text") return [{ content: part.text }];
  if (part.type === "reasoning-delta") return [{ reasoning: part.delta }];
  if (part.type === "reasoning") return [{ reasoning: part.text }];
  return part.type === "tool-call" ? [{ call: part.toolName }, { arguments: part.input }] : [];
};

const whole = async (protocol, middleware, tools, text) => {
  const doGenerate = async () => ({ content: [{ type: "text", text }] });
  const { content } = await (middleware ? middleware.wrapGenerate({ doGenerate }) : doGenerate());
  const parsed = (part) => (part.type === "text" ? protocol.parseGeneratedText({ text: part.text, tools }) : [part]);
  return content.flatMap(parsed).flatMap(items);
};

const streamed = async (protocol, middleware, tools, chunks) => {
  const { readable, writable } = new TransformStream();
  const doStream = async () => ({ stream: readable });
  const { stream } = await (middleware ? middleware.wrapStream({ doStream }) : doStream());
  const reader = stream.pipeThrough(protocol.createStreamParser({ tools })).getReader();
  const writer = writable.getWriter();
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
  const { id, format, tools, chunks, start, protocol: version } = JSON.parse(line);
  const protocol = PROTOCOLS[format]();
  const middleware = extractReasoningMiddleware?.({ tagName: "think", startWithReasoning: start === "think" });
  const functions = tools.map(({ name, parameters }) => ({ type: "function", name, inputSchema: parameters }));
  let reply;
  try {
    reply =
      chunks.length === 1
        ? { feeds: [await whole(protocol, middleware, functions, chunks[0])], close: [] }
        : await streamed(protocol, middleware, functions, chunks);
  } catch (problem) {
    reply = { error: String(problem) };
  }
  if (version) reply.takes = TAKES;
  process.stdout.write(`${JSON.stringify({ id, ...reply })}\n`);
}
