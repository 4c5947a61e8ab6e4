// SPDX-License-Identifier: MIT
// The table of results: drawn from matrix.json, with a filter, and a column for a report of one's own.

// So many rows are drawn at once: a browser takes seconds for all of them.
const MOST = 200;
const PASSING = ["pass", "allowed"];
const VERDICTS = [...PASSING, "unsupported", "late", "differs", "timed-out", "crashed", "fault"];
const byId = (id) => document.getElementById(id);
const [table, filter, whole] = ["matrix", "filter", "whole"].map(byId);
const field = (name) => filter.elements.namedItem(name);
const counted = (number) => number.toLocaleString("en");
const unique = (values) => [...new Set(values)];

const data = await (await fetch(new URL("../matrix.json", import.meta.url))).json();
const about = Object.keys(data.names); // clauses, error codes and bugs, by number
const cases = data.cases.map(([id, title, dialect, op, page, names, told]) => ({
  id, title, dialect, op,
  goal: `${data.pages[page]}#${id}`,
  names: names.map((number) => about[number]),
  told: told.map((number) => data.told[number]), // of each column: the verdict, and what fails
  text: `${id} ${title.toLowerCase()}`,
}));
const columns = [...data.implementations];

let isWhole = false;

function make(name, attributes = {}, ...children) {
  const element = Object.assign(document.createElement(name), attributes);
  element.append(...children);
  return element;
}

/** Offer each of the values once. */
function offer(name, values) {
  for (const value of unique(values)) field(name).append(new Option(value));
}

/** Whether a word matches a case: as the whole name of a clause, a code or a bug, or else as a part of its text. */
const has = ({ names, text }, word) =>
  Object.hasOwn(data.names, word) ? names.includes(word) : text.includes(word) || names.some((name) => name.includes(word));

/** Return a function that says whether a case passes the filter. */
function asked() {
  const words = field("words").value.toLowerCase().split(/\s+/).filter(Boolean);
  const [dialect, op, verdict] = ["dialect", "op", "verdict"].map((name) => field(name).value);
  return (one) => {
    if ((dialect && one.dialect !== dialect) || (op && one.op !== op) || !words.every((word) => has(one, word))) return false;
    const told = one.told.map(([verdict]) => verdict).filter((verdict) => verdict && verdict !== "unsupported");
    if (field("unlike").checked && unique(told).length < 2) return false;
    if (verdict === "!") return told.some((each) => !PASSING.includes(each));
    return !verdict || one.told.some(([each]) => each === verdict);
  };
}

function row({ id, title, goal, told }) {
  const cells = told.map(([verdict, failing]) => make("td", { className: verdict, title: failing }, verdict));
  return make("tr", { id }, make("td", {}, make("a", { href: goal }, title), make("code", {}, id)), ...cells);
}

/** Draw the rows that fit: the first of them, or all. */
function draw() {
  const found = cases.filter(asked());
  const shown = isWhole ? found : found.slice(0, MOST);
  const named = cases.find(({ id }) => id === location.hash.slice(1));
  if (named && !shown.includes(named)) shown.push(named);
  const heads = ["case", ...columns].map((name) => make("th", { scope: "col" }, name));
  const groups = unique(shown.map(({ dialect }) => dialect)).map((dialect) => {
    const head = make("tr", {}, make("th", { scope: "rowgroup", colSpan: heads.length }, dialect));
    return make("tbody", {}, head, ...shown.filter((one) => one.dialect === dialect).map(row));
  });
  table.replaceChildren(make("thead", {}, make("tr", {}, ...heads)), ...groups);
  whole.hidden = shown.length >= found.length;
  byId("shown").textContent =
    `${counted(found.length)} of ${counted(cases.length)} cases` + (whole.hidden ? "" : `; the first ${counted(MOST)} are shown`);
  const name = field("words").value.trim();
  const goal = Object.hasOwn(data.names, name) ? data.names[name] : null;
  byId("about").replaceChildren(...(goal ? ["Cases of ", make("a", { href: goal }, name), ":"] : []));
  keep();
}

/** Keep the filter in the address, so that a link shows the same. */
function keep() {
  const kept = new URLSearchParams([...new FormData(filter)].filter(([, value]) => value));
  const query = kept.size ? `?${kept}` : location.pathname;
  history.replaceState(null, "", query + location.hash);
}

function restore() {
  for (const [name, value] of new URLSearchParams(location.search)) {
    const input = field(name);
    if (input?.type === "checkbox") input.checked = true;
    else if (input) input.value = value;
  }
}

/** Return the run and the cases of a report, as `cogwire conformance run --report` writes it. */
function readReport(text) {
  const records = text.trim().split("\n").map((line) => JSON.parse(line));
  if (records[0]?.record !== "run" || records[0].format !== 2 || !records[0].target) throw new Error("it is not a report of format 2");
  return [records[0], new Map(records.filter((one) => one.record === "case").map((one) => [one.id, one]))];
}

function addColumn({ target }, report) {
  const name = `${target.name} ${target.version}`;
  columns.push(name);
  for (const one of cases) {
    const verdict = report.get(one.id)?.verdict;
    one.told.push([VERDICTS.includes(verdict) ? verdict : "", ""]);
  }
  const count = cases.filter(({ told }) => PASSING.includes(told.at(-1)[0])).length;
  return `${name}: ${counted(count)} of ${counted(report.size)} cases pass.`;
}

async function take(file) {
  const told = byId("told");
  try {
    told.textContent = addColumn(...readReport(await file.text()));
    draw();
  } catch (error) {
    told.textContent = `${file.name} cannot be read: ${error.message}`;
  }
}

offer("dialect", cases.map(({ dialect }) => dialect));
offer("op", cases.map(({ op }) => op));
offer("verdict", data.told.map(([verdict]) => verdict).filter(Boolean));
restore();
draw();
filter.hidden = false;
if (location.hash) byId(location.hash.slice(1))?.scrollIntoView();
filter.addEventListener("input", draw);
filter.addEventListener("submit", (event) => event.preventDefault());
whole.addEventListener("click", () => {
  isWhole = true;
  draw();
});

const own = byId("own");
own.hidden = false;
own.addEventListener("change", (event) => take(event.target.files[0]));
own.addEventListener("dragover", (event) => event.preventDefault());
own.addEventListener("drop", (event) => {
  event.preventDefault();
  if (event.dataTransfer.files.length) take(event.dataTransfer.files[0]);
});
