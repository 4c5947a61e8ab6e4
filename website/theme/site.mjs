// SPDX-License-Identifier: MIT
// What the theme leaves undone for those who use a keyboard, or do not see the page.

document.querySelector(".md-search[role=dialog]")?.setAttribute("aria-label", "Search");

/** Let what scrolls in its own box be reached by keyboard. */
function reach() {
  for (const box of document.querySelectorAll(".md-typeset__scrollwrap, .matrix")) {
    box.tabIndex = box.scrollWidth > box.clientWidth || box.scrollHeight > box.clientHeight ? 0 : -1;
  }
}

addEventListener("load", reach);
addEventListener("resize", reach);

// --- Long pages: what is linked is open, and the rest can be narrowed down --------------------------

/** Fold the sections of a page that is marked as long; their titles are what can be seen. */
function fold(mark) {
  for (const heading of document.querySelectorAll(".md-content h2[id]")) {
    const [box, title] = [document.createElement("details"), document.createElement("summary")];
    box.className = "folded";
    heading.before(box);
    title.append(heading);
    box.append(title);
    while (box.nextElementSibling && !box.nextElementSibling.matches("h1, h2, footer, form")) box.append(box.nextElementSibling);
  }
  narrow(mark, [...document.querySelectorAll(".md-content details.folded")]);
}

/** Give a page a field that leaves of its rows those that contain what is typed. */
function narrow(mark, rows) {
  const [label, field, count] = ["label", "input", "span"].map((name) => document.createElement(name));
  field.type = "search";
  label.className = "check";
  count.setAttribute("role", "status");
  const show = () => {
    const words = field.value.toLowerCase().split(/\s+/).filter(Boolean);
    let shown = 0;
    for (const [row, text] of texts) shown += !(row.hidden = !words.every((word) => text.includes(word)));
    count.textContent = `${shown} of ${rows.length} ${mark.dataset.of}`;
  };
  const texts = new Map(rows.map((row) => [row, row.textContent.toLowerCase()]));
  field.addEventListener("input", show);
  label.append("Show those with ", field);
  mark.append(label, " ", count);
  mark.classList.add("filter");
  show();
}

/** Open what the address names, and what it is in. */
function reveal() {
  const goal = location.hash && document.getElementById(decodeURIComponent(location.hash.slice(1)));
  if (!goal) return;
  for (let box = goal.closest("details"); box; box = box.parentElement.closest("details")) box.open = true;
  const own = goal.matches("tr") && goal.querySelector("details");
  if (own) own.open = true;
  goal.scrollIntoView();
}

for (const mark of document.querySelectorAll(".narrow")) {
  if (mark.dataset.rows) narrow(mark, [...document.querySelectorAll(mark.dataset.rows)]);
  else fold(mark);
}
addEventListener("hashchange", reveal);
reveal();

// --- Search: whoever types a name gets to its place first ------------------------------------------

const query = document.querySelector(".md-search__input");
const list = document.querySelector(".md-search-result__list");
const top = new URL("..", import.meta.url);

let names = null; // of clauses, cases, error codes, bugs and the library, as the index of the search has them

async function readNames() {
  const { docs } = await (await fetch(new URL("search/search_index.json", top), { cache: "force-cache" })).json();
  names = new Map();
  for (const doc of docs) for (const name of [doc.name, doc.short, ...(doc.names ?? [])]) if (name && !names.has(name.toLowerCase())) names.set(name.toLowerCase(), doc);
  showNamed();
}

/** Put what has just the name that is typed before what else was found. */
function showNamed() {
  const found = names?.get(query.value.trim().toLowerCase());
  const goal = found && new URL(found.location, top).href;
  if (list.querySelector(".named a")?.href === goal) return;
  list.querySelector(".named")?.remove();
  if (!found) return;
  const item = document.createElement("li");
  item.className = "md-search-result__item named";
  item.innerHTML = '<a class="md-search-result__link" tabindex="-1"><article class="md-search-result__article md-typeset" data-md-score="1e9"><h1></h1><p></p></article></a>';
  item.firstChild.href = goal;
  item.querySelector("h1").textContent = found.name ?? found.title;
  const box = document.createElement("template"); // the index has HTML, of which the text is shown
  box.innerHTML = `${found.title} ${found.text}`;
  const words = box.content.textContent.replace(/\s+/g, " ").replace(found.name, "").trim();
  item.querySelector("p").textContent = words.length > 300 ? `${words.slice(0, 300)} …` : words;
  list.prepend(item);
}

if (query && list) {
  query.addEventListener("focus", readNames, { once: true });
  query.addEventListener("input", showNamed);
  new MutationObserver(showNamed).observe(list, { childList: true });
}
