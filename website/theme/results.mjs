// SPDX-License-Identifier: MIT
// The page of results: the filter of its table, and a column for a report of one's own.

// So many rows are drawn at once: a browser takes seconds for all of them.
const MOST = 200;
const PASSING = ["pass", "allowed"];
const VERDICTS = [...PASSING, "unsupported", "late", "differs", "timed-out", "crashed", "fault"];
const table = document.getElementById("matrix");
const filter = document.getElementById("filter");
const rows = [...table.querySelectorAll("tr[id]")];
const groups = [...table.tBodies];
const field = (name) => filter.elements.namedItem(name);
const verdictsOf = (row) => [...row.cells].slice(1).flatMap((cell) => cell.textContent || []);
const whole = document.getElementById("whole");
const counted = (number) => number.toLocaleString("en");
const unique = (values) => [...new Set(values)];

let isWhole = false;

/** Offer each of the values once. */
function offer(name, values) {
  for (const value of unique(values)) field(name).append(new Option(value));
}

/** Whether a row is what the filter asks for. */
function fits(row) {
  const words = field("words").value.toLowerCase().split(/\s+/).filter(Boolean);
  const text = `${row.id} ${row.dataset.words}`;
  if (!words.every((word) => text.includes(word))) return false;
  const dialect = field("dialect").value;
  if (dialect && row.parentElement.dataset.dialect !== dialect) return false;
  if (field("op").value && row.dataset.op !== field("op").value) return false;
  const told = verdictsOf(row).filter((verdict) => verdict !== "unsupported");
  if (field("unlike").checked && unique(told).length < 2) return false;
  const asked = field("verdict").value;
  if (asked === "!") return told.some((verdict) => !PASSING.includes(verdict));
  return !asked || verdictsOf(row).includes(asked);
}

/** Show the rows that fit: the first of them, or all. */
function update() {
  const found = new Set(rows.filter(fits));
  const shown = new Set([...found].slice(0, isWhole ? Infinity : MOST));
  const asked = location.hash.slice(1);
  for (const row of rows) row.hidden = !(shown.has(row) || row.id === asked);
  for (const group of groups) group.hidden = ![...group.rows].slice(1).some((row) => !row.hidden);
  whole.hidden = shown.size === found.size;
  document.getElementById("shown").textContent =
    `${counted(found.size)} of ${counted(rows.length)} cases` + (whole.hidden ? "" : `; the first ${counted(shown.size)} are shown`);
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
  if (records[0]?.record !== "run" || records[0].format !== 2 || !records[0].target) throw new Error("it is no report of format 2");
  return [records[0], new Map(records.filter((one) => one.record === "case").map((one) => [one.id, one]))];
}

function addColumn(run, cases) {
  const name = `${run.target.name} ${run.target.version}`;
  const head = document.createElement("th");
  head.scope = "col";
  head.textContent = name;
  table.tHead.rows[0].append(head);
  for (const group of groups) group.rows[0].cells[0].colSpan += 1;
  let count = 0;
  for (const row of rows) {
    const cell = row.insertCell();
    const verdict = cases.get(row.id)?.verdict;
    cell.textContent = cell.className = VERDICTS.includes(verdict) ? verdict : "";
    count += PASSING.includes(cell.textContent);
  }
  return `${name}: ${counted(count)} of ${counted(cases.size)} cases pass.`;
}

async function take(file) {
  const told = document.getElementById("told");
  try {
    told.textContent = addColumn(...readReport(await file.text()));
    update();
  } catch (error) {
    told.textContent = `${file.name} cannot be read: ${error.message}`;
  }
}

offer("dialect", groups.map((group) => group.dataset.dialect));
offer("op", rows.map((row) => row.dataset.op));
offer("verdict", rows.flatMap(verdictsOf));
restore();
update();
filter.addEventListener("input", update);
whole.addEventListener("click", () => {
  isWhole = true;
  update();
});
filter.addEventListener("submit", (event) => event.preventDefault());
filter.hidden = false;

const own = document.getElementById("own");
own.hidden = false;
own.addEventListener("change", (event) => take(event.target.files[0]));
own.addEventListener("dragover", (event) => event.preventDefault());
own.addEventListener("drop", (event) => {
  event.preventDefault();
  if (event.dataTransfer.files.length) take(event.dataTransfer.files[0]);
});
