"""Spark: the example of the guide writes the rows that the functions return here."""

import os
import subprocess
import sys

import pyarrow as pa
from examples.bulk import on_spark, transcripts
from pyarrow import dataset, parquet

from cogwire_kit import arrow

ROWS = 400


def test_each_row_is_that_of_the_function(tmp_path):
    table = pa.Table.from_batches(transcripts.batches(ROWS))
    source, folder = tmp_path / "source.parquet", tmp_path / "out"
    parquet.write_table(table, source)
    subprocess.run(
        [sys.executable, on_spark.__file__, source, folder],
        env={**os.environ, "PYSPARK_PYTHON": sys.executable, "SPARK_LOCAL_IP": "127.0.0.1"},
        check=True,
    )
    found = dataset.dataset(folder, format="parquet").to_table().sort_by("id")
    wanted = arrow.lint(table, dialect_column="dialect", keep=["id"])
    assert found.to_pylist() == wanted.to_pylist()
    assert found["id"].to_pylist() == list(range(ROWS))
