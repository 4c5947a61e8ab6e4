// SPDX-License-Identifier: MIT
// Run with `node --test`. The expected values were written by hand from the specification.

import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { answer } from "./answering.mjs";
import { unread } from "./described.mjs";
import { Parser } from "./parser.mjs";
import { refusal } from "./refusing.mjs";

/** Read chunks; return the events and the state afterwards. */
function read(chunks, options = {}) {
  const parser = new Parser(options);
  const events = [];
  for (const chunk of chunks) events.push(...parser.feed(chunk));
  events.push(...parser.close());
  return { events, state: parser.state, discarded: parser.discarded, tail: parser.tail };
}

const short = ({ type, code, offset, path, calls, content }) =>
  type === "error" ? [code, offset, ...(path === undefined ? [] : [path]), calls] : content === undefined ? type : [type, content];

const shorts = (text, options) => read([text], options).events.map(short);

const CALL = '{"name": "ls", "args": {}}';
const RESULT = '{"tool": "ls", "status": "success", "content": 1}';

test("a turn: think, prose, calls, and the hard stop", () => {
  const { events, state, discarded } = read([`<think> a </think>\n\nHi. <execute>[${CALL}]</execute> x😀`]);
  assert.deepEqual(events, [
    { type: "think", content: "a" },
    { type: "respond", content: "Hi." },
    { type: "call", content: CALL },
    { type: "execute" },
  ]);
  assert.deepEqual([state, discarded], ["paused", 3]);
});

test("markers are live anywhere in prose, and text similar to a marker is not one", () => {
  assert.deepEqual(shorts("<THINK>no</THINK> </think> <exec<think>a<think>b</think> See &lt;execute>.<end>"), [
    ["respond", "<THINK>no</THINK> </think> <exec"],
    ["think", "a<think>b"],
    ["respond", "See &lt;execute>."],
    "end",
  ]);
});

test("only four characters are white space", () => {
  assert.deepEqual(shorts("\t\r\n x\u00a0\u2028\u001f \n"), [["respond", "x\u00a0\u2028\u001f"]]);
  assert.deepEqual(shorts("\ufeff\0"), [["respond", "\ufeff\0"]]);
});

test("a high surrogate at the end does not join with one before it", () => {
  for (const chunks of [["\ud83d\udbff"], ["\ud83d", "\udbff"], ["\udbff", "", "\ud83d"]]) {
    assert.deepEqual(read(chunks, { raw: true }).events, [{ type: "respond", content: "\ufffd\ufffd", raw: "\ufffd\ufffd" }]);
  }
});

test("token mode emits text as soon as possible, and ends each segment", () => {
  const parser = new Parser({ stream: "token" });
  assert.deepEqual(parser.feed("<think>I ne"), [{ type: "think", content: "I ne", segment: 0 }]);
  assert.deepEqual(parser.feed("ed it. </thi"), [{ type: "think", content: "ed it.", segment: 0 }]);
  assert.deepEqual(parser.feed("nk>"), [{ type: "think", content: "", segment: 0, done: true }]);
  assert.deepEqual(parser.feed("a <"), [{ type: "respond", content: "a", segment: 1 }]);
  assert.deepEqual(parser.feed("/"), [{ type: "respond", content: " </", segment: 1 }]);
  assert.deepEqual(parser.close(), [{ type: "respond", content: "", segment: 1, done: true }]);
});

test("start in think: one opener is skipped, and the next turn starts in think as well", () => {
  const parser = new Parser({ start: "think" });
  assert.equal(parser.state, "think");
  assert.deepEqual([...parser.feed(" <thi"), ...parser.feed("nk>a</think>b<end>")].map(short), [["think", "a"], ["respond", "b"], "end"]);
  parser.nextTurn();
  assert.deepEqual([...parser.feed("<thin"), ...parser.close()].map(short), [["think", "<thin"]]);
});

test("the ledger: every character is in a raw, in the tail, or discarded", () => {
  const { events, tail, discarded } = read(["a <thi", `nk> </think>b<execute>[${CALL},`, "x😀]</execute>!"], { raw: true });
  assert.deepEqual(
    events.map((event) => event.raw),
    ["a ", "<think> </think>b", `<execute>[${CALL}`, ",x"],
  );
  assert.deepEqual([tail, discarded], ["😀]</execute>", 1]);
});

