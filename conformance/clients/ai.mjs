// Drives npm `ai` with the streams of this folder: ai.mjs FOLDER openai|anthropic, where FOLDER has its packages.
// The message that it makes of each stream is a line of JSON, with the id of the case; readers.py compares them.
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [folder, api] = process.argv.slice(2);
const { resolve } = createRequire(`${folder}/`);
const load = (name) => import(pathToFileURL(resolve(name)));
const { streamText, tool, jsonSchema } = await load("ai");
const { createOpenAICompatible } = await load("@ai-sdk/openai-compatible");
const { createAnthropic } = await load("@ai-sdk/anthropic");
globalThis.AI_SDK_LOG_WARNINGS = false;
const cases = JSON.parse(readFileSync(new URL(`${api}.json`, import.meta.url)));

const chunk = (delta) => ({
  ...{ id: "a", object: "chat.completion.chunk", created: 1, model: "m" },
  ...("delta" in delta ? { choices: [{ index: 0, finish_reason: null, ...delta }] } : { choices: [], ...delta }),
});
const message = {
  ...{ id: "a", type: "message", role: "assistant", model: "m", content: [], stop_reason: null, stop_sequence: null },
  usage: { input_tokens: 1, output_tokens: 1 },
};
const BODIES = {
  openai: (deltas) => [...deltas.map((delta) => `data: ${JSON.stringify(chunk(delta))}\n\n`), "data: [DONE]\n\n"],
  anthropic: (deltas) =>
    [{ type: "message_start", message }, ...deltas, { type: "message_stop" }].map(
      (event) => `event: ${event.type}\ndata: ${JSON.stringify(event)}\n\n`,
    ),
};
// Its names of the reasons are its own.
const FINISHES = {
  openai: { "tool-calls": "tool_calls" },
  anthropic: { "tool-calls": "tool_use", stop: "end_turn", length: "max_tokens" },
};

for (const { id, deltas } of cases) {
  const fetch = async () =>
    new Response(BODIES[api](deltas).join(""), { headers: { "content-type": "text/event-stream" } });
  const made =
    api === "openai"
      ? createOpenAICompatible({ name: "a", baseURL: "http://a/v1", fetch })
      : createAnthropic({ apiKey: "a", fetch });
  const any = tool({ inputSchema: jsonSchema({ type: "object" }) });
  const names = new Set(JSON.stringify(deltas).match(/"name":"[^"]*"/g)?.map((found) => found.slice(8, -1)));
  const tools = Object.fromEntries([...names].map((name) => [name, any]));
  let given;
  try {
    const result = streamText({ model: made("m"), prompt: "a", tools, onError: () => {} });
    // A call whose arguments are cut off is `invalid`, has them as text, and is not run.
    const calls = (await result.toolCalls).map(({ toolCallId: id, toolName: name, input }) => ({
      ...{ id, name, arguments: input },
    }));
    const finish = await result.finishReason;
    given = { content: await result.text, calls, finish: FINISHES[api][finish] ?? finish };
  } catch (problem) {
    given = { error: problem.name };
  }
  process.stdout.write(`${JSON.stringify({ id, ...given })}\n`);
}
