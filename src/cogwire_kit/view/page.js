"use strict";
/* Makes the rows of a long page where they are seen, chooses rows, and searches.  Without it browsers
   show the first rows, and find text in them themselves. */
{
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
    /** Whether they are all, and what is done when there is one, or none. */
    let isAll = true;
    let first = null;

    // -- Rows that are not made yet ---------------------------------------------------------------

    /** The text of some HTML, in which every `<` of the text itself is escaped. */
    const plain = (html) => html.replace(/<[^>]*>/g, "").replace(/&(?:lt|gt|amp|quot|#x27|#13);/g, (name) => ENTITIES[name]);

    /** The HTML of the rows in an element of held ones. */
    const unpacked = (held) => {
        const packed = atob(held.firstChild.textContent);
        const bytes = new Uint8Array(packed.length);
        for (let at = 0; at < packed.length; at += 1) bytes[at] = packed.charCodeAt(at);
        return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"))).text();
    };

    const fill = async (held) => {
        const html = await unpacked(held);
        seen.unobserve(held);
        held.className = "made";
        held.style.minHeight = "";
        held.innerHTML = html;
        for (const row of held.children) {
            row.hidden = !isChosen(row.dataset.by);
            if (pattern) mark(row);
        }
    };

    /** Makes the rows in an element of held ones, once. */
    const made = new Map();
    const make = (held) => {
        if (!made.has(held)) made.set(held, fill(held));
        return made.get(held);
    };

    const seen = new IntersectionObserver((entries) => {
        for (const entry of entries) if (entry.isIntersecting) make(entry.target);
    }, { rootMargin: "800px" });

    /** The row with an id, which is made if it is not there yet. */
    const rowOf = async (id) => {
        const [, section, number] = id.match(/^(t\d+)-(\d+)$/) ?? [];
        const held = section ? document.querySelectorAll(`#${section} > .held`) : [];
        const before = [...held].filter((each) => Number(each.dataset.first) <= number);
        if (before.length) await make(before.at(-1));
        return document.getElementById(id);
    };

    const follow = async () => {
        const id = decodeURIComponent(location.hash.slice(1));
        if (!/^t\d+-\d+$/.test(id) || document.getElementById(id)) return;
        if (await rowOf(id)) location.replace(location.hash);
    };

    // -- Choosing rows ----------------------------------------------------------------------------

    const isChosen = (by) => {
        const numbers = by.split(",");
        return menus.every((menu) => !menu.value || numbers[menu.dataset.kind].split(" ").includes(menu.value));
    };

    const choose = () => {
        let count = 0;
        for (const row of document.querySelectorAll(".row")) {
            row.hidden = !isChosen(row.dataset.by);
            count += row.hidden ? 0 : 1;
        }
        for (const held of document.querySelectorAll(".held")) {
            const chosen = held.dataset.by.split(";").filter(isChosen).length;
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

    const say = () => {
        const count = `${stops.length}${isAll ? "" : "+"}`;
        status.textContent = current < 0 ? (stops.length || !isAll ? `${count} found` : "not found") : `${current + 1} of ${count}`;
    };

    /** The id of each chosen row in an element, and how many of its matches count. */
    const found = async (element) => {
        if (element.className === "held") {
            const html = await unpacked(element);
            if (plain(html).search(pattern) < 0) return [];
            const rows = html.split(ROW).slice(1).filter((row) => isChosen(row.match(/ data-by="([^"]*)"/)[1]));
            return rows.map((row) => {
                const [head, parsed] = row.split('</code></pre><div class="parsed">');
                const texts = [head.slice(head.indexOf('<pre class="raw">')), parsed].map(plain);
                const [onWire, beside] = texts.map((text) => [...text.matchAll(pattern)].length);
                return [row.match(/ id="([^"]*)"/)[1], onWire || beside];
            });
        }
        const rows = element.className === "made" ? [...element.children] : [element];
        return rows.filter((row) => !row.hidden).map((row) => {
            const { counted, every } = matchesOf(row);
            for (const range of every) all.add(range);
            return [row.id, counted.length];
        });
    };

    /** Finds all matches that count; `next` is called at the first one, and at the end. */
    const find = async (own, next) => {
        let said = performance.now();
        for (const each of document.querySelectorAll(".transcript > .row, .transcript > .held, .transcript > .made")) {
            if (each.hidden) continue;
            const rows = await found(each);
            if (stops !== own) return next(); // another search has begun
            for (const [id, matched] of rows) {
                for (let number = 0; number < matched && own.length < MOST; number += 1) own.push({ id, number });
            }
            if (own.length) next();
            if (own.length === MOST) return say();
            if (performance.now() - said > 250) {
                say();
                said = performance.now();
            }
        }
        isAll = true;
        say();
        next();
    };

    const search = () => {
        all.clear();
        now.clear();
        stops = [];
        current = -1;
        isAll = false;
        searched = field.value;
        status.textContent = "";
        pattern = searched ? new RegExp(searched.replace(/[\\^$.*+?()[\]{}|/]/g, "\\$&"), "giu") : null;
        if (pattern) first = new Promise((next) => find(stops, next));
    };

    const go = async (step) => {
        await first;
        if (!stops.length) return;
        current = current < 0 && step < 0 ? stops.length - 1 : (current + step + stops.length) % stops.length;
        const row = await rowOf(stops[current].id);
        const range = matchesOf(row).counted[stops[current].number];
        const fold = range.startContainer.parentElement.closest("details");
        if (fold) fold.open = true;
        now.clear();
        now.add(range);
        row.scrollIntoView({ block: "nearest" });
        const box = range.getBoundingClientRect();
        if (box.top < 80 || box.bottom > innerHeight) scrollBy(0, box.top - innerHeight / 3);
        say();
    };

    // -- The page ---------------------------------------------------------------------------------

    if (!("DecompressionStream" in globalThis)) {
        for (const held of document.querySelectorAll(".held")) {
            held.remove();
            document.getElementById("unsupported").hidden = false;
        }
    }
    for (const held of document.querySelectorAll(".held")) {
        held.style.minHeight = `${held.dataset.by.split(";").length * HEIGHT}px`;
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
