// SPDX-License-Identifier: MIT
// The state of the page in the fragment of its address, which no browser sends: JSON, deflated, in base64url.

/** More is not taken from a link: a few characters of it can stand for thousands of times as many. */
const MOST_BYTES = 2_000_000;

/** Return what `bytes` become; null if it is more than `most`, of which no more than that is made. */
async function through(stream, bytes, most = Infinity) {
  const pieces = [];
  let size = 0;
  for (let reader = new Blob([bytes]).stream().pipeThrough(stream).getReader(), piece = await reader.read(); !piece.done; piece = await reader.read()) {
    size += piece.value.length;
    if (size > most) {
      await reader.cancel();
      return null;
    }
    pieces.push(piece.value);
  }
  return new Uint8Array(await new Blob(pieces).arrayBuffer());
}

function toBase64(bytes) {
  let text = "";
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(text).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

const fromBase64 = (text) => Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (character) => character.charCodeAt(0));

/** Write a value as a fragment, without the number sign; null if it is too long to be read again. */
export async function fragmentOf(value) {
  const bytes = new TextEncoder().encode(JSON.stringify(value));
  if (bytes.length > MOST_BYTES) return null;
  return toBase64(await through(new CompressionStream("deflate-raw"), bytes));
}

/** Read a fragment; null if it holds no state. */
export async function stateOf(fragment) {
  try {
    const bytes = await through(new DecompressionStream("deflate-raw"), fromBase64(fragment), MOST_BYTES);
    if (bytes === null) return null;
    const value = JSON.parse(new TextDecoder().decode(bytes));
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}
