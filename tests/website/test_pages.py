"""The built site: that it is whole, and in a real browser reading, searching, results and looks."""

import functools
import hashlib
import json
import re

import mkdocs.config
import pytest
from lxml import html
from mkdocs.commands import build
from playwright.sync_api import TimeoutError as Late
from playwright.sync_api import expect

import cogwire
from cogwire_kit.conformance import corpus
from tests.website.conftest import ROOT, SITE, serious_faults
from website import errors, links, search

pytestmark = pytest.mark.verify

#: One page of each kind.
KINDS = [
    "index.html",
    "spec/index.html",
    "spec/introduction.html",
    "spec/model.html",
    "spec/xml-json.html",
    "spec/delimiter.html",
    "spec/errors.html",
    "spec/security.html",
    "spec/dialects.html",
    "library/index.html",
    "library/stream.html",
    "library/why.html",
    "library/reference/text-to-events.html",
    "changelog.html",
    "matrix.html",
    "formats.html",
    "which-format.html",
    "formats/qwen3-coder.html",
    "parsers/sglang.html",
    "cases.html",
    "cases/xml-json/calls.html",
    "cases/delimiter/conversion.html",
    "clauses.html",
    "bugs.html",
    "downloads.html",
    "benchmarks.html",
]

#: Small ones that have what all others have; the playground has tests of its own.
TYPICAL = [
    "matrix.html",
    "index.html",
    "spec/prompt.html",
    "library/reference/storage.html",
    "cases/xml-elements/content.html",
    "downloads.html",
    "which-format.html",
    "formats/hermes.html",
    "parsers/smolagents.html",
]


# --- What was built -------------------------------------------------------------------------------


@functools.cache
def anchors(page):
    return set(re.findall(r'\bid="([^"]+)"', (SITE / page).read_text("utf-8")))


@functools.cache
def named():
    """Return where the search leads whoever types the name of something, by the name."""
    index = json.loads((SITE / "search" / "search_index.json").read_text("utf-8"))
    return {doc["name"]: doc["location"] for doc in index["docs"] if "name" in doc}


def test_every_case_clause_code_bug_and_function_has_a_place_and_the_search_its_name():
    names = [case.id for case in corpus.load()]
    names += corpus.clauses()
    names += errors.entries(corpus.PAGES)
    names += json.loads((corpus.PLACE / "classes.json").read_text("utf-8"))
    names += [*cogwire.__all__, "Parser.feed", "aio.run"]
    assert [name for name in names if name not in named()] == []
    assert len(set(named().values())) == len(named())
    places = [place.split("#") for place in named().values()]
    assert [(page, name) for page, name in places if name not in anchors(page)] == []


def test_the_site_is_small_and_ships_no_source_maps():
    files = [path for path in SITE.rglob("*") if path.is_file()]
    assert sum(path.suffix == ".html" for path in files) < 290
    assert sum(path.stat().st_size for path in files) < 66_000_000
    assert [path for path in files if path.suffix == ".map"] == []
    scripts = list((SITE / "assets").rglob("*.min.*"))
    assert scripts
    assert [path for path in scripts if b"sourceMappingURL=" in path.read_bytes()] == []


def test_every_page_has_a_unique_title_and_a_preview():
    titles = {}
    for path in SITE.rglob("*.html"):
        page = html.parse(path)
        name = path.relative_to(SITE).as_posix()
        titles.setdefault(page.findtext(".//title"), []).append(name)
        metadata = {meta.get("property"): meta.get("content") for meta in page.iter("meta")}
        assert metadata["og:title"], name
        assert re.search(r"[.?!:…]$", metadata["og:description"]), name  # it says something
        assert "›" not in metadata["og:description"], name
        place = (path.parent / metadata["og:image"].lstrip("/")).resolve()
        assert (SITE / "theme" / place.name).is_file(), name
    assert {title: names for title, names in titles.items() if len(names) > 1} == {}


