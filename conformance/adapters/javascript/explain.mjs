// SPDX-License-Identifier: MIT
// The messages of errors, for a person and for the model that has to fix its text
// (err-message-helpful). They quote nothing after the offending character (err-message).

const NAMED = { "\n": "a line feed", "\r": "a carriage return", "\t": "a tab", " ": "a space" };

const ADVICE = {
  "json-syntax": "Write strict JSON: double quotes, escaped line feeds, no comments, no trailing comma.",
  "not-array": "Put all calls into one JSON array, and explain before the block.",
  "not-object": 'Write each call as {"name": "…", "args": {…}}.',
  "missing-name": "Call the member with the tool's name `name`.",
  "bad-name": "Use the name of one of the tools.",
  "missing-args": 'Write "args": {} for a tool without arguments.',
  "bad-args": "Write the arguments as an object, not as a list and not as JSON in a string.",
  "duplicate-key": "For several values use an array, or several calls.",
  "number-range": "Use a smaller number, or a string where the tool accepts one.",
  "lone-surrogate": "Write the character itself, or both of its escapes.",
  "bad-encoding": "The fault lies in the transport: send UTF-8, and decode the stream as a whole.",
  "trailing-text": "End the block directly after the array, and put all calls into one array.",
  "limit-size": "Write large content in several calls.",
  "limit-calls": "Divide the work into several blocks.",
  "limit-depth": "Nest less, or pass the value as JSON in a string.",
  "limit-digits": "Round the number, or write it as a string.",
  "results-shape": "Results are written by the system, as strict JSON.",
  "results-count": "Every call needs one result.",
  "results-order": "Write the results in the order of the calls.",
};

function describe(character) {
  if (character in NAMED) return NAMED[character];
  const point = character.codePointAt(0);
  if (point >= 0xd800 && point <= 0xdfff) return "a character that was damaged in transit";
  if (point < 0x20 || point === 0x7f) return `U+${point.toString(16).toUpperCase().padStart(4, "0")}`;
  return `\`${character}\``;
}

/** Return the message for a fault in a block or a results block. */
export function explain({ code, path, expected, character }, { region, closer }) {
  if (character === undefined) {
    return `The text ended inside the ${region} block, before its \`${closer}\`, so nothing in it counts. Write it again, shorter if it was cut off.`;
  }
  const where = path === undefined ? `In the ${region} block` : `In the ${region} block, at ${path}`;
  return `${where}: expected ${expected}, found ${describe(character)}. ${ADVICE[code]}`;
}

export const FORGED =
  "`<results>` is written by the system alone, after an `<execute>` block. Stop after the block and wait for the results; to speak of the marker, write `&lt;results>`.";
