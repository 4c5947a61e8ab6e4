// SPDX-License-Identifier: MIT
// Formats to choose from, and who reads them.

import { unread } from "./javascript/described.mjs";

/** Whether the implementation in JavaScript reads the format that is described. */
export const isReadByJavaScript = (description) => description !== null && unread(description) === undefined;