const ERRORS = [
  ["", "not-array", 9, undefined],
  ["NaN", "not-array", 9, undefined],
  ["[] x", "trailing-text", 12, undefined],
  ["[]</exe", "trailing-text", 16, undefined],
  ["[Sure]", "json-syntax", 10, "/0"],
  ["[1]", "not-object", 10, "/0"],
  ["[{}]", "missing-name", 11, "/0"],
  ['[{"name":1', "bad-name", 18, "/0/name"],
  ['[{"name":"execute"', "bad-name", 26, "/0/name"],
  ['[{"name":"a"}', "missing-args", 21, "/0"],
  ['[{"name":"a","args":[]', "bad-args", 29, "/0/args"],
  ['[{"a/~":{"b":1,"\\u0062"', "duplicate-key", 31, "/0/a~1~0/b"],
  ['[{"x":01', "json-syntax", 16, "/0/x"],
  ['[{"x":1e999}', "number-range", 20, "/0/x"],
  ['[{"x":1e999<', "json-syntax", 20, "/0/x"],
  ['[{"x":"\\udc00"', "lone-surrogate", 21, "/0/x"],
  ['[{"x":"\\ud83d"', "lone-surrogate", 22, "/0/x"],
  ['[{"x":"\\ud83d\\u0041"', "lone-surrogate", 27, "/0/x"],
  ['[{"x":"\\ud83d\\n"', "lone-surrogate", 23, "/0/x"],
  ['[{"x":"\\ud83d\\x"', "json-syntax", 23, "/0/x"],
  ['[{"x":"\n"', "json-syntax", 16, "/0/x"],
  ['[{"😀":tru ', "json-syntax", 18, "/0/😀"],
  ['[{"x":"\ud83d"', "bad-encoding", 16, "/0/x"],
];

for (const [block, code, offset, path] of ERRORS) {
  test(`a block of ${JSON.stringify(block)} is ${code}`, () => {
    const { events, state, discarded } = read([`<execute>${block}</execute>!`]);
    assert.deepEqual(events.map(short), [[code, offset, ...(path === undefined ? [] : [path]), 0]]);
    assert.deepEqual([state, discarded], ["paused", 1]);
    assert.ok(events[0].content.length > 40);
  });
}

test("a text that ends in a block is one error, wherever it ends", () => {
  assert.deepEqual(shorts('<execute>[{"name":"a","args":{"t":"é'), [["unclosed-execute", 36, "/0/args/t", 0]]);
  assert.deepEqual(shorts(`<execute>[${CALL}]</exec`), [["call", CALL], ["unclosed-execute", 43, 1]]);
  assert.deepEqual(read(["<execute>x"]).state, "execute");
});

test("strings hide the closer, and numbers keep their digits", () => {
  const call = '{"args":{"c":"</execute><end>","n":[9007199254740993,-0,1E-400]},"id":null,"n\\u0061me":"a"}';
  assert.deepEqual(shorts(`<execute>[${call}]</execute>`), [["call", call], "execute"]);
});

test("each limit is exact", () => {
  const limits = { size: 34, calls: 1, depth: 3, digits: 2 };
  const blocks = ['[{"name":"é😀","args":{"x":12}}   ]', `[${CALL},{`, '[{"name":"a","args":{"x":[', '[{"name":"a","args":{"x":1.23'];
  const read = (block) => shorts(`<execute>${block}</execute>`, { limits });
  assert.deepEqual(read(blocks[0]).at(-1), "execute");
  assert.deepEqual(read(`${blocks[0]} `).at(-1), ["limit-size", 43, 1]);
  assert.deepEqual(read(blocks[1]).at(-1), ["limit-calls", 37, "/1", 1]);
  assert.deepEqual(read(blocks[2]), [["limit-depth", 34, "/0/args/x", 0]]);
  assert.deepEqual(read(blocks[3]), [["limit-digits", 37, "/0/args/x", 0]]);
});

