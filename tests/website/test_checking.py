"""The check of the rendered site finds what is wrong with it."""

import random

from website import checking


def site_of(folder, **files):
    """Write files, named with `_` for the dot, and return what the check finds."""
    folder.mkdir(exist_ok=True)
    for name, text in files.items():
        (folder / name.replace("_", ".")).write_text(text, "utf-8")
    return checking.check(folder)


def test_a_sound_site_has_no_problems(tmp_path):
    found = site_of(
        tmp_path,
        index_html='<p id="a"><a href="other.html#b">x</a> <a href="#a">y</a><img src="x.svg">',
        other_html='<p id="b"><a href="https://example.org/">elsewhere</a>',
        x_svg="<svg/>",
    )
    assert found.problems == []
    assert (found.pages, found.links) == (2, 4)


#: What is wrong with a page that has it.
FAULTS = {
    '<a href="none.html">x</a>': "none.html: leads nowhere",
    '<a href="#none">x</a>': "#none: no such anchor",
    '<a href="../outside.html">x</a>': "../outside.html: leads nowhere",
    '<a href="javascript:x()">x</a>': "javascript:x(): no address",
    '<script src="https://cdn.example/x.js"></script>': (
        "https://cdn.example/x.js: of another host"
    ),
    '<link rel="stylesheet" href="//cdn.example/x.css">': ("//cdn.example/x.css: of another host"),
}


def test_a_fault_is_reported_with_its_page(tmp_path):
    (tmp_path / "outside.html").write_text("<p>", "utf-8")
    for page, messages in FAULTS.items():
        found = site_of(tmp_path / "site", index_html=page)
        assert f"index.html: {messages}" in found.problems
    # A style sheet may ask nobody, and a page may not be heavy.
    noise = "".join(map(chr, random.Random(0).choices(range(0x4E00, 0x9C00), k=300_000)))
    found = site_of(
        tmp_path / "other",
        index_html='<script src="x.js"></script>',
        x_js=noise,
        x_css="@font-face { src: url('https://fonts.example/f') }",
    )
    style, heavy = sorted(found.problems, reverse=True)
    assert style == "x.css: https://fonts.example/f: of another host"
    assert heavy.startswith("index.html: ")
    assert "more than 400,000" in heavy
