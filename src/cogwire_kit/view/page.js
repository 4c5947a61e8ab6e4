
"use strict";
/* Search.  Without it the page is whole: browsers find text in it themselves. */
{
    const field = document.getElementById("query");
    const status = document.getElementById("found");
    const rows = [...document.querySelectorAll(".row")];
    const all = new Highlight();
    const now = new Highlight();
    /* So many matches are found at most: all of them would take a browser too long to show. */
    const MOST = 10000;
    let stops = [];
    let current = -1;
    let searched = "";

    /** The matches in an element, as ranges. */
    const matches = (element, pattern) => {
        const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
        const nodes = [];
        const starts = [];
        let text = "";
        while (walker.nextNode()) {
            nodes.push(walker.currentNode);
            starts.push(text.length);
            text += walker.currentNode.data;
        }
        let at = 0;
        const place = (offset, isEnd) => {
            while (at + 1 < nodes.length && starts[at + 1] + (isEnd ? 1 : 0) <= offset) at += 1;
            return [nodes[at], offset - starts[at]];
        };
        return [...text.matchAll(pattern)].map((match) => {
            const range = new Range();
            range.setStart(...place(match.index, false));
            range.setEnd(...place(match.index + match[0].length, true));
            return range;
        });
    };

    const count = () => (stops.length === MOST ? `${MOST}+` : `${stops.length}`);

    const search = () => {
        all.clear();
        now.clear();
        stops = [];
        current = -1;
        searched = field.value;
        status.textContent = "";
        if (!searched) return;
        const pattern = new RegExp(searched.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"), "giu");
        for (const row of rows) {
            const wire = row.querySelector(".raw");
            const parsed = row.querySelector(".parsed");
            const first = wire ? matches(wire, pattern) : [];
            const second = parsed ? matches(parsed, pattern) : [];
            for (const range of [...first, ...second]) all.add(range);
            for (const range of first.length ? first : second) stops.push(range);
            if (stops.length > MOST) break;
        }
        if (stops.length > MOST) stops.length = MOST;
        status.textContent = stops.length ? `${count()} found` : "not found";
    };

    const go = (step) => {
        if (!stops.length) return;
        current = current < 0 && step < 0 ? stops.length - 1 : (current + step + stops.length) % stops.length;
        const range = stops[current];
        const element = range.startContainer.parentElement;
        const fold = element.closest("details");
        if (fold) fold.open = true;
        now.clear();
        now.add(range);
        element.closest(".row").scrollIntoView({ block: "nearest" });
        const box = range.getBoundingClientRect();
        if (box.top < 80 || box.bottom > innerHeight) scrollBy(0, box.top - innerHeight / 3);
        status.textContent = `${current + 1} of ${count()}`;
    };

    if ("highlights" in CSS) {
        CSS.highlights.set("found", all);
        CSS.highlights.set("now", now);
        now.priority = 1;
        let waiting;
        field.addEventListener("input", () => {
            clearTimeout(waiting);
            waiting = setTimeout(search, 150);
        });
        document.getElementById("search").addEventListener("submit", (event) => event.preventDefault());
        field.addEventListener("keydown", (event) => {
            if (event.key !== "Enter") return;
            event.preventDefault();
            clearTimeout(waiting);
            if (field.value !== searched) search();
            go(event.shiftKey ? -1 : 1);
        });
        document.getElementById("next").addEventListener("click", () => go(1));
        document.getElementById("previous").addEventListener("click", () => go(-1));
        document.getElementById("search").hidden = false;
    }
}