test("a transcript reads results that answer a block, and skips any others", () => {
  const mode = "transcript";
  const block = `<execute>[${CALL}]</execute>`;
  const { events, state } = read([`${block}\n<results> [${RESULT}] </results>Done.`], { mode });
  assert.deepEqual(events[2], {
    type: "result",
    content: `[${RESULT}]`,
    payload: { tools_executed: 1, success_count: 1, failure_count: 0 },
  });
  assert.deepEqual([short(events[3]), state], [["respond", "Done."], "prose"]);
  const rest = (text) => shorts(text, { mode }).slice(2);
  assert.deepEqual(rest(`${block}<results>[]</results>`), [["results-count", 57, "/0", 0]]);
  assert.deepEqual(rest(`${block}<results>[{"tool":"x"}]</results>a`), [["results-order", 67, "/0/tool", 0], ["respond", "a"]]);
  assert.deepEqual(rest(`${block}<results>[{"status":"ok"`), [["results-shape", 70, "/0/status", 0]]);
  assert.deepEqual(rest(`${block}a<results>[</results>b`), [["respond", "a"], ["forged-results", 48, 0], ["respond", "b"]]);
});

test("a void block is answered by one failure of execute", () => {
  const answered = '<execute>x</execute><results>[{"tool":"execute","status":"failure","content":""}]</results>';
  const { events } = read([answered], { mode: "transcript" });
  assert.deepEqual(events[1].payload, { tools_executed: 0, success_count: 0, failure_count: 1 });
});

test("bytes: one replacement for each maximal subpart, for every chunking", () => {
  const cases = [
    [[0xe2, 0x82, 0x41], "\ufffdA"],
    [[0x41, 0xe2, 0x82], "A\ufffd"],
    [[0xc0, 0xaf], "\ufffd\ufffd"],
    [[0xed, 0xa0, 0x80], "\ufffd\ufffd\ufffd"],
    [[0xf0, 0x9f, 0x92, 0xf0, 0x9f, 0x92, 0xa9], "\ufffd\u{1f4a9}"],
    [[0xf4, 0x90, 0x80, 0x80], "\ufffd\ufffd\ufffd\ufffd"],
    [[0xef, 0xbb, 0xbf, 0x41], "\ufeffA"],
  ];
  for (const [bytes, content] of cases) {
    const whole = [Uint8Array.from(bytes)];
    const single = bytes.map((byte) => Uint8Array.of(byte));
    for (const chunks of [whole, single]) assert.deepEqual(read(chunks).events, [{ type: "respond", content }]);
  }
});

test("surrogates join across chunks, and a lone one is replaced", () => {
  assert.deepEqual(read(["a\ud83d", "", "\ude00\ude00b\ud83d"]).events.map(short), [["respond", "a😀\ufffdb\ufffd"]]);
  assert.equal(read(["<end>\ud83d", "\ude00\ud83d"]).discarded, 2);
  assert.deepEqual(shorts('<execute>[{"name":"\ufffd","args":{}}]</execute>').at(-1), "execute");
});

test("every cut of a text gives the same events", () => {
  const text = `<think>a</think> é😀 <execute>[${CALL}, {"name": "\\ud83d\\ude00", "args": {"x": -1.5e3}}] </execute>z<results>[${RESULT}`;
  for (const mode of ["turn", "transcript"]) {
    const whole = read([text], { mode, raw: true });
    for (let at = 0; at <= text.length; at++) {
      assert.deepEqual(read([text.slice(0, at), text.slice(at)], { mode, raw: true }), whole);
    }
    assert.deepEqual(read([...text], { mode, raw: true }), whole);
  }
});

test("a restored parser continues as the original would have", () => {
  const text = `a<think>b</think> <execute>[${CALL},{"name":"😀","args":{}}]</execute> <results>[${RESULT},{"tool":"😀"`;
  const transcript = { mode: "transcript", stream: "token", raw: true };
  for (const options of [transcript, { ...transcript, spans: true, calls: "sealed", callDeltas: true }]) {
    const expected = read([...text], options);
    let parser = new Parser(options);
    const events = [];
    for (const character of text) {
      events.push(...parser.feed(character));
      parser = Parser.restore(JSON.parse(JSON.stringify(parser.snapshot())));
    }
    events.push(...parser.close());
    assert.deepEqual({ events, state: parser.state, discarded: parser.discarded, tail: parser.tail }, expected);
  }
});

