// SPDX-License-Identifier: MIT
// The state of the page in the fragment of its address, which no browser sends: JSON, deflated, in base64url.

async function through(stream, bytes) {
  return new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());
}

function toBase64(bytes) {
  let text = "";
  for (let at = 0; at < bytes.length; at += 0x8000) text += String.fromCharCode(...bytes.subarray(at, at + 0x8000));
  return btoa(text).replace(/\+/g, "-").replace(/\//g, "_").replace(/=+$/, "");
}

const fromBase64 = (text) => Uint8Array.from(atob(text.replace(/-/g, "+").replace(/_/g, "/")), (character) => character.charCodeAt(0));

/** Write a value as a fragment, without the number sign. */
export async function fragmentOf(value) {
  const bytes = new TextEncoder().encode(JSON.stringify(value));
  return toBase64(await through(new CompressionStream("deflate-raw"), bytes));
}

/** Read a fragment; null if it holds no state. */
export async function stateOf(fragment) {
  try {
    const bytes = await through(new DecompressionStream("deflate-raw"), fromBase64(fragment));
    const value = JSON.parse(new TextDecoder().decode(bytes));
    return typeof value === "object" && value !== null && !Array.isArray(value) ? value : null;
  } catch {
    return null;
  }
}
