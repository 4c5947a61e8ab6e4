"""Lint transcripts with Spark: `spark-submit on_spark.py INPUT OUTPUT`, both of Parquet.

The Python of every worker, which `PYSPARK_PYTHON` names, needs cogwire with its extras:
`pip install '.[kit,arrow]'` in a checkout.
"""

import sys
from collections.abc import Iterator

import pyarrow as pa
from pyspark.sql import SparkSession
from pyspark.sql.pandas.types import from_arrow_schema, to_arrow_schema

from cogwire_kit import arrow


def lint(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
    """Yield a row of findings for each row."""
    for batch in batches:
        yield arrow.lint(batch, dialect_column="dialect", keep=["id"])


if __name__ == "__main__":
    spark = SparkSession.builder.getOrCreate()
    data = spark.read.parquet(sys.argv[1])
    schema = arrow.schema(to_arrow_schema(data.schema), "lint", keep=["id"])
    found = data.mapInArrow(lint, from_arrow_schema(schema))
    found.write.parquet(sys.argv[2])