test("a span is the place of an event's content, in code points", () => {
  const text = `<think> 😀 look </think> Hi. <execute>[${CALL}, x`;
  const expected = [
    ["think", "😀 look", [8, 14]],
    ["respond", "Hi.", [24, 27]],
    ["call", CALL, [38, 64]],
    ["error", undefined, [66, 67]],
  ];
  const spansOf = (chunks, options) =>
    read(chunks, { spans: true, ...options }).events.map(({ type, content, span }) => [type, type === "error" ? undefined : content, span]);
  for (const chunks of [[text], [...text]]) assert.deepEqual(spansOf(chunks), expected);
  assert.deepEqual(spansOf(["<execute>[]</execute>"]), [["execute", undefined, [11, 21]]]);
  assert.deepEqual(spansOf([" <end>"]), [["end", undefined, [1, 6]]]);
  assert.deepEqual(spansOf(["<execute>["]), [["error", undefined, [10, 10]]]);
  const deltas = spansOf(["a", " b ", "<think>"], { stream: "token" });
  assert.deepEqual(deltas, [["respond", "a", [0, 1]], ["respond", " b", [1, 3]], ["respond", "", [3, 3]]]);
  const results = spansOf([`<execute>[${CALL}]</execute> <results>[${RESULT}]</results>`], { mode: "transcript" });
  assert.deepEqual(results.at(-1)[2], [48, 48 + 9 + 1 + RESULT.length + 1 + 10]);
  assert.deepEqual(spansOf(["a<results>"]).at(-1), ["error", undefined, [1, 2]]);
});

test("a sealed call is emitted with its execute, and the error accounts for calls that are never emitted", () => {
  const parser = new Parser({ calls: "sealed", raw: true });
  assert.deepEqual(parser.feed(`<execute>[${CALL}`), []);
  assert.equal(parser.tail, `<execute>[${CALL}`);
  assert.deepEqual(parser.feed("]</execute>").map((event) => event.type), ["call", "execute"]);
  const { events } = read([`<execute>[${CALL},x`], { calls: "sealed", raw: true });
  assert.deepEqual(events.map(({ type, raw }) => [type, raw]), [["error", `<execute>[${CALL},x`]]);
});

test("the args of a call are emitted as they arrive, once its name is known", () => {
  const parser = new Parser({ stream: "token", callDeltas: true });
  const deltas = (chunk) => parser.feed(chunk).map(({ type, index, name, content }) => [type, index, name, content]);
  assert.deepEqual(deltas('<execute>[{"args": {"a": 1'), []);
  assert.deepEqual(deltas('}, "name": "ls"'), [["call_delta", 0, "ls", '{"a": 1}']]);
  assert.deepEqual(deltas("}")[0][0], "call");
  const [delta, error] = parser.feed(',{"name": "cd", "args": {"b": x');
  assert.deepEqual(delta, { type: "call_delta", index: 1, name: "cd", content: '{"b": ' });
  assert.equal(error.code, "json-syntax");
});

test("a snapshot that no parser could have made is refused", () => {
  const parser = new Parser({ raw: true });
  parser.feed(`a <execute>[${CALL},`);
  const value = parser.snapshot();
  const damages = [
    { version: 2 },
    { region: "nowhere" },
    { held: "<x" },
    { points: -1 },
    { pending: [300] },
    { block: null },
    { block: { ...value.block, text: "[x" } },
    { options: { ...value.options, limits: {} } },
    { extra: 1 },
  ];
  for (const damage of damages) assert.throws(() => Parser.restore({ ...value, ...damage }), RangeError);
  const sealed = new Parser({ raw: true, calls: "sealed" });
  sealed.feed(`a <execute>[${CALL},`);
  assert.throws(() => Parser.restore({ ...sealed.snapshot(), unclaimed: "b" }), RangeError);
  for (const other of [null, 1, "x", [], {}]) assert.throws(() => Parser.restore(other), RangeError);
});

