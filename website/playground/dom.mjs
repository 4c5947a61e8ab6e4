// SPDX-License-Identifier: MIT
// Elements. Texts become text nodes: nothing of the input is ever read as HTML.

/** Make an element; members of `attributes` that begin with "on" are listeners, false and null ones are left out. */
export function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === false || value === null || value === undefined) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.filter((child) => child !== null && child !== false));
  return element;
}

/** Return the element of the playground with this id. */
export const byId = (id) => document.getElementById(id);

/** Show a text for whoever looks, and for whoever listens only if it has changed. */
export function say(element, text) {
  if (element.textContent !== text) element.textContent = text;
}

/** Put `text` on the clipboard; where there is none to write to, select it in a field to be copied by hand. */
export async function copy(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    const field = make("textarea", { class: "pg-offscreen", "aria-hidden": "true" });
    field.value = text;
    document.body.append(field);
    field.select();
    const copied = document.execCommand("copy");
    field.remove();
    return copied;
  }
}

/** Return a function that calls `act` once, `wait` milliseconds after its last call. */
export function settled(act, wait) {
  let timer = 0;
  return (...values) => {
    clearTimeout(timer);
    timer = setTimeout(() => act(...values), wait);
  };
}

/** Let the arrow keys move the focus among the elements that `list` gives, of which one is in the tab order. */
export function roving(container, list, { back = ["ArrowLeft", "ArrowUp"], on = ["ArrowRight", "ArrowDown"] } = {}) {
  container.addEventListener("keydown", (event) => {
    const items = list();
    const at = items.indexOf(event.target);
    if (at < 0 || event.altKey || event.ctrlKey || event.metaKey) return;
    const to = back.includes(event.key) ? at - 1 : on.includes(event.key) ? at + 1 : { Home: 0, End: items.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    enter(items, items[Math.max(0, Math.min(to, items.length - 1))])?.focus();
  });
}

/** Make `item` the one of `items` that the Tab key reaches. */
export function enter(items, item) {
  for (const other of items) if (other.tabIndex === 0) other.tabIndex = -1;
  if (item) item.tabIndex = 0;
  return item;
}
