"""Lint transcripts on a Ray cluster: `python on_ray.py INPUT OUTPUT`, both of Parquet.

Every node needs cogwire with its extras: `pip install '.[kit,ray]'` in a checkout.
`RAY_ADDRESS` names the cluster; without one, Ray runs here.
"""

import sys

import ray

from cogwire_kit import arrow


def lint(source: str, folder: str) -> None:
    """Write a row of findings for each row of the input."""
    data = ray.data.read_parquet(source, columns=["id", "dialect", "text"])
    options = {"dialect_column": "dialect", "keep": ["id"]}
    found = data.map_batches(arrow.lint, batch_format="pyarrow", batch_size=1000, fn_kwargs=options)
    found.write_parquet(folder)


if __name__ == "__main__":
    lint(*sys.argv[1:])
