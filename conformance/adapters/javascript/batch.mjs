// SPDX-License-Identifier: MIT
// A batch collects calls, opens on `execute`, accepts outcomes in any order, and answers with one
// `result` (spec/batch.md). Values are those of values.mjs; invalid input throws a `Refusal`.

import { BlockReader } from "./reader.mjs";
import { CallRules } from "./rules.mjs";
import { trim } from "./text.mjs";
import { isObject, isString } from "./values.mjs";
import { frameItems, Refusal, writeItem, writeResults } from "./writer.mjs";

const ABOUT_RESULTS = ["results-shape", "results-count", "results-order"];
const CANCELLED = "Cancelled: this call has no result.";

const item = (tool, status, content) => new Map(Object.entries({ tool, status, content }));

/** Write the items; the limits apply to each item, not to their sum. */
const answer = (items) => frameItems(items.map((one, index) => writeItem(one, [index])));

/** Names that models trained on other formats give to `args` (dl-payload-args). */
const SYNONYMS = ["arguments", "input", "kwargs", "parameters", "params"];

/** The rules of a single call: `args` may be absent, unless another member takes their place (m-call-args). */
class OneCall extends CallRules {
  checkElement(names) {
    if (!names.has("args") && SYNONYMS.some((synonym) => names.has(synonym))) return super.checkElement(names);
    return super.checkElement(new Set([...names, "args"]));
  }
}

/** Return the name of the one call in this content, or undefined (b-call-content). */
export function callName(content) {
  if (!isString(content)) return undefined;
  const limits = { size: Infinity, calls: 1, depth: Infinity, digits: Infinity };
  const rules = new OneCall(limits);
  const reader = new BlockReader(rules, limits);
  const text = `[${content}]`;
  if (reader.read(text, 0)?.kind !== "element") return undefined;
  rules.accept();
  const isRest = trim(text.slice(reader.at)) === "]" && reader.read(text, reader.at) === null;
  return isRest ? rules.names[0] : undefined;
}

export class Batch {
  #names = [];
  #outcomes = null; // while the batch is open: an item for each call, or null

  /** Process an event of the stream; return the answer that it causes, if any, as an array. */
  take(event) {
    const type = isObject(event) ? event.get("type") : undefined;
    // An error of the framework itself, or one of results, which the system wrote (b-missing).
    if (type === "error" && [undefined, ...ABOUT_RESULTS].includes(event.get("code"))) return [];
    if (["call", "execute", "error"].includes(type)) this.#refuseMissing();
    if (type === "call") return this.#collect(event.get("content"));
    if (type === "execute") return this.#open();
    if (type === "error") return this.#void(event);
    if (["end", "user", "result", "interrupt", "cancelled"].includes(type)) return this.#endTurn(type);
    if (!isString(type)) throw new Refusal([], "expected an event");
    return [];
  }

  /** Accept the outcome of a call; return the answer if it was the last outcome. */
  settle(index, status, content) {
    if (this.#outcomes === null) throw new Refusal([], "no batch is open");
    if (!(index >= 0 && index < this.#outcomes.length)) throw new Refusal([index], "no call has this index");
    if (this.#outcomes[index] !== null) throw new Refusal([index], "this call already has an outcome");
    const outcome = item(this.#names[index], status, content);
    writeResults([outcome]); // refuses an outcome that cannot be written (b-outcome-value)
    this.#outcomes[index] = outcome;
    return this.#outcomes.includes(null) ? [] : this.#answer();
  }

  #collect(content) {
    const name = callName(content);
    if (name === undefined || trim(content) !== content) throw new Refusal(["content"], "not the content of one call");
    this.#names.push(name);
    return [];
  }

  #open() {
    this.#outcomes = this.#names.map(() => null);
    return this.#names.length === 0 ? this.#answer() : [];
  }

  /** Answer a void block, or forged results, with one failure (b-void). */
  #void(event) {
    this.#names = [];
    const content = answer([item("execute", "failure", event.get("content"))]);
    return [{ type: "result", content, payload: { tools_executed: 0, success_count: 0, failure_count: 1 } }];
  }

  #endTurn(type) {
    if (this.#outcomes === null) this.#names = []; // b-dropped
    if (this.#outcomes === null || !["interrupt", "cancelled"].includes(type)) return [];
    this.#outcomes = this.#outcomes.map((outcome, index) => outcome ?? item(this.#names[index], "failure", CANCELLED));
    return this.#answer();
  }

  #answer() {
    const items = this.#outcomes;
    const success_count = items.filter((one) => one.get("status") === "success").length;
    const payload = { tools_executed: items.length, success_count, failure_count: items.length - success_count };
    this.#names = [];
    this.#outcomes = null;
    return [{ type: "result", content: answer(items), payload }];
  }

  #refuseMissing() {
    if (this.#outcomes === null) return;
    const missing = this.#outcomes.flatMap((outcome, index) => (outcome === null ? [index] : []));
    throw new Refusal([], `outcomes are missing: ${missing.join(", ")}`);
  }
}