test("each part of a snapshot is one that the others allow", () => {
  const turn = `<execute>[${CALL}]</execute>`;
  const names = ["ls", [1], [""], ["execute"], ["\ud800"]];
  const waits = names.map((tools) => ({ awaiting: { tools } }));
  const blocks = names.map((tools) => ({ block: { tools } }));
  const rows = [
    [{ mode: "transcript" }, turn, [...waits, { awaiting: { extra: 1 } }, { region: "think" }, { options: { mode: "turn" } }]],
    [{ mode: "transcript" }, `${turn}<results>[`, [...blocks, { block: { start: -1 } }, { options: { mode: "turn" } }, { region: "block" }]],
    [{ stream: "token" }, "ab ", [{ segment: { number: 1 } }, { segment: { content: "x" } }, { segments: 2 }, { segment: { white: "x" } }]],
    [{}, "ab ", [{ segment: { content: " ab" } }, { segment: { content: "" } }, { segment: { number: 0 } }, { segment: { hasContent: 1 } }]],
    [{}, "ab ", [{ discarded: 1 }, { region: "start" }, { kind: "lines" }, { closed: 0 }, { unclaimed: "b" }, { claimed: 1 }]],
    [{}, Uint8Array.of(0x61, 0xe2, 0x82), [{ pending: [0x41] }, { pending: [0xc2, 0x80] }, { pending: [0x82] }, { kind: "text" }, { kind: null }]],
    [{}, "a\ud83d", [{ pending: [0xdc00] }, { pending: [0xd83d, 0xd83d] }, { pending: [0x1d83d] }, { pending: ["a"] }, { pending: "a" }]],
    [{}, "a <thi", [{ held: "<think>" }, { held: "</th" }, { held: 1 }, { region: "think" }]],
    [{ raw: true }, "<execute>[x </", [{ held: "", claimed: 1 }, { claimed: 2 }, { held: "<th" }, { options: { raw: 1 } }]],
  ];
  for (const [options, text, damages] of rows) {
    const parser = new Parser(options);
    parser.feed(text);
    const value = parser.snapshot();
    Parser.restore(value);
    for (const damage of damages) {
      const [[name, changed]] = Object.entries(damage);
      const isPart = typeof changed === "object" && !Array.isArray(changed);
      const other = { ...value, ...damage, ...(isPart ? { [name]: { ...value[name], ...changed } } : {}) };
      assert.throws(() => Parser.restore(other), RangeError, JSON.stringify(damage));
    }
  }
});

test("misuse is refused and changes nothing", () => {
  const parser = new Parser();
  parser.feed("a");
  assert.throws(() => parser.feed(Uint8Array.of(65)), TypeError);
  assert.throws(() => parser.feed(null), TypeError);
  assert.throws(() => parser.nextTurn(), TypeError);
  assert.deepEqual(parser.close(), [{ type: "respond", content: "a" }]);
  assert.deepEqual(parser.close(), []);
  assert.throws(() => parser.feed("b"), TypeError);
  assert.throws(() => new Parser({ limits: { size: 0 } }), RangeError);
  assert.throws(() => new Parser({ mode: "x" }), RangeError);
  assert.throws(() => new Parser({ calls: "x" }), RangeError);
  assert.throws(() => new Parser({ callDeltas: true }), RangeError);
});

test("a clock stamps events, and is read before anything changes", () => {
  let time = 5;
  const parser = new Parser({ clock: () => (time > 5 ? assert.fail() : time) });
  assert.deepEqual(parser.feed("<end>"), [{ type: "end", timestamp: 5 }]);
  time = 6;
  parser.nextTurn();
  assert.throws(() => parser.feed("<end>"));
  time = 5;
  assert.equal(parser.feed("<end>").length, 1);
});

test("long texts need neither a deep stack nor quadratic time", () => {
  const long = 300_000;
  const white = " ".repeat(long);
  assert.equal(read([`a${white}b`, ...white, "c"]).events[0].content.length, 2 * long + 3);
  assert.equal(shorts(`<execute>[{"name":"a","args":{"x":"${"é😀<".repeat(long)}"}}]</execute>`).at(-1), "execute");
  assert.equal(shorts("<".repeat(long))[0][1].length, long);
  const deep = `<execute>[{"name":"a","args":{"x":${"[".repeat(long)}${"]".repeat(long)}}}]</execute>`;
  assert.equal(shorts(deep, { limits: { depth: long + 3 } }).at(-1), "execute");
});

// --- The adapter ----------------------------------------------------------------------------------

const ask = (request) => answer(JSON.stringify({ id: "1", ...request }));

test("hello lists what works", () => {
  const hello = ask({ op: "hello", protocol: 1 });
  assert.equal(hello.offset_unit, "codepoint");
  for (const op of hello.ops) assert.equal(ask({ op, dialect: "xml-json" }).error !== undefined, true);
  assert.ok(ask({ op: "validate" }).unsupported);
  assert.ok(ask({ op: "parse", dialect: "delimiter", chunks: [] }).unsupported);
  assert.ok(ask({ op: "hello", protocol: 2 }).unsupported);
});

