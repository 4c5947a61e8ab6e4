// SPDX-License-Identifier: MIT
// Runs the reference: Python, by Pyodide, with the reference's end of the adapter protocol.

const CACHE = "cogwire-playground-runtime";
const HERE = new URL(".", import.meta.url);

let answer = null;

const tell = (message) => postMessage(message);

/** The store of what was fetched before; null where there is none. */
async function openStore() {
  try {
    return await caches.open(CACHE);
  } catch {
    return null;
  }
}

/** Fetch a file of the manifest, of this very version, and tell of each piece that comes. */
async function fetched(name, { digest, bytes }, store, heard) {
  const url = new URL(`${name}?${digest}`, HERE);
  const kept = await store?.match(url);
  if (kept) {
    heard(bytes);
    return kept;
  }
  const response = await fetch(url);
  if (!response.ok) throw new Error(`${name}: ${response.status} ${response.statusText}`);
  const pieces = [];
  for (let reader = response.body.getReader(), piece = await reader.read(); !piece.done; piece = await reader.read()) {
    pieces.push(piece.value);
    heard(piece.value.length);
  }
  const body = new Blob(pieces, { type: response.headers.get("content-type") ?? "" });
  if (body.size !== bytes) throw new Error(`${name} has ${body.size} bytes of ${bytes}: the connection broke, or the site has just been renewed`);
  const whole = new Response(body);
  await store?.put(url, whole.clone()).catch(() => {}); // a full disk is no reason to stop
  return whole;
}

/** Fetch what the manifest names; give a response for each name. */
async function fetchAll({ runtime, files }) {
  const store = await openStore();
  const total = runtime.reduce((sum, name) => sum + files[name].bytes, 0);
  let loaded = 0;
  const heard = (more) => tell({ kind: "progress", loaded: (loaded += more), total, step: "loading" });
  const responses = await Promise.all(runtime.map((name) => fetched(name, files[name], store, heard)));
  tell({ kind: "progress", loaded: total, total, step: "starting" });
  const wanted = new Set(runtime.map((name) => new URL(`${name}?${files[name].digest}`, HERE).href));
  for (const old of (await store?.keys()) ?? []) if (!wanted.has(old.url)) await store.delete(old);
  return new Map(runtime.map((name, index) => [new URL(name, HERE).href, responses[index]]));
}

async function load(manifest) {
  const start = performance.now();
  const responses = await fetchAll(manifest);
  const archive = await responses.get(new URL("cogwire.zip", HERE).href).arrayBuffer();
  // Pyodide fetches its own parts: it gets those that are here already.
  const ask = self.fetch;
  self.fetch = async (request, ...rest) => responses.get(String(request?.url ?? request))?.clone() ?? ask(request, ...rest);
  const { loadPyodide } = await import(new URL("pyodide/pyodide.mjs", HERE));
  const pyodide = await loadPyodide({ indexURL: new URL("pyodide/", HERE).href });
  self.fetch = ask;
  pyodide.unpackArchive(archive, "zip", { extractDir: "/reference" });
  answer = pyodide.runPython(`
import sys
sys.path.insert(0, "/reference")
from asked import reply

reply('{"id": "1", "op": "parse", "chunks": []}')
reply
`);
  tell({ kind: "ready", time: performance.now() - start });
}

/** Every request gets an answer, also the one at which Python breaks down: after that it answers no more. */
function answered(line) {
  try {
    return { line: answer(line) };
  } catch (error) {
    const fault = String(error?.message ?? error);
    return { line: JSON.stringify({ id: "1", crashed: fault }), fault };
  }
}

addEventListener("message", async ({ data }) => {
  if (data.kind === "ask") {
    const start = performance.now();
    const { line, fault } = answered(data.line);
    tell({ kind: "answer", number: data.number, line, time: performance.now() - start });
    if (fault) tell({ kind: "failed", message: fault });
    return;
  }
  try {
    await load(data.manifest);
  } catch (error) {
    tell({ kind: "failed", message: String(error?.message ?? error) });
  }
});
