// SPDX-License-Identifier: MIT
// What a link holds: all that the page can be set to.

const START = `<think>I should look at the config before I answer.</think>

Let me see what is there.

<execute>
[
  {"name": "read", "args": {"file": "config.json"}},
  {"name": "ls", "args": {}}
]
</execute>
`;

export const DEFAULTS = Object.freeze({
  text: START,
  dialect: "xml-json", // or a format, or DESCRIBED
  description: "", // of a format, as JSON
  mode: "turn",
  stream: "token",
  start: "prose",
  calls: "shown",
  call_deltas: false,
  limits: Object.freeze({}),
  tools: "",
  example: null,
  cut: "words",
  size: 8,
  seed: 1,
  position: null, // the end
  tab: "events",
  outcomes: Object.freeze({}), // by the index of a call: {status, content}
  ending: "",
  system: "",
  user: "",
  raws: true,
  to: "",
  case: Object.freeze({}), // id, title, why
});

/** The formats that the specification defines; all others are those of models. */
export const DIALECTS = ["xml-json", "xml-elements", "delimiter", "delimiter-upper"];

/** The dialect of a text whose format is described beside it. */
export const DESCRIBED = "described";

const CHOICES = {
  mode: ["turn", "transcript"],
  stream: ["event", "token"],
  start: ["prose", "think"],
  calls: ["shown", "sealed"],
  cut: ["whole", "words", "characters", "fixed", "random"],
  tab: ["events", "results", "messages", "convert", "case"],
  ending: ["", "cancelled", "interrupted"],
};

const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const isCount = (value) => Number.isSafeInteger(value) && value >= 0;
const isText = (value) => typeof value === "string";
const isOutcome = (value) => isObject(value) && ["success", "failure", "pending"].includes(value.status) && isText(value.content);

const isName = (value) => isText(value) && /^[\w.-]*$/.test(value);

const CHECKS = {
  dialect: isName,
  to: isName,
  description: isText,
  text: isText,
  tools: isText,
  system: isText,
  user: isText,
  example: isText,
  size: (value) => isCount(value) && value > 0,
  seed: isCount,
  position: isCount,
  raws: (value) => typeof value === "boolean",
  call_deltas: (value) => typeof value === "boolean",
  limits: (value) => isObject(value) && Object.entries(value).every(([name, one]) => ["size", "calls", "depth", "digits"].includes(name) && Number.isFinite(one)),
  outcomes: (value) => isObject(value) && Object.values(value).every(isOutcome),
  case: (value) => isObject(value) && Object.values(value).every(isText),
};

const isGood = (name, value) => (Object.hasOwn(CHOICES, name) ? CHOICES[name].includes(value) : Object.hasOwn(CHECKS, name) && CHECKS[name](value));

/** Return the dialect as a request names it: a format that is described, by its description. */
export const wireOf = ({ dialect, description }) => (dialect === DESCRIBED ? JSON.parse(description) : dialect);

/** Return the options of a parse that say how calls are given; those at their defaults are left out. */
export const callOptions = ({ calls, call_deltas, stream }) => ({
  ...(calls === "sealed" ? { calls } : {}),
  ...(call_deltas && stream === "token" ? { call_deltas } : {}),
});

/** Return the members of a state that are not at their defaults. */
export const changes = (state) =>
  Object.fromEntries(Object.entries(state).filter(([name, value]) => JSON.stringify(value) !== JSON.stringify(DEFAULTS[name])));

/** Return the state that a link's value stands for; what it does not know, or cannot be, is left at its default. */
export const restored = (value) => ({ ...DEFAULTS, ...Object.fromEntries(Object.entries(value).filter(([name, one]) => isGood(name, one))) });
