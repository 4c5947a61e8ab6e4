"use strict";
/* Makes the rows of a long page where they are seen, chooses rows, and searches.  Without it browsers
   show the first rows, and find text in them themselves. */
{
    const KINDS = ["author", "finding", "tool"];
    const ROW = /<(?:div|details open) class="row /;
    const ENTITIES = { "&lt;": "<", "&gt;": ">", "&amp;": "&", "&quot;": '"', "&#x27;": "'", "&#13;": "\r" };
    /* So many matches are found at most: all of them would take a browser too long to show. */
    const MOST = 10000;
    /* About how high a row is, in pixels, before it is made. */
    const HEIGHT = 90;

    const field = document.getElementById("query");
    const status = document.getElementById("found");
    const menus = [...document.querySelectorAll("#filters select")];
    const canMark = "highlights" in CSS;
    const all = canMark ? new Highlight() : null;
    const now = canMark ? new Highlight() : null;
    let pattern = null;
    let searched = "";
    let stops = [];
    let current = -1;

    // -- Rows that are not made yet ---------------------------------------------------------------

    /** The text of some HTML, in which every `<` of the text itself is escaped. */
    const plain = (html) => html.replace(/<[^>]*>/g, "").replace(/&(?:lt|gt|amp|quot|#x27|#13);/g, (name) => ENTITIES[name]);

    const numbers = (html, kind) => (html.match(new RegExp(`^[^>]* data-${kind}="([^"]*)"`)) ?? ["", ""])[1];

    /** What is known of the rows in an element of held ones: their ids, texts and what they are chosen by. */
    const known = new WeakMap();
    const rowsIn = (held) => {
        if (!known.has(held)) {
            const [, ...rows] = held.firstChild.textContent.split(ROW);
            known.set(held, rows.map((html) => {
                const [head, parsed] = html.split('</code></pre><div class="parsed">');
                return {
                    id: html.match(/ id="([^"]*)"/)[1],
                    texts: () => [plain(head.slice(head.indexOf('<pre class="raw">'))), plain(parsed)],
                    by: Object.fromEntries(KINDS.map((kind) => [kind, numbers(html, kind)])),
                };
            }));
        }
        return known.get(held);
    };

    const make = (held) => {
        seen.unobserve(held);
        held.className = "";
        held.style.minHeight = "";
        held.innerHTML = held.firstChild.textContent;
        for (const row of held.querySelectorAll(".row")) {
            row.hidden = !isChosen(row.dataset);
            if (pattern) mark(row);
        }
    };

    const seen = new IntersectionObserver((entries) => {
        for (const entry of entries) if (entry.isIntersecting) make(entry.target);
    }, { rootMargin: "800px" });

    /** The row with an id, which is made if it is not there yet. */
    const rowOf = (id) => {
        const [, section, number] = id.match(/^(t\d+)-(\d+)$/) ?? [];
        const held = section ? document.querySelectorAll(`#${section} > .held`) : [];
        for (const each of held) {
            const first = Number(each.dataset.first);
            if (first <= number && number < first + Number(each.dataset.rows)) make(each);
        }
        return document.getElementById(id);
    };

    const follow = () => {
        const id = decodeURIComponent(location.hash.slice(1));
        if (!/^t\d+-\d+$/.test(id) || document.getElementById(id)) return;
        if (rowOf(id)) location.replace(location.hash);
    };

    // -- Choosing rows ----------------------------------------------------------------------------

    const isChosen = (by) => menus.every((menu) => !menu.value || (by[menu.dataset.by] ?? "").split(" ").includes(menu.value));

    const choose = () => {
        let count = 0;
        for (const row of document.querySelectorAll(".row")) {
            row.hidden = !isChosen(row.dataset);
            count += row.hidden ? 0 : 1;
        }
        for (const held of document.querySelectorAll(".held")) {
            const chosen = rowsIn(held).filter((row) => isChosen(row.by)).length;
            held.hidden = chosen === 0;
            held.style.minHeight = `${chosen * HEIGHT}px`;
            count += chosen;
        }
        const isAny = menus.some((menu) => menu.value);
        for (const section of document.querySelectorAll(".transcript")) {
            section.hidden = isAny && !section.querySelector(".row:not([hidden]), .held:not([hidden])");
        }
        document.getElementById("shown").textContent = isAny ? `${count} shown` : "";
        if (pattern) search();
    };

    // -- Searching --------------------------------------------------------------------------------

    /** The matches in an element, as ranges. */
    const matches = (element) => {
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

    /** The matches of a row that count: those on the wire or, if there are none, those beside it. */
    const matchesOf = (row) => {
        const [first, second] = [".raw", ".parsed"].map((name) => matches(row.querySelector(name)));
        return { counted: first.length ? first : second, every: [...first, ...second] };
    };

    const mark = (row) => {
        for (const range of matchesOf(row).every) all.add(range);
    };

    const count = () => (stops.length === MOST ? `${MOST}+` : `${stops.length}`);

    const search = () => {
        all.clear();
        now.clear();
        stops = [];
        current = -1;
        searched = field.value;
        status.textContent = "";
        pattern = searched ? new RegExp(searched.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"), "giu") : null;
        if (!pattern) return;
        const add = (id, found) => {
            for (let number = 0; number < found; number += 1) stops.push({ id, number });
        };
        for (const each of document.querySelectorAll(".row, .held")) {
            if (each.hidden) continue;
            if (each.className === "held") {
                for (const row of rowsIn(each)) {
                    if (!isChosen(row.by)) continue;
                    const [first, second] = row.texts().map((text) => [...text.matchAll(pattern)].length);
                    add(row.id, first || second);
                }
            } else {
                const { counted, every } = matchesOf(each);
                for (const range of every) all.add(range);
                add(each.id, counted.length);
            }
            if (stops.length > MOST) break;
        }
        if (stops.length > MOST) stops.length = MOST;
        status.textContent = stops.length ? `${count()} found` : "not found";
    };

    const go = (step) => {
        if (!stops.length) return;
        current = current < 0 && step < 0 ? stops.length - 1 : (current + step + stops.length) % stops.length;
        const row = rowOf(stops[current].id);
        const range = matchesOf(row).counted[stops[current].number];
        const fold = range.startContainer.parentElement.closest("details");
        if (fold) fold.open = true;
        now.clear();
        now.add(range);
        row.scrollIntoView({ block: "nearest" });
        const box = range.getBoundingClientRect();
        if (box.top < 80 || box.bottom > innerHeight) scrollBy(0, box.top - innerHeight / 3);
        status.textContent = `${current + 1} of ${count()}`;
    };

    // -- The page ---------------------------------------------------------------------------------

    for (const held of document.querySelectorAll(".held")) {
        held.style.minHeight = `${held.dataset.rows * HEIGHT}px`;
        seen.observe(held);
    }
    addEventListener("hashchange", follow);
    follow();
    for (const menu of menus) menu.addEventListener("change", choose);
    document.getElementById("filters").hidden = menus.length === 0;

    if (canMark) {
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
        addEventListener("keydown", (event) => {
            const isTyping = event.target.matches("input[type=search], select");
            if (event.key !== "/" || isTyping || event.ctrlKey || event.metaKey || event.altKey) return;
            event.preventDefault();
            field.focus();
            field.select();
        });
        document.getElementById("next").addEventListener("click", () => go(1));
        document.getElementById("previous").addEventListener("click", () => go(-1));
        document.getElementById("search").hidden = false;
    }
}
