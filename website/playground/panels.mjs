// SPDX-License-Identifier: MIT
// The views beside the events: what a batch answers, what a model gets to read, another dialect, a conformance case.

import { caseOf } from "./case.mjs";
import { byId, copy, make, say } from "./dom.mjs";
import { DIALECTS, wireOf } from "./state.mjs";
import { shortened } from "./text.mjs";

const ABOUT_RESULTS = new Set(["results-shape", "results-count", "results-order"]);

/** Return the whole events of a reading: the deltas of each segment joined, those of calls left out. */
export function wholeEvents(reading) {
  const whole = [];
  let open;
  for (const { event } of reading.entries) {
    if (event.type === "call_delta") continue;
    const { segment, done, ...kept } = event;
    const last = whole.at(-1);
    if (segment !== undefined && segment === open && last.type === event.type) {
      last.content += event.content;
      last.raw += event.raw;
    } else whole.push({ ...kept });
    open = segment;
  }
  return whole;
}

const withoutRaw = ({ raw, ...event }) => event;

/**
 * Return the last batch that waits for an answer: `{events, calls}`, the events that a batch takes; null where there is none.
 * In a transcript those with results are answered.
 */
export function lastBatch(events, dialect) {
  let [open, last, isVoid] = [[], null, false];
  for (const event of events) {
    // The execute of a void batch gives no event, and ends its turn nevertheless (dl-void-stop).
    if (isVoid && /^[ \t\n\r]*§execute/i.test(event.raw)) isVoid = false;
    if (event.type === "call" && !isVoid) open.push(event);
    else if (event.type === "execute") [last, open] = [{ events: [...open, event], calls: open }, []];
    else if (event.type === "error" && !ABOUT_RESULTS.has(event.code)) {
      if (!isVoid) last = { events: [...open, event], calls: [] };
      [open, isVoid] = [[], dialect.startsWith("delimiter")];
    } else if (event.type === "end") [open, isVoid] = [[], false];
    else if (event.type === "result") [open, last, isVoid] = [[], null, false];
  }
  return last && { ...last, events: last.events.map(withoutRaw) };
}

/** The outcome of each call of a batch: what was set; a failure where a call does not fit its tool; or a success. */
function outcomesOf({ state, problems }, batch, events) {
  const all = events.filter(({ type }) => type === "call");
  const first = all.indexOf(batch.calls[0]);
  return batch.calls.map((_, index) => {
    const found = problems()?.[first + index]?.problems ?? [];
    const due = found.length > 0 ? { status: "failure", content: found.map(({ message }) => message).join("\n") } : { status: "success", content: "ok" };
    return state.outcomes[index] ?? due;
  });
}

/** Write a success's content as JSON: an object or array as that value, everything else as a text. */
function jsonOf(content) {
  try {
    const value = JSON.parse(content);
    return typeof value === "object" && value !== null ? content : JSON.stringify(content);
  } catch {
    return JSON.stringify(content);
  }
}

/** The request that settles a batch, and its outcomes as JSON text. */
function settling({ state }, batch, outcomes) {
  const pairs = outcomes.flatMap(({ status, content }, index) =>
    status === "pending" ? [] : [`[${index},{"status":"${status}","content":${status === "success" ? jsonOf(content) : JSON.stringify(content)}}]`],
  );
  const request = { op: "batch", dialect: wireOf(state), events: batch.events, ending: state.ending === "" ? null : state.ending };
  return [request, { outcomes: `[${pairs.join(",")}]` }];
}

const fault = (reply) => reply.refused ?? reply.error ?? reply.crashed;

const MOST = 40_000;
const MOST_ROWS = 100;

/** Shorten what nobody reads to its end, and what a page is slow to draw. */
const readable = (text) => (text.length > MOST ? `${text.slice(0, MOST)}\n… ${(text.length - MOST).toLocaleString("en")} more characters` : text);

const shown = (text) => make("pre", { class: "pg-content", tabindex: "0" }, readable(text));

/** Show a reply's text or its refusal. */
function output(box, label, text) {
  box.replaceChildren(make("p", { class: "pg-small" }, label), shown(text));
}

function reportList(report, place) {
  if (report.length === 0) return make("p", { class: "pg-small" }, "The report is empty: nothing was changed.");
  const items = report.map((entry) => make("li", {}, make("b", {}, entry.code), ` at ${place(entry)}: ${entry.message}`));
  return make("div", { class: "pg-small" }, make("p", {}, "Report"), make("ul", {}, ...items));
}

/** Make the views; each is a function that draws its panel anew. */
export function panels(page) {
  return { results: results(page), messages: messages(page), convert: convert(page), case: conformanceCase(page) };
}

const NOT_READ = "Nothing has read the text yet.";

// --- Results --------------------------------------------------------------------------------------

