"""Build a release in dist, check it, and print what a maintainer still has to do: `make release`.

`make packages` is its draft, `python -m release --draft`: what is not committed, and a version that
the changelog does not name, are no reason to stop, and this Python alone is used.

The wheel, the source distribution and the zipapp are each built twice, and both builds must be the
same to the byte; SOURCE_DATE_EPOCH is the time of the last commit.  What the source distribution
builds must be the wheel.  Every supported Python on this machine then installs the wheel into an
environment of its own, runs the demo and every mandatory case of the corpus in its plain form, and
runs the zipapp.
"""

import hashlib
import os
import shutil
import subprocess
import sys
import tarfile
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import Final

from verify import pythons

ROOT: Final = Path(__file__).resolve().parents[1]
DIST: Final = ROOT / "dist"
PINS: Final = ROOT / "requirements-test.txt"
#: What the command line imports, in pure Python, so that the zipapp runs on every machine.
IN_ZIPAPP: Final = frozenset(
    {"attrs", "click", "jsonschema", "jsonschema-specifications", "markdown-it-py", "mdurl"}
    | {"pygments", "referencing", "rich", "tomli", "typing_extensions"}
)
#: referencing needs rpds, which is compiled; this module takes its place.
RPDS: Final = ROOT / "website" / "playground" / "rpds.py"
BY_HAND: Final = """
What is left to do by hand for {version}:
  1. Read the top of CHANGELOG.md once more, and set the date of {version} in it.
  2. Fill in [project.urls] in pyproject.toml if it is empty or the public addresses have changed:
     without it the site has no sitemap, no link to the repository and no whole address in og:image.
  3. cogwire conformance corpus copy conformance/frozen/VERSION, with the version of the corpus, if
     the corpus has changed since the last release, and commit it: it is never changed again.
  4. git tag --sign v{version} && git push origin main v{version}
  5. {python} -m twine upload {packages}
  6. Attach {zipapp} and SHA256SUMS to the release page of the tag.
  7. make site, and publish the folder site.
  8. Set __version__ in src/cogwire/__init__.py to the next development version.
"""


class ReleaseError(Exception):
    """Something does not hold that a release needs."""


def main(arguments: list[str]) -> int:
    """Return 0 if everything holds, and 1 with the reason on stderr if something does not."""
    is_draft = arguments == ["--draft"]
    if arguments and not is_draft:
        print("usage: python -m release [--draft]", file=sys.stderr)
        return 2
    try:
        version = _release(is_draft=is_draft)
    except (ReleaseError, subprocess.CalledProcessError) as problem:
        print(f"make release: {problem}", file=sys.stderr)
        return 1
    if is_draft:
        return 0
    packages = [path.relative_to(ROOT) for path in _packages()]
    print(
        BY_HAND.format(
            version=version,
            python=Path(sys.executable).relative_to(ROOT),
            packages=" ".join(map(str, packages)),
            zipapp=(DIST / "cogwire.pyz").relative_to(ROOT),
        )
    )
    return 0


def _release(*, is_draft: bool) -> str:
    version = _version()
    if not is_draft:
        _check_sources(version)
    shutil.rmtree(DIST, ignore_errors=True)
    with tempfile.TemporaryDirectory() as second:
        for folder in (DIST, Path(second)):
            _say(f"building into {folder.name if folder == DIST else 'a second folder'}")
            _build(folder)
        _compare(DIST, Path(second))
    _check_sdist()
    _run(sys.executable, "-m", "twine", "check", "--strict", *_packages())
    # Not the environment that this runs in: it has more than a bare machine.
    this = pythons.Python(Path(sys.base_prefix, "bin", "python3"), tuple(sys.version_info[:3]))
    for python in (this, *(() if is_draft else pythons.found())):
        _check_on(python)
    sums = "".join(f"{_digest(path)}  {path.name}\n" for path in sorted(DIST.iterdir()))
    (DIST / "SHA256SUMS").write_text(sums, "utf-8")
    print(f"\n{sums}", end="")
    return version


def _version() -> str:
    script = "import cogwire; print(cogwire.__version__)"
    return _output(sys.executable, "-c", script)


def _check_sources(version: str) -> None:
    if changed := _output("git", "status", "--porcelain"):
        raise ReleaseError(f"the working tree has changes that are not committed:\n{changed}")
    if f"\n## {version}" not in (ROOT / "CHANGELOG.md").read_text("utf-8"):
        raise ReleaseError(f"CHANGELOG.md has no section for version {version}")
    if _output("git", "tag", "--list", f"v{version}"):
        raise ReleaseError(f"the tag v{version} exists: set a new version in src/cogwire")


# --- Building -------------------------------------------------------------------------------------


