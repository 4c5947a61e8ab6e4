// SPDX-License-Identifier: MIT
// Reads chat messages as events (spec/messages.md, "Reading messages").

import { NO_LIMITS } from "./options.mjs";
import { Parser } from "./parser.mjs";
import { BlockReader } from "./reader.mjs";
import { ResultRules } from "./rules.mjs";
import { trim, whiteEnd } from "./text.mjs";
import { Refusal } from "./writer.mjs";

const OPENER = "<results>";

/** Return the events in messages, `[{role, content}]` (msg-from-assistant, msg-from-user). */
export function fromMessages(messages) {
  messages.forEach(check);
  const events = [];
  let before = null; // the parser of the preceding message, if that was the assistant's, or null
  for (const { role, content } of messages) {
    if (role === "assistant") {
      before = new Parser({ mode: "transcript", limits: NO_LIMITS });
      events.push(...before.feed(content), ...before.close());
    } else if (role === "user") {
      const { result, rest } = before ? readResults(content, before.awaiting) : { result: [], rest: content };
      const text = trim(rest);
      events.push(...result, ...(text === "" ? [] : [{ type: "user", content: text }]));
      before = null;
    }
  }
  return events;
}

function check(message, index) {
  const isMessage =
    typeof message === "object" &&
    message !== null &&
    ["system", "user", "assistant"].includes(message.role) &&
    typeof message.content === "string" &&
    (message.tool_calls ?? []).length === 0;
  if (!isMessage) throw new Refusal([index], "expected a message with a role and a content, and no calls beside it");
}

/**
 * Read the results block at the start of a user's message, if it answers the message before it (msg-from-results).
 * If the assistant's message does not end with a block, they may answer a void one (msg-from-void).
 */
function readResults(content, awaiting) {
  const start = whiteEnd(content);
  const nothing = { result: [], rest: content };
  if (!content.startsWith(OPENER, start)) return nothing;
  const rules = new ResultRules(awaiting?.tools ?? null);
  const reader = new BlockReader(rules, NO_LIMITS);
  const array = reader.read(content, start + OPENER.length);
  if (array?.kind !== "element") return nothing;
  if (reader.read(content, reader.at)?.kind !== "closed") return nothing;
  const result = { type: "result", content: array.content, payload: rules.payload };
  return { result: [result], rest: content.slice(reader.at) };
}