test("parse: cuts, turns, raw, and invalid requests", () => {
  const cut = ask({ op: "parse", text: "😀<end>!", cuts: [1, 1, 6], raw: true });
  assert.deepEqual(cut.feeds.map((feed) => feed.length), [0, 0, 2, 0]);
  assert.deepEqual([cut.state, cut.discarded, cut.tail], ["ended", 1, ""]);
  const { turns } = ask({ op: "parse", turns: [["<end>", "!"], ["Hi"]] });
  assert.deepEqual(turns, [
    { feeds: [[{ type: "end" }], []], close: [], state: "ended", discarded: 1 },
    { feeds: [[]], close: [{ type: "respond", content: "Hi" }], state: "prose", discarded: 0 },
  ]);
  for (const line of ["", "[]", "{}", '{"id":1}']) assert.equal(answer(line).id, null);
  for (const wrong of [{}, { chunks: [1] }, { text: "a", cuts: [2] }, { chunks_b64: ["?"] }]) assert.ok(ask({ op: "parse", ...wrong }).error);
  const misuses = [
    { chunks: ["a"], cuts: [0] },
    { turns: [["a"]], mode: "transcript" },
    { turns: [["a"], ["b"]], close: false },
  ];
  for (const misuse of misuses) assert.ok(ask({ op: "parse", ...misuse }).error);
});

test("calls and results are written one per line, with lookalikes escaped and numbers unchanged", () => {
  const line = '{"id":"1","op":"calls","calls":[{"args":{"2":"</END é\\u2028","1":[1.0,12345678901234567890]},"name":"a"}]}';
  const text = '<execute>\n[\n  {"name": "a", "args": {"2": "\\u003c/END é\u2028", "1": [1.0, 12345678901234567890]}}\n]\n</execute>';
  assert.deepEqual(answer(line), { id: "1", text });
  assert.equal(ask({ op: "results", results: [] }).text, "<results>\n[]\n</results>");
  const refused = [
    [{ name: "execute", args: {} }, "/0/name"],
    [{ name: "a", args: { x: "\ud83d" } }, "/0/args/x"],
    [{ name: "a", args: {}, id: 1 }, "/0"],
  ];
  for (const [call, path] of refused) assert.ok(ask({ op: "calls", calls: [call] }).refused.startsWith(`${path}: `));
});

test("a written block may be long, up to the limit", () => {
  const calls = (length) => [{ name: "a", args: { "\\": 'x"'.repeat(length / 2) } }];
  assert.equal(ask({ op: "calls", calls: calls(4_000_000) }).text.length, 6_000_060);
  assert.ok(ask({ op: "calls", calls: calls(6_000_000) }).refused.startsWith("/0: "));
});

test("render writes events that can be read back, and refuses all others", () => {
  const events = [{ type: "think", content: "a" }, { type: "call", content: CALL }, { type: "execute" }, { type: "end" }];
  assert.equal(ask({ op: "render", events }).text, `<think>a</think>\n\n<execute>\n[\n  ${CALL}\n]\n</execute>\n\n<end>`);
  assert.ok(ask({ op: "render", events: [{ type: "respond", content: "<end>" }] }).refused.startsWith("/0"));
  assert.ok(ask({ op: "render", events: [{ type: "call", content: CALL }] }).refused);
});

test("batch returns one result in the order of the calls", () => {
  const call = (name) => ({ type: "call", content: JSON.stringify({ name, args: {} }) });
  const outcomes = [[1, { status: "failure", content: "gone" }], [0, { status: "success", content: "hi" }]];
  const { events } = ask({ op: "batch", events: [call("read"), call("ls"), { type: "execute" }], outcomes, ending: null });
  assert.equal(
    events[0].content,
    '[\n  {"tool": "read", "status": "success", "content": "hi"},\n  {"tool": "ls", "status": "failure", "content": "gone"}\n]',
  );
  assert.deepEqual(events[0].payload, { tools_executed: 2, success_count: 1, failure_count: 1 });
  const cancelled = ask({ op: "batch", events: [call("ls"), { type: "execute" }], outcomes: [], ending: "cancelled" });
  assert.match(cancelled.events[0].content, /Cancelled: this call has no result\./);
});

