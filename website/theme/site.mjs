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
