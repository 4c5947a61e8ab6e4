"""Every case of the corpus on every other Python that is here, and the core's plain tests on some.

The oldest and the newest run the tests, since what a version lacks or changes shows there; those
between answer the runner alone.  `make coverage` reads each text in every way; here it is read in
one way of each kind, because no version of Python differs in where a text is cut.

Of each minor version but that of the Python that runs this, the newest is taken that is found on
`PATH`, in /usr/bin or among pyenv's; `python -m verify.pythons [NAME …]` takes these, and no other,
and runs the tests on each.
Each gets an environment of its own below build.  Python 3.14 runs in node besides, as the site has
it.
"""

import hashlib
import json
import os
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Final, NamedTuple

ROOT: Final = Path(__file__).resolve().parents[1]
PLACE: Final = ROOT / "build" / "pythons"
PINS: Final = ROOT / "requirements-test.txt"
OLDEST: Final = (3, 10)
#: Newer ones are looked for too.
MINORS: Final = range(OLDEST[1], 20)
SYSTEM: Final = Path("/usr/bin/python3")
IN_NODE: Final = ROOT / "verify" / "python-in-node.mjs"
#: The second asks the adapter each case.
TESTS: Final = ("tests/core", "tests/kit/conformance/test_answers.py::test_the_reference_agrees")
#: It has no google-re2.
KNOWN: Final = f"--baseline={IN_NODE.with_suffix('.toml')}"
#: Every case is asked once, as a whole text.  Fresh inputs, which test the clause `cf-fresh` alone,
#: are left out: `make conformance` asks the same code for them, and they are most of the work.
ONCE: Final = ("--property=events", "--clause=[!c]*", "--clause=c[!f]*")

_ASK: Final = """
import ensurepip, json, sys, venv
print(json.dumps([sys.implementation.name, *sys.version_info[:4]]))
"""


class Python(NamedTuple):
    """An interpreter, and its version."""

    path: Path
    version: tuple[int, ...]

    @property
    def name(self) -> str:
        """Return its version as people write it."""
        return ".".join(map(str, self.version))


def main(names: list[str]) -> int:
    """Run them all, and return 1 where one fails."""
    others = [Python(Path(name), _version(name)) for name in names] if names else list(found())
    tested = others if names else [others[at] for at in (0, -1) if others]
    wrong = [each.name for each in others if not _passes(each, is_tested=each in tested)]
    if not names and not _conforms("Python in node", ["node", str(IN_NODE)], "--jobs=1", KNOWN):
        wrong.append("node")
    print("versions:", *(python.name for python in others), *([] if names else ["3.14 in node"]))
    if wrong:
        print("failing:", *wrong)
    return int(bool(wrong))


def found() -> Iterator[Python]:
    """Yield what is here beside the Python that runs this."""
    newest: dict[tuple[int, ...], Python] = {}
    for path in _candidates():
        version = _version(path)
        minor = version[:2]
        if version < OLDEST or minor == sys.version_info[:2]:
            continue
        if minor not in newest or newest[minor].version < version:
            newest[minor] = Python(path, version)
    yield from (newest[minor] for minor in sorted(newest))


def _candidates() -> Iterable[Path]:
    folders = [Path(each) for each in os.environ["PATH"].split(os.pathsep) if each]
    pyenv = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv")
    folders += sorted(pyenv.glob("versions/*/bin"))
    yield SYSTEM
    for folder in folders:
        for minor in MINORS:
            yield folder / f"python3.{minor}"


def _version(path: Path | str) -> tuple[int, ...]:
    """Return the version of a CPython that can make environments; of anything else `()`."""
    try:
        done = subprocess.run(
            [path, "-I", "-c", _ASK], capture_output=True, check=True, text=True, timeout=60
        )
        kind, *version, level = json.loads(done.stdout)
    except (OSError, ValueError, subprocess.SubprocessError):
        return ()
    return tuple(version) if kind == "cpython" and level == "final" else ()


def _passes(python: Python, *, is_tested: bool) -> bool:
    own = PLACE / python.name
    executable = own / "bin" / "python"
    stamp = own / hashlib.sha256(PINS.read_bytes()).hexdigest()[:16]
    if not stamp.exists():
        subprocess.run([python.path, "-m", "venv", "--clear", own], check=True)
        pip = [executable, "-m", "pip", "install", "--quiet", "--no-compile"]
        pip += ["--requirement", PINS]
        subprocess.run(pip, check=True, cwd=ROOT)
        stamp.touch()
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src"), "HYPOTHESIS_PROFILE": "few"}
    # Compiled files are kept, since many tests start processes.
    environment |= {"PYTHONPYCACHEPREFIX": str(own / "compiled")}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    if not is_tested:
        return _conforms(python.name, [str(executable), "-m", "cogwire_kit", "adapter"])
    print(f"-- {python.name}: the plain tests of the core, and every case", flush=True)
    tests = [executable, "-m", "pytest", "--quiet", "-p", "no:cacheprovider", "--dist=loadfile"]
    tests += ["--numprocesses=auto", "-m", "not hypothesis and not verify", *TESTS]
    return subprocess.run(tests, check=False, cwd=ROOT, env=environment).returncode == 0


def _conforms(name: str, adapter: list[str], *options: str) -> bool:
    """Run every case of the corpus once, with this Python's runner."""
    print(f"-- {name}: every case of the corpus", flush=True)
    runner = [sys.executable, "-m", "cogwire_kit", "conformance", "run", *ONCE]
    environment = os.environ | {"PYTHONPATH": str(ROOT / "src")}
    command = [*runner, *options, "--", *adapter]
    return subprocess.run(command, check=False, cwd=ROOT, env=environment).returncode == 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
