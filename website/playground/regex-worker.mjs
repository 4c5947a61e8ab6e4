// SPDX-License-Identifier: MIT
// Runs a visitor's function on texts, whole and as they grow, and says where it returns other calls than expected.

/** Write a value so that equal ones are written alike, whatever the order of members. */
const written = (value) =>
  JSON.stringify(value, (_, one) => (one && typeof one === "object" && !Array.isArray(one) ? Object.fromEntries(Object.entries(one).sort(([a], [b]) => (a < b ? -1 : 1))) : one));

const shortened = (text) => (text.length > 300 ? `${text.slice(0, 300)}…` : text);

/** Return the calls of a text as they are compared, or what was thrown. */
function callsOf(read, text) {
  try {
    return { calls: [...read(text)].map(({ name, arguments: args }) => written({ name, arguments: args })) };
  } catch (error) {
    return { thrown: String(error) };
  }
}

function judged(read, { text, outcomes }) {
  const expected = outcomes.map((calls) => calls.map(({ name, arguments: args }) => written({ name, arguments: args })));
  const { calls, thrown } = callsOf(read, text);
  if (thrown) return { words: "it throws", gives: shortened(thrown) };
  if (!expected.some((one) => written(one) === written(calls))) {
    const [most] = expected;
    const words = calls.length < most.length ? "a call is lost" : calls.length > most.length ? "a call is run that must not run" : "a call has other arguments";
    return { words, gives: shortened(calls.join("\n") || "no call") };
  }
  // What throws while a text grows only waits; what returns a call runs it.
  for (let end = 0; end < text.length; end++) {
    const early = callsOf(read, text.slice(0, end)).calls ?? [];
    const isRight = expected.some((one) => early.every((call, at) => call === one[at]));
    if (!isRight) return { words: `a wrong call is run after ${end} of ${text.length} characters`, gives: shortened(early.join("\n")) };
  }
  return null;
}

addEventListener("message", ({ data: { source, cases } }) => {
  try {
    const read = new Function(`"use strict"; return (${source});`)();
    if (typeof read !== "function") throw new TypeError("a function is needed");
    postMessage({ found: cases.map((one) => judged(read, one)) });
  } catch (error) {
    postMessage({ fault: `The function cannot be run: ${error}` });
  }
});
