// SPDX-License-Identifier: MIT
// Where in a JSON text the value is that a JSON Pointer names.

/** Return the line, from 1, of the member or element that `path` leads to in the text of a JSON value. */
export function lineOf(text, path) {
  let at = 0;
  const white = () => {
    while (" \t\r\n".includes(text[at] ?? "x")) at++;
  };
  const string = () => {
    const start = at++;
    while (text[at] !== '"') at += text[at] === "\\" ? 2 : 1;
    return JSON.parse(text.slice(start, ++at));
  };
  /** Skip a value, or stop in it where the rest of the path leads; return the place, or -1. */
  const value = (rest) => {
    white();
    if (rest.length === 0) return at;
    const [wanted, ...further] = rest;
    const isObject = text[at] === "{";
    if (!isObject && text[at] !== "[") {
      if (text[at] === '"') string();
      else while (!",]} \t\r\n".includes(text[at] ?? ",")) at++;
      return -1;
    }
    at++;
    for (let index = 0; ; index++) {
      white();
      if ("]}".includes(text[at] ?? "]")) {
        at++;
        return -1;
      }
      const place = at;
      const name = isObject ? string() : String(index);
      if (isObject) {
        white();
        at++; // the colon
      }
      const isIt = wanted !== null && name.replaceAll("~", "~0").replaceAll("/", "~1") === wanted;
      if (isIt && further.length === 0) return place;
      const found = value(isIt ? further : [null]);
      if (found >= 0) return found;
      if (isIt) return place; // what is missing in it is named
      white();
      if (text[at] === ",") at++;
    }
  };
  const place = value(path);
  return place < 0 ? 1 : text.slice(0, place).split("\n").length;
}
