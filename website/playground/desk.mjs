// SPDX-License-Identifier: MIT
// Asks both implementations the same, shows the reply that counts, and notes where they differ.

import { differing } from "./normal.mjs";

/** What a topic was asked last; what was asked before it is of no interest any more. */
export class Desk {
  #asked = new Map();
  #queue = Promise.resolve();
  #waiting = new Map();
  differences = new Map();
  /** How many questions were asked. */
  count = 0;

  /**
   * `heard(topic, answers)` is called after each reply, with those to the topic's last request, and
   * `changed()` whenever a question was asked, dropped or answered.
   */
  constructor(javascript, reference, heard, changed) {
    this.javascript = javascript;
    this.reference = reference;
    this.heard = heard;
    this.changed = changed;
  }

  /** Whether both have answered all that is still of interest. */
  get isSettled() {
    return [...this.#asked.values()].every(({ answers }) => answers.javascript && answers.reference);
  }

  /** Ask; `show(reply, who)` is called once or twice: with what JavaScript says, at once, and with what the reference says. */
  ask(topic, request, show, verbatim = {}) {
    const question = { topic, request, verbatim, show, answers: {} };
    this.#asked.set(topic, question);
    this.javascript.answer(request, verbatim).then((answer) => this.#take(question, "javascript", answer));
    if (this.reference.isReady) this.#askReference(question);
    else this.#waiting.set(topic, question);
    this.count += 1;
    this.changed();
  }

  /** Drop what a topic asked. */
  forget(topic) {
    this.#asked.delete(topic);
    this.#waiting.delete(topic);
    this.differences.delete(topic);
    this.changed();
  }

  /** The reference is ready: it is asked what was asked while it loaded. */
  resume() {
    for (const question of this.#waiting.values()) this.#askReference(question);
    this.#waiting.clear();
  }

  /** The reference is loaded anew: what it has not answered is asked again. */
  restart() {
    this.#queue = Promise.resolve();
    for (const [topic, question] of this.#asked) if (!question.answers.reference) this.#waiting.set(topic, question);
  }

  #isStale(question) {
    return this.#asked.get(question.topic) !== question;
  }

  /** One request after the other; what is stale when its turn comes is left out. */
  #askReference(question) {
    this.#queue = this.#queue.then(async () => {
      if (this.#isStale(question)) return;
      if (!this.reference.isReady) {
        this.#waiting.set(question.topic, question); // it broke down meanwhile
        return;
      }
      const answer = await this.reference.answer(question.request, question.verbatim);
      this.#take(question, "reference", answer);
    });
  }

  #take(question, who, answer) {
    if (this.#isStale(question)) return;
    const { topic, request, answers } = question;
    answers[who] = answer;
    const { javascript, reference } = answers;
    const isAnswer = (one) => one && one.reply.unsupported === undefined;
    if (isAnswer(javascript) && isAnswer(reference)) {
      const found = differing(request, javascript.reply, reference.reply);
      if (found) this.differences.set(topic, { ...found, op: request.op });
      else this.differences.delete(topic);
    } else this.differences.delete(topic);
    // What JavaScript says is shown until the reference has answered, which alone counts then.
    const isShown = who === "reference" ? JSON.stringify(javascript?.reply) !== JSON.stringify(answer.reply) : isAnswer(answer) && !reference;
    if (isShown) question.show(answer.reply, who);
    this.heard(topic, answers);
    this.changed();
  }
}