def test_the_results_of_an_implementation_are_the_sum_of_those_in_each_dialect():
    whole, by_dialect = html.parse(SITE / "matrix.html").xpath("//article//table")[:2]
    shown = {row[0].text_content(): row for row in whole.iter("tr")}
    assert len(shown) > 4
    for name, *cells in by_dialect.xpath("tbody/tr"):
        pairs = [cell.text.replace(",", "").split(" of ") for cell in cells if cell.text]
        sums = [f"{sum(map(int, one)):,}" for one in zip(*pairs, strict=True)]
        assert [cell.text for cell in shown[name.text][2:4]] == sums, name.text
    assert shown["cogwire"][3].text == f"{len(corpus.load()):,}"


def test_the_downloads_have_their_checksums_and_every_clause_with_its_cases():
    folder = SITE / "downloads" / "1.0.0"
    sums = dict(
        reversed(line.split("  "))
        for line in (folder / "SHA256SUMS").read_text("ascii").splitlines()
    )
    listed = {one["path"]: one for one in json.loads((folder / "index.json").read_text())["files"]}
    for name in (
        "clauses.json",
        "errors.json",
        "corpus.jsonl",
        "corpus.zip",
        "grammars/xml-json.abnf",
    ):
        content = (folder / name).read_bytes()
        assert hashlib.sha256(content).hexdigest() == sums[name] == listed[name]["sha256"], name
        assert listed[name]["size"] == len(content), name
    clauses_listed = json.loads((folder / "clauses.json").read_text("utf-8"))
    assert [one["id"] for one in clauses_listed] == list(corpus.clauses())
    citing = {clause for one in corpus.load() for clause in one.data["clauses"]}
    assert {one["id"] for one in clauses_listed if one["cases"]} == citing


def test_llms_txt_leads_to_files_that_are_there():
    goals = re.findall(r"\]\(([^)]+)\)", (SITE / "llms.txt").read_text("utf-8"))
    assert len(goals) > 20
    assert [goal for goal in goals if not (SITE / goal).is_file()] == []


def test_an_address_gives_a_sitemap_whole_previews_and_a_link_to_the_repository(
    tmp_path, monkeypatch
):
    (tmp_path / "pages" / "library").mkdir(parents=True)
    # What describes a page is its first sentence, not the links above it.
    home = "# Home\n\n[Guides](library/index.md) › home\n\nA *page*.\n{: .lead }\n"
    (tmp_path / "pages" / "index.md").write_text(home, "utf-8")
    (tmp_path / "pages" / "library" / "index.md").write_text(
        "# Guides\n\n### Some\n\n| a | b |\n|---|---|\n| B | [B](b.md) |\n", "utf-8"
    )
    for name in "ab":
        page = f"# Guide {name}\n"
        (tmp_path / "pages" / "library" / f"{name}.md").write_text(page, "utf-8")
    monkeypatch.setattr(search, "completed", lambda index, _: index)
    shown = {}
    for urls in ({}, {"Documentation": "https://d.test/x/", "Repository": "https://r.test/a/b"}):
        monkeypatch.setattr(links, "addresses", lambda urls=urls: urls)
        config = mkdocs.config.load_config(
            str(ROOT / "mkdocs.yml"),
            docs_dir=str(tmp_path / "pages"),
            site_dir=str(tmp_path / "site"),
            nav=[{"Home": "index.md"}, {"Library": ["library/index.md"]}],
            extra_css=[],
            extra_javascript=[],
        )
        build.build(config)
        shown = {path.name: path.read_text("utf-8") for path in (tmp_path / "site").glob("*.*ml")}
        assert ("https://" in shown["index.html"]) == bool(urls)
        assert ("sitemap.xml" in shown) == bool(urls)
    assert "<loc>https://d.test/x/library/b.html</loc>" in shown["sitemap.xml"]
    assert 'property="og:image" content="https://d.test/x/theme/preview.png"' in shown["index.html"]
    assert 'property="og:description" content="A page."' in shown["index.html"]
    assert 'href="https://r.test/a/b"' in shown["index.html"]
    # Guides are listed as the tables of their index name them; others come last.
    guides = (tmp_path / "site" / "library" / "index.html").read_text("utf-8")
    listed = re.findall(r"(Some|Guide [ab])(?=\s*</span>)", guides)
    assert list(dict.fromkeys(listed)) == ["Some", "Guide b", "Guide a"]


