# SPDX-License-Identifier: MIT
"""Draws the pictures of README, guides and previews with Debian's chromium: `make pictures`.

They are of a run of the parser, of the playground, and of `cogwire view`, which shows the
transcript of a recorded session that `make demo` replays.
"""

import asyncio
import functools
import http.server
import runpy
import shutil
import tempfile
import threading
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any, Final

from tests.browser import chromium

from cogwire import Message, StoredEvent
from cogwire_kit.view.page import ViewedTranscript, page
from website.picturing import FOLDER, stream

EXAMPLES: Final = Path(__file__).parents[1] / "examples"
VIEW: Final = Path(__file__).parent / "guides" / "view.png"
#: What shows a picture beside a link shows it in this size.
SIZE: Final = {"width": 1200, "height": 630}
_VIEW_SIZE: Final = {"width": 1280, "height": 960}
#: What it begins with: the turn whose block breaks a rule.
_ROW: Final = "#t1-7"
#: How far below the top of the window it begins.
_ABOVE: Final = "(one, above) => scrollTo(0, one.getBoundingClientRect().top - above)"
_MOVE: Final = "(one) => { one.value = 54; one.dispatchEvent(new Event('input')); }"
_PREVIEW: Final = """\
<body style="margin:0;width:1200px;height:630px;display:flex;flex-direction:column;
justify-content:center;align-items:center;gap:36px;background:#fff;color:#1d3a57;
font-family:'DejaVu Sans',sans-serif">
<div style="width:1100px"><b style="font-size:64px">cogwire</b>
<div style="font-size:30px;margin-top:8px">A model's stream becomes typed events</div></div>
<div style="width:1100px">{picture}</div>"""


class _Quiet(http.server.SimpleHTTPRequestHandler):
    def log_message(self, *_: Any) -> None:
        """Say nothing."""


def draw(site: Path) -> None:
    """Write all pictures; the playground's show the site in a folder."""
    (FOLDER / "stream.svg").write_text(stream(), "utf-8", newline="\n")
    text = transcript(EXAMPLES / "recordings" / "page")  # while no other event loop runs
    with chromium() as browser:
        _preview(browser.new_page(viewport=SIZE))
        handler = functools.partial(_Quiet, directory=site)
        with http.server.ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
            threading.Thread(target=server.serve_forever, daemon=True).start()
            address = f"http://127.0.0.1:{server.server_port}/playground/index.html"
            for name, scheme in (("playground", "light"), ("playground-dark", "dark")):
                tab = browser.new_page(viewport=SIZE, color_scheme=scheme)
                _playground(tab, address, FOLDER / f"{name}.png")
            server.shutdown()
        _view(browser.new_page(viewport=_VIEW_SIZE), text)


def _preview(tab: Any) -> None:
    picture = stream().replace("<svg ", '<svg style="width:100%;height:auto" ')
    tab.set_content(_PREVIEW.format(picture=picture))
    tab.screenshot(path=FOLDER / "preview.png")


def _playground(tab: Any, address: str, path: Path) -> None:
    """Draw the playground in the middle of a stream."""
    tab.goto(address)
    tab.locator('#playground[data-reference="ready"]').wait_for(timeout=120_000)
    tab.locator("#pg-position").evaluate(_MOVE)
    tab.locator("#pg-example").evaluate(_ABOVE, 90)
    tab.wait_for_timeout(1000)  # until nothing moves
    tab.screenshot(path=path)


def _view(tab: Any, text: str) -> None:
    html = page("session.txt", [ViewedTranscript("session.txt", text, "xml-json")])
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "session.html"
        file.write_text(html, "utf-8", newline="")
        tab.goto(file.as_uri())
        tab.locator(_ROW).evaluate(_ABOVE, 46)
        tab.screenshot(path=VIEW)


def transcript(recording: Path) -> str:
    """Return what a recorded session is on the wire: the model's turns, and their results."""
    _user, *turns = (path.read_text("utf-8") for path in sorted(recording.glob("*.txt")))
    left = iter(turns)
    wire: list[str] = []

    async def model(messages: list[Message]) -> AsyncIterator[str]:
        if wire:
            wire.append(messages[-1]["content"] + "\n")
        wire.append(next(left))
        yield wire[-1]

    def see(_event: StoredEvent) -> None:
        pass

    loop = runpy.run_path(str(EXAMPLES / "agent_loop.py"))
    with tempfile.TemporaryDirectory() as work:
        shutil.copytree(recording / "files", work, dirs_exist_ok=True)
        tools = loop["file_tools"](Path(work))
        asyncio.run(loop["answer"]("", [], model, tools, see))
    return "".join(wire)
