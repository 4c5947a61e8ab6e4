"""The check of the rendered site finds what is wrong with it."""

import random

import pytest

from website import checking


def site_of(folder, **files):
    """Write files, named with `_` for the dot, and return their folder."""
    for name, text in files.items():
        (folder / name.replace("_", ".")).write_text(text, "utf-8")
    return folder


def problems(folder):
    return checking.check(folder).problems


def test_a_sound_site_has_no_problems(tmp_path):
    site_of(
        tmp_path,
        index_html='<p id="a"><a href="other.html#b">x</a> <a href="#a">y</a><img src="x.svg">',
        other_html='<p id="b"><a href="https://example.org/">elsewhere</a>',
        x_svg="<svg/>",
    )
    found = checking.check(tmp_path)
    assert found.problems == []
    assert (found.pages, found.links) == (2, 4)


@pytest.mark.parametrize(
    ("page", "told"),
    [
        ('<a href="none.html">x</a>', "index.html: none.html: leads nowhere"),
        ('<a href="#none">x</a>', "index.html: #none: no such anchor"),
        ('<a href="../outside.html">x</a>', "index.html: ../outside.html: leads nowhere"),
        ('<a href="javascript:x()">x</a>', "index.html: javascript:x(): no address"),
        (
            '<script src="https://cdn.example/x.js"></script>',
            "index.html: https://cdn.example/x.js: of another host",
        ),
        (
            '<link rel="stylesheet" href="//cdn.example/x.css">',
            "index.html: //cdn.example/x.css: of another host",
        ),
    ],
)
def test_a_fault_is_told_with_its_page(tmp_path, page, told):
    (tmp_path.parent / "outside.html").write_text("<p>", "utf-8")
    assert told in problems(site_of(tmp_path, index_html=page))


def test_a_style_sheet_may_ask_nobody(tmp_path):
    site_of(tmp_path, index_html="<p>", x_css="@font-face { src: url('https://fonts.example/f') }")
    assert problems(tmp_path) == ["x.css: https://fonts.example/f: of another host"]


def test_a_heavy_page_is_told(tmp_path):
    noise = "".join(map(chr, random.Random(0).choices(range(0x4E00, 0x9C00), k=300_000)))
    site_of(tmp_path, index_html='<script src="x.js"></script>', x_js=noise)
    (told,) = problems(tmp_path)
    assert told.startswith("index.html: ")
    assert "more than 400,000" in told