# --- Reading --------------------------------------------------------------------------------------


def test_home_reads_a_stream_that_is_cut_at_random_and_shows_what_a_regex_makes_of_it(tab, site):
    tab.emulate_media(reduced_motion="reduce")
    tab.goto(f"{site}/index.html")
    expect(tab.get_by_role("heading", level=1)).to_contain_text("never half of one")
    whole = ["think", "respond", "call"]
    kinds = tab.locator("#home-events .pg-type")
    expect(kinds).to_have_text(whole)
    call = tab.locator("#home-events .pg-call")
    expect(call).to_contain_text("Every call ends with </tool_call> here.")
    cuts = tab.locator("#home-chunks span")
    first = cuts.all_text_contents()
    tab.get_by_role("button", name="Cut again").click()
    expect(cuts.first).not_to_have_text(first[0], use_inner_text=False)
    expect(kinds).to_have_text(whole)
    assert "".join(cuts.all_text_contents()) == "".join(first)
    tab.locator("#home-position").press("Home")
    expect(kinds).to_have_count(0)
    tab.get_by_label("Read by").select_option("regex")
    expect(tab.locator("#home-verdict")).to_contain_text("cut off at the closer in its argument")
    expect(tab.locator("#home-code")).to_contain_text("text += chunk;")
    tab.get_by_label("Read by").select_option("cogwire")
    for name in tab.locator("#home-format option").evaluate_all(
        "all => all.map(({value}) => value)"
    ):
        tab.get_by_label("Format").select_option(name)
        expect(kinds.last).to_have_text("call")
    tab.get_by_label("Format").select_option("kimi-k2")
    tab.locator("#home-text").fill("<think>Hm.</think>Hi.")
    expect(kinds).to_have_text(["think", "respond"])
    main = tab.locator(".md-content")
    for name in ("Which format does my model write?", "Install it", "specification", "Results"):
        expect(main.get_by_role("link", name=name, exact=True).first).to_be_visible()
    broken = tab.locator("table.shares td.differs a").first
    case = broken.get_attribute("href").partition("#")[2]
    broken.click()
    expect(tab.locator(f"#{case} details")).to_have_attribute("open", "")
    expect(tab.locator(f"#{case}")).to_be_in_viewport()


def test_a_long_page_is_folded_opens_at_what_is_linked_and_is_narrowed_down(tab, site):
    tab.goto(f"{site}/bugs.html#lenient-json")
    open_ones = tab.locator("details.folded[open]")
    expect(open_ones).to_have_count(1)
    expect(tab.locator("#lenient-json")).to_be_in_viewport()
    assert tab.evaluate("document.documentElement.scrollHeight") < 16_000
    field = tab.get_by_label("Show those with")
    field.fill("replacement")
    expect(tab.locator("details.folded:visible")).not_to_have_count(0)
    assert tab.locator("details.folded:visible").count() < 20
    tab.goto(f"{site}/which-format.html")
    tab.get_by_label("Show those with").fill("moonlight kimi")
    expect(tab.locator(".which tbody tr:visible")).to_have_count(0)
    tab.get_by_label("Show those with").fill("kimi-k2")
    tab.locator(".which tbody tr:visible a").first.click()
    expect(tab).to_have_url(re.compile("formats/kimi-k2.html"))


