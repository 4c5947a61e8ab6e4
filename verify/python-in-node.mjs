// SPDX-License-Identifier: MIT
// The reference's end of the adapter protocol, on the Python that the playground runs on, in node.

import { readFileSync } from "node:fs";
import { createRequire } from "node:module";

const ROOT = new URL("..", import.meta.url);
const { loadPyodide } = createRequire(new URL("website/package.json", ROOT))("pyodide");

/** Pyodide does not know node's own kind of array. */
const plain = (buffer) => new Uint8Array(buffer.buffer, buffer.byteOffset, buffer.length);

const pyodide = await loadPyodide();
// The site's archive: the library, and what it needs to judge arguments.
const archive = new URL("build/pages/playground/cogwire.zip", ROOT);
pyodide.unpackArchive(plain(readFileSync(archive)), "zip", { extractDir: "/reference" });
const answer = pyodide.runPython(`
import importlib, pkgutil, sys
sys.path.insert(0, "/reference")
import cogwire
for module in pkgutil.walk_packages(cogwire.__path__, "cogwire."):
    importlib.import_module(module.name)
print(sys.version, file=sys.stderr)
from cogwire_kit import adapter

lambda line: adapter.answer(line.to_bytes())
`);

let pieces = [];
for await (const chunk of process.stdin) {
  let start = 0;
  for (let end; (end = chunk.indexOf(10, start)) >= 0; start = end + 1) {
    const reply = answer(plain(Buffer.concat([...pieces, chunk.subarray(start, end + 1)])));
    process.stdout.write(reply.toJs());
    reply.destroy();
    pieces = [];
  }
  if (start < chunk.length) pieces.push(chunk.subarray(start));
}
