"""Runs of the command, each in a process of its own.

Most of them are forked from one process that has imported the command line already: the start of
Python, which takes longer than the command, is paid for once.
"""

import atexit
import functools
import json
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from tests.processes import ran

CLI = [sys.executable, "-m", "cogwire_kit"]

SERVER = """
import gc, importlib, io, json, os, sys, traceback
import cogwire
from cogwire.tooling import dialect_names, looks_like
from cogwire_kit.__main__ import main

# What most commands import, or read once: each child would do so again.
for name in "convert detect formats lint main mask painter parse vendor view".split():
    importlib.import_module(f"cogwire_kit.cli.{name}")
for name in ("cogwire.conversion.formats", "cogwire_kit.templates.readings", "jsonschema"):
    importlib.import_module(name)
for name in (*dialect_names(), "hermes"):
    cogwire.render_events(cogwire.parse("a", name), name)
looks_like("<", "xml-json")
gc.freeze()

for line in sys.stdin.buffer:
    arguments, folder, environment = json.loads(line)
    if child := os.fork():
        print(os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]), flush=True)
        continue
    for number, name in enumerate(("stdin", "stdout", "stderr")):
        os.dup2(os.open(os.path.join(folder, name), os.O_RDWR), number)
    os.environ |= environment
    sys.stdin = io.TextIOWrapper(open(0, "rb", closefd=False))
    sys.argv = ["cogwire", *arguments]
    try:
        main()
    except SystemExit as end:
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(end.code)
    except BaseException:
        traceback.print_exc()
        os._exit(70)
"""


@functools.cache
def server():
    process = subprocess.Popen([sys.executable, "-c", SERVER], stdin=-1, stdout=-1)
    atexit.register(process.communicate)
    return process


def cogwire_(*arguments, stdin=b"", **environment):
    """Run the command and return how it ended, its output as text."""
    with tempfile.TemporaryDirectory() as folder:
        streams = [Path(folder, name) for name in ("stdin", "stdout", "stderr")]
        for stream, data in zip(streams, (stdin, b"", b""), strict=True):
            stream.write_bytes(data)
        request = [[str(argument) for argument in arguments], folder, environment]
        server().stdin.write(json.dumps(request).encode() + b"\n")
        server().stdin.flush()
        code = int(server().stdout.readline())
        output, problems = (stream.read_bytes().decode() for stream in streams[1:])
    assert "Traceback" not in problems, problems
    return code, output, problems


def output_of(*arguments, stdin=b"", **environment):
    """Run the command, which succeeds and has nothing to report; return what it wrote."""
    code, output, problems = cogwire_(*arguments, stdin=stdin, **environment)
    assert (code, problems) == (0, "")
    return output


def started(*arguments, stdin=b"", **environment):
    """Do the same with a Python of its own: for what is decided at its start."""
    done = ran(*CLI, *arguments, text=False, input=stdin, env=os.environ | environment)
    return done.returncode, done.stdout.decode(), done.stderr.decode()


def piped(*command):
    """Start the command with a Python of its own, and with pipes to and from it."""
    return subprocess.Popen([*CLI, *command], stdin=-1, stdout=-1, stderr=-1)


def stored(file, *rows):
    """Write lines, each a text or what JSON has, into a file; return the file."""
    lines = [row if isinstance(row, str) else json.dumps(row) for row in rows]
    file.write_text("\n".join(lines), "utf-8")
    return file


def events(output):
    return [json.loads(line) for line in output.splitlines()]