function results(page) {
  const { state, desk, change, reading } = page;
  const about = make("p", { class: "pg-small" });
  const list = make("div", { class: "pg-outcomes" });
  const ending = make("select", { id: "pg-ending" }, ...[["", "stays open"], ["cancelled", "is cancelled"], ["interrupted", "is interrupted"]].map(([value, words]) => make("option", { value }, words)));
  const endingLine = make("label", {}, "What is pending ", ending);
  const event = make("div", { id: "pg-result-event" });
  const text = make("div", { id: "pg-result-text" });
  byId("pg-panel-results").append(about, list, endingLine, event, text);
  ending.addEventListener("change", () => {
    change({ ending: ending.value }, { isOther: false });
    draw();
  });
  let drawn = null;

  function row(call, index, value) {
    const { name } = JSON.parse(call.content);
    const set = (patch) => {
      change({ outcomes: { ...state.outcomes, [index]: { ...current(), ...patch } } }, { isOther: false });
      ask();
    };
    const current = () => ({ status: status.value, content: content.value });
    const status = make("select", {}, ...["success", "failure", "pending"].map((one) => make("option", {}, one)));
    const content = make("textarea", { rows: "2", spellcheck: "false" });
    [status.value, content.value] = [value.status, value.content];
    content.disabled = value.status === "pending";
    status.addEventListener("change", () => {
      content.disabled = status.value === "pending";
      set({});
    });
    content.addEventListener("input", () => set({}));
    return make(
      "fieldset",
      { class: "pg-outcome" },
      make("legend", {}, `${index + 1}. ${name} `, make("code", {}, shortened(call.content, 80))),
      make("label", {}, "Outcome ", status),
      make("label", { class: "pg-grow" }, "Content ", content),
    );
  }

  let batch = null;
  let values = [];

  function draw() {
    ending.value = state.ending;
    const one = reading();
    const events = one ? wholeEvents(one) : [];
    batch = lastBatch(events, state.dialect);
    endingLine.hidden = !batch || batch.calls.length === 0;
    event.replaceChildren();
    text.replaceChildren();
    if (!batch) {
      say(about, one ? "No batch waits for an answer: no block was executed, or its results are in the transcript." : NOT_READ);
      list.replaceChildren();
      drawn = null;
      return;
    }
    const isVoid = batch.events.at(-1).type === "error";
    const words = isVoid
      ? "The batch is void. The system answers it with one failure of the tool execute, whose content is the error's message."
      : batch.calls.length === 0
        ? "The batch is empty, and is answered at once."
        : "Enter what each call returned. Content that is a JSON object or array is returned as that value.";
    const isLong = batch.calls.length > MOST_ROWS;
    say(about, isLong ? `${words} Only the first ${MOST_ROWS} calls are listed; the others are answered all the same.` : words);
    values = outcomesOf(page, batch, events);
    const signature = JSON.stringify([batch.calls.map(({ content }) => content), values]);
    const isTyping = list.contains(document.activeElement);
    if (signature !== drawn && !isTyping) list.replaceChildren(...batch.calls.slice(0, MOST_ROWS).map((call, index) => row(call, index, values[index])));
    drawn = signature;
    ask();
  }

  function ask() {
    values = values.map((value, index) => state.outcomes[index] ?? value);
    const [request, verbatim] = settling(page, batch, values);
    desk.forget("results-text"); // it answers the result as it was before
    desk.ask("results", request, answered, verbatim);
    if (state.dialect !== "xml-json" && !page.isReady()) output(event, "No result yet", "The reference is loading.");
  }

  function answered(reply) {
    const result = reply.events?.at(-1);
    if (!result) {
      const waiting = values.filter(({ status }) => status === "pending").length;
      output(event, "No result yet", fault(reply) ?? `The batch waits for ${waiting} ${waiting === 1 ? "outcome" : "outcomes"}.`);
      text.replaceChildren();
      desk.forget("results-text");
      return;
    }
    output(event, "The result event", JSON.stringify(result, null, 2));
    const show = (written) => (written.text === undefined ? output(text, "Refused", fault(written)) : output(text, "What the model reads", written.text));
    desk.ask("results-text", { op: "results", dialect: wireOf(state) }, show, { results: result.content });
  }

  return draw;
}

// --- Messages -------------------------------------------------------------------------------------

