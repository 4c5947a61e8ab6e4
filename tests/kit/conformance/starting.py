"""Adapters that are started without reading again what the tests have already imported."""

import inspect
import io
import os
import runpy
import subprocess
import sys
import traceback
import warnings

#: How the command of a module begins that is run by a copy of this process.
OURS = [sys.executable, "-m"]


def undone():
    """Undo in the copy what a test has put in the place of something."""


class Popen(subprocess.Popen):
    """A process like any other; one of a module of ours is a copy of this one, which runs it."""

    def _execute_child(self, args, *more):
        given = inspect.signature(super()._execute_child).bind(args, *more).arguments
        if args[:2] != OURS or given["cwd"] or given["env"]:
            super()._execute_child(args, *more)
            return
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # this process may have threads
            self.pid = os.fork()
        if self.pid == 0:
            _run(args[2:], [given[name] for name in ("p2cread", "c2pwrite", "errwrite")])
        self._child_created = True
        for name in ("p2cread", "c2pwrite", "errwrite"):
            os.close(given[name])


def _run(command, streams):
    """Run a module with these arguments and standard streams, in a group of its own; then exit."""
    code = 1
    try:
        undone()
        os.setpgid(0, 0)
        for number, stream in enumerate(streams):
            os.dup2(stream, number)
        os.closerange(3, os.sysconf("SC_OPEN_MAX"))
        sys.stdin, sys.stdout, sys.stderr = (
            io.TextIOWrapper(os.fdopen(number, mode), "utf-8", write_through=number == 2)
            for number, mode in enumerate(("rb", "wb", "wb"))
        )
        sys.argv = ["", *command[1:]]
        runpy.run_module(command[0], run_name="__main__", alter_sys=True)
        code = 0
    except SystemExit as end:
        code = end.code if isinstance(end.code, int) else int(end.code is not None)
    except BaseException:  # noqa: BLE001 - the copy ends here, whatever it was
        traceback.print_exc()
    finally:
        try:
            sys.stdout.flush()
            sys.stderr.flush()
        finally:
            os._exit(code)
