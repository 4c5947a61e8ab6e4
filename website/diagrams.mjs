// SPDX-License-Identifier: MIT
// Draws graphs: takes a JSON array of DOT on the standard input, gives the array of their SVG.

import { instance } from "@viz-js/viz";

const chunks = [];
for await (const chunk of process.stdin) chunks.push(chunk);
const graphs = JSON.parse(Buffer.concat(chunks).toString("utf8"));
const viz = await instance();
process.stdout.write(JSON.stringify(graphs.map((dot) => viz.renderString(dot, { format: "svg" }))));
