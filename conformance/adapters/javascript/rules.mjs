// SPDX-License-Identifier: MIT
// What the elements of a block (xj-block) and the items of a results block (xj-results) must be.
// A broken rule is `{code, expected}`; the reader adds the path and the character.

const broken = (code, expected) => ({ code, expected });

/** The rules of a block: objects with `name` and `args`. */
export class CallRules {
  closer = "</execute>";
  region = "execute";
  capturesArray = false;
  /** The names of the calls so far. */
  names = [];
  /** The name of the open call, once it is known. */
  name = null;

  constructor(limits) {
    this.limits = limits;
  }

  codeOf(code) {
    return code;
  }

  /** Whether the rules need the value of this member if it is a string. */
  needsValue(member) {
    return member === "name";
  }

  /** Check the first character of a value. */
  checkValueStart(reader, character) {
    if (reader.depth === 1) {
      if (character !== "{") return broken("not-object", "an object with `name` and `args`");
      if (reader.index >= this.limits.calls) return broken("limit-calls", `no more calls than ${this.limits.calls}`);
      this.name = null;
    }
    if (reader.member === "name" && character !== '"') return broken("bad-name", "a string, the name of a tool");
    if (reader.member === "args" && character !== "{") return broken("bad-args", "an object, the arguments by name");
    return null;
  }

  /** Check a complete string that `needsValue` asked for. */
  checkString(_reader, value) {
    if (value === "") return broken("bad-name", "the name of a tool");
    if (value === "execute") return broken("bad-name", "the name of a tool, and `execute` is reserved");
    this.name = value;
    return null;
  }

  /** Check the name of a member of an element, beside the names before it. */
  checkName() {
    return null;
  }

  checkElement(names) {
    if (!names.has("name")) return broken("missing-name", "a member `name`");
    if (!names.has("args")) return broken("missing-args", "a member `args`");
    return null;
  }

  checkArray() {
    return null;
  }

  /** Record an element that passed all checks. */
  accept() {
    this.names.push(this.name);
  }
}

/** The rules of a results block that answers calls of `tools`, or a void block if that is null. */
export class ResultRules {
  closer = "</results>";
  region = "results";
  capturesArray = true;
  names = []; // results contain no calls that an error could void
  count = { success: 0, failure: 0 };
  #status = null;
  #isText = false;

  constructor(tools) {
    this.isVoid = tools === null;
    this.tools = tools ?? ["execute"]; // xj-results-void
  }

  get payload() {
    const { success, failure } = this.count;
    return { tools_executed: this.isVoid ? 0 : success + failure, success_count: success, failure_count: failure };
  }

  /** Every other code of a block is `results-shape` here (xj-results-shape). */
  codeOf(code) {
    return code === "results-count" || code === "results-order" ? code : "results-shape";
  }

  needsValue(member) {
    return member === "tool" || member === "status";
  }

  checkValueStart(reader, character) {
    if (reader.depth === 1) {
      if (character !== "{") return broken("results-shape", "an object with `tool`, `status` and `content`");
      if (reader.index >= this.tools.length) return broken("results-count", "no more items than there were calls");
    }
    if (this.needsValue(reader.member) && character !== '"') return broken("results-shape", "a string");
    if (reader.member === "content") this.#isText = character === '"';
    return null;
  }

  checkString(reader, value) {
    const tool = this.tools[reader.index];
    if (reader.member === "tool" && value !== tool) return broken("results-order", `the tool ${JSON.stringify(tool)}`);
    if (reader.member === "status") {
      if (value !== "success" && value !== "failure") return broken("results-shape", "`success` or `failure`");
      this.#status = value;
    }
    return null;
  }

  checkName() {
    return null;
  }

  checkElement(names) {
    for (const member of ["tool", "status", "content"]) {
      if (!names.has(member)) return broken("results-shape", `a member \`${member}\``);
    }
    if (this.#status === "failure" && !this.#isText) return broken("results-shape", "a string as the content of a failure");
    if (this.#status === "success" && this.isVoid) return broken("results-shape", "a failure, because it answers a void block");
    this.count[this.#status]++;
    return null;
  }

  checkArray(reader) {
    const missing = this.tools.length - this.count.success - this.count.failure;
    return missing > 0 ? broken("results-count", `${missing} more of the ${this.tools.length} results`) : null;
  }
}
