"""`cogwire view` of Parquet: a sample of the rows, or those that are named."""

import re

import pyarrow as pa
import pytest
from pyarrow import parquet

from cogwire_kit.columns import values_of
from cogwire_kit.texts.rows import count, drawn
from tests.kit.cli.running import cogwire_

ROWS = 500


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    texts = [f"<think>{n}</think>Hi.".encode() for n in range(ROWS)]
    texts[7], texts[8] = None, b"\xff"
    table = pa.table(
        {"text": pa.array(texts, pa.binary()), "id": [f"run {n}" for n in range(ROWS)]}
    )
    path = tmp_path_factory.mktemp("data") / "runs.parquet"
    parquet.write_table(table, path, row_group_size=120)
    return path


def headings(output):
    return re.findall("<h2>(.*?)</h2>", output)


def test_rows_that_are_named(file):
    code, output, problems = cogwire_("view", file, "--rows", "499,7,8,120", "--id", "id")
    assert (code, problems) == (0, "")
    assert headings(output) == [f"Row {n}: run {n}" for n in (7, 8, 120, 499)]
    assert re.findall("Refused: ([^<]*)", output) == [
        *("no-text: `text` is null.", "not-utf8: not UTF-8 at byte 0")
    ]
    assert "&lt;think&gt;</span>" in output
    assert ">120</span>" in output
    code, _, problems = cogwire_("view", file, "--rows", "7,9999")
    assert (code, problems) == (
        2,
        f"cogwire: {file}: there is no row 9999; it has 500 rows, 0 to 499\n",
    )


def test_a_sample_is_drawn_evenly(file, tmp_path):
    """Of Parquet by numbers, of JSON Lines as they go by."""
    lines = tmp_path / "rows.jsonl"
    lines.write_text('{"text": "a"}\n' * ROWS, "utf-8")
    for path in (file, lines):
        chosen = [drawn(count(path), 25, seed) for seed in range(100)]
        assert sum(map(len, chosen)) == 2500
        first_half = sum(number < ROWS // 2 for numbers in chosen for number in numbers)
        assert 1125 < first_half < 1375, "five deviations"
        assert [number for number, _, _ in values_of(path, "text", [], chosen[3])] == sorted(
            chosen[3]
        )
        assert chosen[3] == drawn(ROWS, 25, 3)
        assert len(drawn(ROWS, 9999, 0)) == ROWS


def test_a_missing_file_is_named(file, tmp_path):
    (tmp_path / "no.parquet").write_bytes(b"PAR1")
    for arguments, word in [
        ((tmp_path / "no.parquet",), "arquet"),
        ((file, "--column", "x"), "there is no column 'x'; there are text, id"),
        ((file, "--id", "x"), "there is no column 'x'"),
    ]:
        code, output, problems = cogwire_("view", *arguments)
        assert (code, output) == (2, "")
        assert word in problems
