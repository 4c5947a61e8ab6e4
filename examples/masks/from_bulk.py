"""A data set of what `cogwire bulk --do mask` wrote: `python from_bulk.py FOLDER TRAIN.parquet`."""

import sys

import pyarrow as pa
import pyarrow.compute as pc
from pyarrow import dataset, parquet


def one_each(rows: pa.Table) -> pa.Table:
    """Return a row for each text."""
    texts = pc.list_flatten(rows["texts"].combine_chunks())
    return pa.Table.from_batches([pa.RecordBatch.from_struct_array(texts)])


def main(folder: str, file: str) -> None:
    """Write a row for each text of each part."""
    parts = dataset.dataset(folder, format="parquet")
    with parquet.ParquetWriter(file, one_each(parts.schema.empty_table()).schema) as output:
        for part in parts.get_fragments():
            output.write_table(one_each(part.to_table(columns=["texts"])))


if __name__ == "__main__":
    main(*sys.argv[1:])