def test_a_clause_leads_to_its_cases_and_a_case_to_the_playground(tab, site):
    tab.goto(f"{site}/spec/xml-json.html#xj-closer-in-string")
    picture = tab.locator("figure svg[role=img]").first
    assert picture.locator("title").first.text_content()
    clause = tab.locator("#xj-closer-in-string")
    expect(clause).to_be_in_viewport()
    paragraph = clause.locator("xpath=following-sibling::p[1]")
    expect(paragraph).to_contain_text("cogwire, javascript, go")
    paragraph.get_by_role("link", name=re.compile("cases?$")).click()
    expect(tab).to_have_url(f"{site}/matrix.html?words=xj-closer-in-string#cases")
    expect(tab.locator("#about")).to_have_text("Cases of xj-closer-in-string:")
    title = "A closer inside a JSON string is content"
    tab.get_by_role("link", name=title).first.click()
    case = "xml-json-closer-in-a-string"
    expect(tab).to_have_url(f"{site}/cases/xml-json/calls.html#{case}")
    heading = tab.locator(f"h2#{case}")
    expect(heading).to_be_in_viewport()
    expect(heading).to_contain_text(title)
    section = tab.locator("details.folded[open]")
    expect(section).to_have_count(1)
    expect(section.locator("p", has_text="Results.")).to_contain_text("javascript pass")
    section.get_by_role("link", name="Open it in the playground").click()
    expect(tab).to_have_url(re.compile("/playground/index.html#"))
    expect(tab.get_by_role("textbox", name="Wire text")).to_have_value(
        '<execute>[{"name":"w","args":{"c":"x </execute> y"}}]</execute>'
    )


#: What the first hit is.
FOUND = {
    "xj-skip": "spec/xml-json.html#xj-skip",
    "m-raw": "spec/model.html#m-raw",
    "xml-json-closer-in-a-string": "cases/xml-json/calls.html#xml-json-closer-in-a-string",
    "to_messages": "library/reference/events-and-chat.html#cogwire.to_messages",
    "parse": "library/reference/text-to-events.html#cogwire.parse",
    "toolset": "library/reference/calls-to-problems.html#cogwire.Toolset",
    "feed": "library/reference/text-to-events.html#cogwire.Parser.feed",
    "near-marker": "rules.html#near-marker",
    "trailing comma": "spec/errors.html#err-json-syntax",
    "duplicate key": "spec/errors.html#err-duplicate-key",
    "quickstart": "library/index.html#five-minutes",
    "install": "library/index.html#installation",
    "Qwen3": "formats/hermes.html",
    "hermes": "formats/hermes.html",
    "kimi_k2": "formats/kimi-k2.html",
    "DeepSeek-V3.1": "formats/deepseek-v3.1.html",
    "vllm": "formats.html#vllm",
    "sglang": "formats.html#sglang",
    "performance": "benchmarks.html",
    "vendor": "library/vendor.html",
    "openai": "library/stream.html",
    "security": "spec/security.html",
    "results": "spec/results.html",
    "sealed calls": "spec/model.html#sealed",
    **search.PHRASES,
    "exit code": "library/reference/cli.html",
    "python version": "library/index.html#installation",
    "prompt injection": "spec/security.html",
    "fine-tuning": "library/masks.html",
    "loss mask": "library/masks.html",
    "node": "matrix.html#javascript",
    "redos": "spec/validation.html#val-pattern-meaning",
    **{words.split()[0]: place for place, words in search.ALSO.items()},
    **{code: f"spec/errors.html#err-{code}" for code in errors.entries(corpus.PAGES)},
}

#: The address that the first hit leads to, and by which the Enter key goes: of what counts most.
FIRST = """() => {
    const links = [...document.querySelectorAll(".md-search-result__list > li:first-child a")];
    const score = (link) => Number(link.querySelector("article").dataset.mdScore);
    return links.sort((a, b) => score(b) - score(a))[0]?.href.replace(/\\?h=[^#]*/, "") ?? null;
}"""


def test_the_first_hit_of_a_search_is_the_one_that_is_meant(tab, site):
    tab.goto(f"{site}/index.html")
    field = tab.get_by_role("textbox", name="Search").first
    for words, place in FOUND.items():
        field.fill(words)
        field.press("End")  # the search listens to keys
        found = f"({FIRST})() === {json.dumps(f'{site}/{place}')}"
        try:
            tab.wait_for_function(found, timeout=30_000)
        except Late:
            pytest.fail(f"{words} leads to {tab.evaluate(FIRST)}, not to {place}")
    field.press("Enter")
    expect(tab).to_have_url(re.compile("spec/errors.html"))


