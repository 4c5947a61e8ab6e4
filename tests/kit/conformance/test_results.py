"""README says of parsers of others what their stored reports say."""

import re

from cogwire_kit.conformance import corpus, text_reports

REPORTS = corpus.PLACE / "reports" / "formats"
#: The readers of `response_template` have no parser of a format, and README does not name them.
TEMPLATES = {"transformers", "vllm-templates", "sglang-templates"}


#: What README says of parsers, in *Why not a regular expression?*: who does not read a case.
FAILING = {
    "hermes-closer-in-a-string": {
        *("sglang", "vllm", "xinference", "qwen-agent", "mlx-lm", "renderers", "ai-sdk-tool")
    },
    "qwen3-coder-cut-behind-a-parameter": {
        *("sglang", "vllm", "xinference", "ai-sdk-tool", "lmdeploy")
    },
    "qwen3-coder-parameter-opener-in-a-value": {"sglang", "vllm", "vllm-mlx", "ai-sdk-tool"},
}
#: The call is read; README does not say who shows a piece of its marker besides.
SHOWN = "in cuts: a marker, or a part of one, in the content"


def test_the_readme_names_the_parsers_that_do_not_read_a_text():
    found = {case: set() for case in FAILING}
    for path in REPORTS.glob("*.jsonl"):
        report = text_reports.load(path)
        for case in report.cases:
            is_read = text_reports.read([case]) or case.get("cause") == SHOWN
            if case["id"] in found and not is_read:
                name = report.run["parser"]["name"]
                found[case["id"]].add("ai-sdk-tool" if name == "ai" else name)
    assert {case: names - TEMPLATES for case, names in found.items()} == FAILING
    readme = " ".join((corpus.PLACE.parent / "README.md").read_text().split())
    page = (corpus.PLACE / "formats" / "results.md").read_text("utf-8")
    (share,) = re.findall(r"\| kimi-k2 \| LMDeploy \S+ \| (\d+ of \d+) ", page)
    assert f"reads {share} texts of `kimi-k2`" in readme


def test_the_guide_to_sglang_says_how_many_texts_differ_in_its_rows():
    reports = [
        text_reports.load(REPORTS / f"cogwire-in-sglang-0.5.23-{name}.jsonl")
        for name in ("hermes", "qwen3-coder")
    ]
    shares = [(len(one.cases) - text_reports.read(one.cases), len(one.cases)) for one in reports]
    words = " and ".join(f"{('none', 'one', 'two')[wrong]} of {of}" for wrong, of in shares)
    guide = (corpus.PLACE.parent / "website/guides/bridges/sglang.md").read_text("utf-8")
    assert f"{words} texts differ" in " ".join(guide.split())


def test_statements_about_cuts_match_the_stored_run():
    """The call that is lost where `</tool_call>` is in an argument, and the texts that stay the same."""
    report = text_reports.load(REPORTS / "ai-sdk-tool-4.1.26-hermes.jsonl")
    [case] = [one for one in report.cases if one["id"] == "hermes-closer-in-a-string"]
    words = f"{case['differing']} of {case['cuts']} cuts"
    page = (corpus.PLACE / "formats/results.md").read_text()
    assert words in page
    assert words in (corpus.PLACE.parent / "README.md").read_text()
    invariance = report.run["invariance"]
    assert f"{invariance['same']} of {invariance['texts']} produce the same in" in " ".join(
        page.split()
    )
