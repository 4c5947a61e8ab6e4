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

// --- Search: whoever types a name gets to its place first ------------------------------------------

const query = document.querySelector(".md-search__input");
const list = document.querySelector(".md-search-result__list");
const top = new URL("..", import.meta.url);

let names = null; // of clauses, cases, error codes, bugs and the library, as the index of the search has them

async function readNames() {
  const { docs } = await (await fetch(new URL("search/search_index.json", top), { cache: "force-cache" })).json();
  names = new Map();
  for (const doc of docs) for (const name of [doc.name, doc.short]) if (name && !names.has(name.toLowerCase())) names.set(name.toLowerCase(), doc);
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