function messages(page) {
  const { state, desk, change, reading } = page;
  const field = (name, label, element) => {
    element.value = state[name];
    element.addEventListener("input", () => {
      change({ [name]: element.value }, { isOther: false });
      draw();
    });
    return make("label", { class: "pg-block" }, `${label} `, element);
  };
  const system = make("input", { type: "text", id: "pg-system", placeholder: "none" });
  const user = make("input", { type: "text", id: "pg-user", placeholder: "none" });
  const raws = make("input", { type: "checkbox", id: "pg-raws" });
  raws.addEventListener("change", () => {
    change({ raws: raws.checked }, { isOther: false });
    draw();
  });
  const list = make("ol", { class: "pg-messages", id: "pg-messages" });
  const report = make("div", { id: "pg-report" });
  byId("pg-panel-messages").append(
    make("p", { class: "pg-small" }, "The chat messages built from these events, with the result of the last batch as in the view Results."),
    make("div", { class: "pg-row pg-fields" }, field("system", "System message", system), field("user", "User's message before it", user)),
    make("label", { class: "pg-small" }, raws, " with their raws, so that the turn is replayed to the letter"),
    list,
    report,
  );

  function draw() {
    [system.value, user.value, raws.checked] = [state.system, state.user, state.raws];
    const one = reading();
    if (!one) {
      list.replaceChildren();
      output(report, "", NOT_READ);
      return;
    }
    const events = wholeEvents(one);
    const batch = lastBatch(events, state.dialect);
    desk.forget("messages-text"); // it answers the events as they were before
    if (!batch) {
      desk.forget("messages");
      ask(events, []);
      return;
    }
    const [request, verbatim] = settling(page, batch, outcomesOf(page, batch, events));
    desk.ask("messages", request, (reply) => ask(events, reply.events ?? []), verbatim);
  }

  function ask(events, answers) {
    const said = state.raws ? events : events.map(withoutRaw);
    const before = state.user === "" ? [] : [{ type: "user", content: state.user }];
    const request = { op: "messages", dialect: wireOf(state), system: state.system === "" ? null : state.system, events: [...before, ...said, ...answers] };
    desk.ask("messages-text", request, answered);
  }

  function answered(reply) {
    if (fault(reply) !== undefined) {
      list.replaceChildren();
      output(report, "Refused", fault(reply));
      return;
    }
    const items = reply.messages.map(({ role, content }) => make("li", { class: `pg-message-${role}` }, make("b", {}, role), shown(content)));
    list.replaceChildren(...items);
    report.replaceChildren(reportList(reply.report, ({ index }) => `event ${index + 1}`));
  }

  return draw;
}

// --- Convert --------------------------------------------------------------------------------------

function convert(page) {
  const { state, desk, change } = page;
  const about = make("p", { class: "pg-small" });
  const to = make("select", { id: "pg-to" }, ...[...DIALECTS, ...page.formats].map((name) => make("option", {}, name)));
  const take = make("button", { type: "button", id: "pg-take" }, "Continue with this text");
  const text = make("div", { id: "pg-converted" });
  const report = make("div", { id: "pg-convert-report" });
  byId("pg-panel-convert").append(about, make("div", { class: "pg-row pg-fields" }, make("label", {}, "To ", to), take), text, report);
  let converted = null;

  to.addEventListener("change", () => {
    change({ to: to.value }, { isOther: false });
    draw();
  });
  take.addEventListener("click", () => change({ text: converted, dialect: to.value, to: "", mode: "transcript", position: null, example: null }));

  function draw() {
    const target = state.to || DIALECTS.find((name) => name !== state.dialect);
    to.value = target;
    say(about, `The text is read as a transcript of ${state.dialect}, and written in ${target}.`);
    converted = null;
    take.disabled = true;
    desk.ask("convert", { op: "convert", from: wireOf(state), to: target, text: state.text }, answered);
    if (!page.isReady()) {
      output(text, "", "Only the reference converts. The text appears here as soon as it is loaded.");
      report.replaceChildren();
    }
  }

  function answered(reply) {
    if (fault(reply) !== undefined) {
      output(text, "Refused", fault(reply));
      report.replaceChildren();
      return;
    }
    converted = reply.text;
    take.disabled = false;
    output(text, "The text", reply.text);
    report.replaceChildren(reportList(reply.report, ({ offset }) => offset));
  }

  return draw;
}

// --- Case -----------------------------------------------------------------------------------------

function conformanceCase(page) {
  const { state, links, manifest, change, report, reading } = page;
  const about = make("p", { class: "pg-small" }, "The text and what comes of it, as a case of the ", make("a", { href: "../spec/conformance.html#corpus" }, "corpus"), ". Say what it is about, keep the clauses that it tests, and check what is expected: a case holds what the clauses say, which need not be what a parser does.");
  const fields = ["id", "title", "why"].map((name) => {
    const input = make("input", { type: "text", id: `pg-case-${name}` });
    input.addEventListener("input", () => {
      change({ case: { ...state.case, [name]: input.value } }, { isOther: false });
      draw();
    });
    return [name, input];
  });
  const button = make("button", { type: "button", id: "pg-case-copy" }, "Copy as conformance case");
  const text = make("pre", { class: "pg-content", tabindex: "0", id: "pg-case" });
  const labels = fields.map(([name, input]) => make("label", { class: "pg-block" }, `${name} `, input));
  byId("pg-panel-case").append(about, ...labels, make("div", { class: "pg-row" }, button), text);
  let written = "";
  button.addEventListener("click", async () => report((await copy(written)) ? "The case is on the clipboard." : "Copy the case by hand."));

  function draw() {
    const one = reading();
    button.disabled = !one;
    if (!one) {
      say(text, NOT_READ);
      return;
    }
    if (!DIALECTS.includes(state.dialect)) {
      button.disabled = true;
      say(text, "A case is in one of the four dialects. Texts of formats are run by `cogwire conformance format`.");
      return;
    }
    const made = caseOf({ state, reading: one, links, corpus: manifest.versions.corpus });
    for (const [name, input] of fields) {
      input.placeholder = made[name];
      if (document.activeElement !== input) input.value = state.case[name] ?? "";
    }
    written = JSON.stringify(made, null, 2);
    say(text, readable(written));
  }

  return draw;
}