def _build(folder: Path) -> None:
    """Write the wheel, the source distribution and the zipapp into `folder`."""
    hatchling = (sys.executable, "-m", "hatchling", "build", "--directory", folder)
    _run(*hatchling, "--target", "sdist", "--target", "wheel")
    (wheel,) = folder.glob("*.whl")
    with tempfile.TemporaryDirectory() as site:
        pins = Path(site, "pins.txt")
        pins.write_text("".join(_pins()), "utf-8")
        pip = (sys.executable, "-m", "pip", "install", "--quiet", "--no-deps", "--no-compile")
        # Wheels of pure Python alone, for the oldest Python that is supported.
        pure = ("--platform=any", "--implementation=py", "--abi=none", "--only-binary=:all:")
        target = Path(site, "site")
        _run(*pip, *pure, "--python-version=3.10", f"--target={target}", f"--requirement={pins}")
        _run(*pip, f"--target={target}", "--upgrade", wheel)
        shutil.copy(RPDS, target)
        _tidy(target)
        _run(
            *(sys.executable, "-m", "shiv.cli", "--site-packages", target, "--compressed"),
            *("--entry-point", "cogwire_kit.__main__:main", "--reproducible"),
            *("--build-id", f"cogwire-{_digest(wheel)[:16]}"),
            *("--output-file", folder / "cogwire.pyz"),
        )


def _pins() -> Iterable[str]:
    """Yield the lines of the pins that the zipapp needs, for every Python."""
    for line in PINS.read_text("utf-8").splitlines():
        requirement = line.partition(";")[0].strip()
        if requirement.partition("==")[0].lower() in IN_ZIPAPP:
            yield f"{requirement}\n"


def _tidy(site: Path) -> None:
    """Remove what pip writes differently each time, and scripts that nobody calls."""
    shutil.rmtree(site / "bin", ignore_errors=True)
    for pattern in ("*.dist-info/RECORD", "*.dist-info/direct_url.json", "*.dist-info/REQUESTED"):
        for path in site.glob(pattern):
            path.unlink()


def _compare(one: Path, other: Path) -> None:
    for path in sorted(one.iterdir()):
        if _digest(path) != _digest(other / path.name):
            raise ReleaseError(f"two builds of {path.name} differ")
    _say("two builds are the same to the byte")


# --- Checking -------------------------------------------------------------------------------------


def _check_sdist() -> None:
    """Build a wheel from the source distribution, which must be the wheel."""
    wheel, sdist = _packages()
    with tempfile.TemporaryDirectory() as folder:
        with tarfile.open(sdist) as archive:
            archive.extraction_filter = getattr(tarfile, "data_filter", None)
            archive.extractall(folder)  # noqa: S202 - it is our own
        (source,) = Path(folder).iterdir()
        build = (sys.executable, "-m", "hatchling", "build", "--target", "wheel")
        _run(*build, "--directory", folder, into=source)
        if _digest(Path(folder, wheel.name)) != _digest(wheel):
            raise ReleaseError("the source distribution builds another wheel")
    _say("the source distribution builds the same wheel")


def _check_on(python: pythons.Python) -> None:
    """Install the wheel with its command line, and use it; then use the zipapp."""
    _say(f"Python {python.name}")
    wheel = _packages()[0]
    with tempfile.TemporaryDirectory() as folder:
        own = Path(folder, "environment")
        _run(python.path, "-m", "venv", own)
        pip = (own / "bin" / "python", "-m", "pip", "install", "--quiet", "--no-compile")
        _run(*pip, f"{wheel}[kit]", into=folder)
        cogwire = own / "bin" / "cogwire"
        clean = {"PATH": f"{own / 'bin'}:/usr/bin:/bin", "HOME": folder, "LANG": "C.UTF-8"}
        run = ("conformance", "run", "--property=events")
        # It has no google-re2, which is compiled and has no stand-in.
        zipapp = (python.path, "-I", DIST / "cogwire.pyz")
        for command in (
            (cogwire, "demo", "--fast"),
            (cogwire, *run, "--", cogwire, "adapter"),
            (*zipapp, "demo", "--fast"),
            # It has the cases of the wheel; a part of them shows that it finds them.
            (*zipapp, *run, "--dialect=delimiter-upper", "--", cogwire, "adapter"),
            (cogwire, *run[:2], *pythons.ONCE, pythons.KNOWN, "--", *zipapp, "adapter"),
        ):
            done = subprocess.run(
                command, cwd=folder, env=clean, check=False, capture_output=True, text=True
            )
            if done.returncode:
                shown = " ".join(map(str, command))
                raise ReleaseError(f"{shown}\n{done.stdout[-2000:]}{done.stderr[-2000:]}")
            print("  ", (done.stdout.strip() or done.stderr.strip()).splitlines()[-1], flush=True)


# --- Helpers --------------------------------------------------------------------------------------


def _packages() -> list[Path]:
    """Return the wheel and the source distribution."""
    return [*DIST.glob("*.whl"), *DIST.glob("*.tar.gz")]


def _digest(path: Path) -> str:
    return hashlib.sha256(path.read_bytes()).hexdigest()


def _say(text: str) -> None:
    print(f"== {text}", flush=True)


def _output(*command: object) -> str:
    arguments = [str(part) for part in command]
    done = subprocess.run(arguments, cwd=ROOT, check=True, capture_output=True, text=True)
    return done.stdout.strip()


def _run(*command: object, into: Path | str = ROOT) -> None:
    epoch = _output("git", "log", "-1", "--format=%ct")
    environment = os.environ | {"SOURCE_DATE_EPOCH": epoch, "PIP_DISABLE_PIP_VERSION_CHECK": "1"}
    arguments = [str(part) for part in command]
    subprocess.run(arguments, cwd=into, check=True, env=environment, stdout=subprocess.DEVNULL)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