#: Pages of earlier versions, and where they are now.
MOVED = {
    "errors/bad-args.html": "spec/errors.html#err-bad-args",
    "bugs/lenient-json.html": "bugs.html#lenient-json",
    "clauses/xj-skip.html": "spec/xml-json.html#xj-skip",
    "clauses/xml-json.html#xj-skip": "spec/xml-json.html#xj-skip",
    "cases/xml-json/xml-json-closer-in-a-string.html": (
        "cases/xml-json/calls.html#xml-json-closer-in-a-string"
    ),
}


def test_old_addresses_lead_to_where_things_are_now(browser, site):
    with browser.new_context() as context:
        page = context.new_page()
        for old, new in MOVED.items():
            page.goto(f"{site}/{old}")
            expect(page).to_have_url(f"{site}/{new}")
        page.goto(f"{site}/nothing.html")
        expect(page.locator("#moved")).to_be_visible()


def test_the_results_are_filtered_and_a_report_of_ones_own_gets_a_column(tab, site, tmp_path):
    tab.goto(f"{site}/matrix.html")
    count = tab.locator("#shown")
    everything = f"{len(corpus.load()):,} of {len(corpus.load()):,} cases"
    expect(count).to_have_text(f"{everything}; the first 200 are shown")
    # A page of many elements opens slowly.
    assert tab.evaluate("document.getElementsByTagName('*').length") < 4000
    tab.get_by_role("button", name="Show all").click()
    expect(count).to_have_text(everything)
    case = "xml-json-closer-in-a-string"
    field = tab.locator("#filter").get_by_label
    field("Find").fill("closer json string")
    field("Dialect").select_option("xml-json")
    expect(tab.locator(f"#{case}")).to_be_visible()
    field("Verdict").select_option("differs")
    expect(tab.locator(f"#{case}")).to_be_visible()
    expect(count).not_to_contain_text(everything)
    # The filter is a link.
    kept = count.text_content()
    tab.reload()
    expect(field("Find")).to_have_value("closer json string")
    expect(count).to_have_text(kept)

    records = [
        {"record": "run", "format": 2, "target": {"name": "mine", "version": "7"}},
        {"record": "case", "id": case, "verdict": "late"},
    ]
    report, other = tmp_path / "report.jsonl", tmp_path / "other.jsonl"
    report.write_text("\n".join(map(json.dumps, records)), "utf-8")
    other.write_text("{}", "utf-8")
    tab.locator("#report").set_input_files(report)
    expect(tab.locator("#matrix thead th").last).to_have_text("mine 7")
    expect(tab.locator(f"#{case} td").last).to_have_text("late")
    tab.locator("#report").set_input_files(other)
    expect(tab.locator("#told")).to_contain_text("cannot be read")
    tab.locator("#matrix tr[id] a").first.click()
    expect(tab).to_have_url(re.compile(r"/cases/xml-json/[\w-]+\.html#xml-json-"))


# --- For everybody --------------------------------------------------------------------------------


def test_a_page_fits_a_phone(opened, site):
    tab = opened(viewport={"width": 360, "height": 740}, is_mobile=True, has_touch=True)
    wide = {}
    for name in KINDS:
        tab.goto(f"{site}/{name}", wait_until="domcontentloaded")
        width = tab.evaluate("document.documentElement.scrollWidth")
        if width > 360:
            wide[name] = width
    assert wide == {}


def test_a_page_has_no_serious_faults_of_access(opened, site):
    tab = opened(color_scheme="dark")
    found = {}
    for name in TYPICAL:
        tab.goto(f"{site}/{name}")
        expect(tab.locator("body")).to_have_attribute("data-md-color-scheme", "slate")
        problems = serious_faults(tab, runOnly=["color-contrast"])
        tab.evaluate("document.body.setAttribute('data-md-color-scheme', 'default')")
        problems += serious_faults(tab)
        if problems:
            found[name] = problems
    assert found == {}


def test_pages_are_read_without_a_script(opened, site):
    tab = opened(java_script_enabled=False)
    tab.goto(f"{site}/index.html")
    expect(tab.locator(".home + .pair")).to_be_visible()
    expect(tab.locator("#home-demo")).to_be_hidden()
    tab.goto(f"{site}/matrix.html")
    tab.locator("noscript a").click()
    expect(tab).to_have_url(f"{site}/cases.html")
