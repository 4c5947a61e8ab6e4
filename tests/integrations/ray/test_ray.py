"""Ray Data: the example of the guide, on two workers, one of which is killed on the way."""

import json
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pyarrow as pa
from examples.bulk import transcripts
from examples.bulk.digest import digest
from pyarrow import parquet

from cogwire_kit import arrow

FILES, ROWS = 8, 500

#: The example on a cluster of its own, in blocks that are small enough for two workers to share.
RUN = """
import sys, ray
ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False)
ray.data.DataContext.get_current().target_max_block_size = 1 << 20
from examples.bulk.on_ray import lint
lint(*sys.argv[1:])
"""


def descendants(pid):
    try:
        found = Path(f"/proc/{pid}/task/{pid}/children").read_text("ascii").split()
    except OSError:
        return
    for each in map(int, found):
        yield each
        yield from descendants(each)


def at_work(pid):
    """Whether a process is in our function now: Ray's workers say what they do in their titles."""
    try:
        return b"MapBatches(lint)" in Path(f"/proc/{pid}/cmdline").read_bytes()
    except OSError:
        return False


def test_a_worker_that_is_killed_costs_no_row(tmp_path):
    table = pa.Table.from_batches(transcripts.batches(FILES * ROWS))
    source = tmp_path / "source"
    source.mkdir()
    for number in range(FILES):
        parquet.write_table(table.slice(number * ROWS, ROWS), source / f"{number}.parquet")
    environment = {
        **os.environ,
        "RAY_DATA_DISABLE_PROGRESS_BARS": "1",
        "RAY_USAGE_STATS_ENABLED": "0",
        "RAY_TMPDIR": "/tmp",  # noqa: S108 (its sockets need a short path)
        "RAY_worker_niceness": "0",  # by default workers get no time beside other tests
    }
    process = subprocess.Popen(
        [sys.executable, "-c", RUN, source, tmp_path / "out"],
        env=environment,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    )
    killed = None
    deadline = time.monotonic() + 300
    while process.poll() is None:
        assert time.monotonic() < deadline
        workers = [pid for pid in descendants(process.pid) if at_work(pid)]
        if len(workers) == 2 and killed is None:
            killed = workers[0]
            os.kill(killed, signal.SIGKILL)
        time.sleep(0.02)
    assert process.returncode == 0, process.stdout.read()
    process.communicate()
    assert killed is not None
    wanted = tmp_path / "wanted.parquet"
    parquet.write_table(arrow.lint(table, dialect_column="dialect", keep=["id"]), wanted)
    assert digest(tmp_path / "out") == digest(wanted)
    assert digest(wanted).startswith(f"{FILES * ROWS} rows ")


def test_the_digest_sees_one_row_that_differs(tmp_path):
    table = pa.Table.from_batches(transcripts.batches(50))
    found = arrow.lint(table, dialect_column="dialect", keep=["id"])
    digests = set()
    for number, rows in enumerate(
        (found, found.slice(1), pa.concat_tables([found, found.slice(49)]))
    ):
        parquet.write_table(rows, tmp_path / f"{number}.parquet")
        digests.add(digest(tmp_path / f"{number}.parquet"))
    assert len(digests) == 3
    shuffled = pa.Table.from_pylist(
        sorted(found.to_pylist(), key=lambda row: json.dumps(row)[::-1]), found.schema
    )
    parquet.write_table(shuffled, tmp_path / "shuffled.parquet")
    assert digest(tmp_path / "shuffled.parquet") in digests