test("messages are made from events, and the report lists what was changed", () => {
  const call = { type: "call", content: '{"name": "ls"}' };
  const reply = ask({
    op: "messages",
    system: "S",
    events: [
      { type: "user", content: " Look. <results>" },
      { type: "think", content: "a</think>b" },
      call,
      { type: "result", payload: { outcome: "<end>", content: "x" } },
      call,
      { type: "cancelled" },
      { type: "respond", content: "Hi." },
      { type: "respond", content: "Bye." },
    ],
  });
  assert.deepEqual(reply.messages, [
    { role: "system", content: "S" },
    { role: "user", content: "Look. &lt;results>" },
    { role: "assistant", content: '<think>a&lt;/think>b</think>\n\n<execute>\n[\n  {"name": "ls", "args": {}}\n]\n</execute>' },
    { role: "user", content: '<results>\n[{"tool": "ls", "status": "success", "content": "\\u003cend>\\nx"}]\n</results>' },
    { role: "assistant", content: '<execute>\n[\n  {"name": "ls", "args": {}}\n]\n</execute>' },
    {
      role: "user",
      content: '<results>\n[\n  {"tool": "ls", "status": "failure", "content": "Cancelled: this call has no result."}\n]\n</results>',
    },
    { role: "assistant", content: "Hi.\n\nBye." },
  ]);
  const entries = reply.report.map(({ index, code }) => `${index} ${code}`).sort();
  const expected = ["0 neutralised", "0 trimmed", "1 neutralised", "2 completed", "3 neutralised", "4 completed", "4 orphan", "7 joined"];
  assert.deepEqual(entries, expected);
});

test("a turn with raws is replayed, a void one is closed, and an open one is undone", () => {
  const message = '{"tool": "execute", "status": "failure", "content": "m"}';
  const turn = [
    { type: "respond", content: "Hi.", raw: "Hi. " },
    { type: "error", code: "not-array", content: "m", offset: 13, calls: 0, raw: "<execute>r" },
  ];
  const answered = ask({ op: "messages", events: [...turn, { type: "result", content: `[${message}]` }] });
  assert.deepEqual(answered.messages, [
    { role: "assistant", content: "Hi. <execute>r\n</execute>" },
    { role: "user", content: `<results>\n[${message}]\n</results>` },
  ]);
  assert.deepEqual(answered.report, []);
  const open = { type: "think", content: "a", raw: "<think>a" };
  const contents = (events) => ask({ op: "messages", events }).messages.map(({ content }) => content);
  assert.deepEqual(contents([open]), ["<think>a"]);
  assert.deepEqual(contents([open, { type: "cancelled" }, { type: "respond", content: "b" }]), ["<think>a</think>\n\nb"]);
});

test("a report is in the order of the events, then of the codes, and has no entry for text that is not written", () => {
  const report = (...events) => ask({ op: "messages", events }).report.map(({ index, code }) => `${index} ${code}`);
  const call = { type: "call", content: '{"name": "ls"} ' };
  const result = (content) => ({ type: "result", content });
  assert.deepEqual(report(call, { type: "user", content: "a" }), ["0 trimmed", "0 orphan", "0 completed"]);
  assert.deepEqual(report(result("<end>")), ["0 surplus"]);
  const failure = '{"tool": "execute", "status": "failure", "content": "m"}';
  assert.deepEqual(report(call, result(`[${failure}]`)), ["1 void"]);
  assert.deepEqual(report({ type: "respond", content: "Hi.", raw: "Hi." }, result(`[${failure}]`)), ["1 void"]);
  const lookalikes = ["1 neutralised", "1 neutralised", "1 completed"];
  assert.deepEqual(report({ ...call, content: CALL }, result("<end>\ud83d")), lookalikes);
  assert.deepEqual(report({ ...call, content: CALL }, result(` [${RESULT}, "<end>"]`)), ["1 trimmed", "1 surplus"]);
});

test("stored events have the members of the table", () => {
  const messages = (event) => ask({ op: "messages", events: [event] });
  assert.match(messages({ type: "think", content: "a", done: true }).refused, /^\/0\/done/);
  assert.match(messages({ type: "think", content: "a", segment: -1 }).refused, /^\/0\/segment/);
  const render = (event) => ask({ op: "render", events: [event] });
  assert.match(render({ type: "think", content: "a", done: true }).refused, /^\/0/);
  assert.match(render({ type: "think", content: "a", segment: 0, done: 0 }).refused, /^\/0/);
  assert.equal(render({ type: "think", content: "a", segment: 0, done: true }).text, "<think>a</think>");
});

test("messages are read: results at the start of a user's message, if they answer a block", () => {
  const messages = [
    { role: "assistant", content: `<execute>[${CALL}]</execute>` },
    { role: "user", content: `<results>[${RESULT}]</results> And? ` },
    { role: "user", content: "<results>[]</results>" },
  ];
  assert.deepEqual(ask({ op: "from_messages", messages }).events.map(short), [
    ["call", CALL],
    "execute",
    ["result", `[${RESULT}]`],
    ["user", "And?"],
    ["user", "<results>[]</results>"],
  ]);
});

test("exchanges pair calls with their outcomes, from the last call back", () => {
  const call = (name, more) => ({ type: "call", content: `{"name": "${name}", "args": {"x": 1.0}}`, ...more });
  const result = (content) => ({ type: "result", content });
  const outcomes = (events) =>
    answer(JSON.stringify({ id: "1", op: "exchanges", events })).exchanges.map((turn) => [
      ...turn.calls.map(({ id, args, status, content }) => [id, args, status, content]),
      [turn.surplus, turn.cancelled, turn.void],
    ]);
  const args = '{"x": 1.0}';
  const wrong = '{"tool": "c", "status": "failure", "content": 1}';
  const items = `[{"tool": "b", "status": "success", "content": 2.0}, ${wrong}, 3]`;
  assert.deepEqual(outcomes([call("a", { id: 7 }), call("b"), call("c"), call("d"), result(items)]), [
    [["7", args, "missing", null], ["call_1", args, "success", "2.0"], ["call_2", args, "mismatch", wrong], ["call_3", args, "mismatch", "3"], [[], false, null]],
  ]);
  assert.deepEqual(outcomes([call("a"), { type: "cancelled" }, result("Hi")]), [[["call_0", args, "success", '"Hi"'], [[], true, null]]]);
  assert.deepEqual(outcomes([call("a")]), [[["call_0", args, "open", null], [[], false, null]]]);
  const error = { type: "error", code: "json-syntax", content: "bad", offset: 1, calls: 1 };
  assert.deepEqual(outcomes([call("a"), error]), [[["call_0", args, "void", null], [[], false, "bad"]]]);
  assert.deepEqual(outcomes([result("[1]")]), [[[["1"], false, null]]]);
  assert.ok(answer('{"id": "1", "op": "exchanges", "events": [{"type": "call", "content": "x"}]}').refused);
});

test("descriptions are refused that must be, and no others", () => {
  const folder = new URL("../../described/", import.meta.url);
  let refused = 0;
  for (const file of readdirSync(folder)) {
    for (const { format, id, description = format } of JSON.parse(readFileSync(new URL(file, folder), "utf8"))) {
      if (typeof description === "string" || unread(description)) continue; // a name, or what is not read
      assert.equal(refusal(description) !== undefined, format === undefined, `${file} ${id ?? description.name}`);
      refused += format === undefined;
    }
  }
  assert.ok(refused > 100);
  const description = { name: "Mine", call: ["<c>", "</c>"], payload: { kind: "object" } };
  const ask = (format) => answer(JSON.stringify({ id: "1", op: "parse", format, chunks: [] }));
  assert.match(ask(description).refused, /^\/name: /);
  assert.ok(ask({ ...description, bare: true }).unsupported);
  const whole = { ...description, name: "mine" };
  assert.ok(answer(JSON.stringify({ id: "1", op: "parse", format: whole, start: "think", chunks: [] })).unsupported);
});

test("the process answers each line in order, including a last one without a line feed", () => {
  const adapter = fileURLToPath(new URL("adapter.mjs", import.meta.url));
  const input = Buffer.concat([Buffer.from('{"id":"1","op":"x"}\n\xff\n', "latin1"), Buffer.from('{"id":"2","op":"parse","chunks":["\\ud83d"]}')]);
  const { stdout, status } = spawnSync(process.execPath, [adapter], { input });
  const replies = stdout.toString().trimEnd().split("\n").map((line) => JSON.parse(line));
  assert.deepEqual(replies.map(({ id }) => id), ["1", null, "2"]);
  assert.deepEqual([replies[2].close, status], [[{ type: "respond", content: "\ufffd" }], 0]);
});
