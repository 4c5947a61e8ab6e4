# SPDX-License-Identifier: MIT
"""The contents of events as HTML, with every value spelled as it was."""

import json
from collections.abc import Iterator

from cogwire import Event
from cogwire.events import ErrorEvent
from cogwire.tooling import elements, members
from cogwire_kit.texts.words import counted
from cogwire_kit.view.markup import escaped


def card(event: Event | None) -> str:
    """Return the HTML for an event, or for text that belongs to none."""
    if event is None:
        return '<p class="note">belongs to no event</p>'
    match event["type"]:
        case "think" | "respond":
            return f'<pre class="text">{_block(event["content"])}</pre>'
        case "call":
            return "".join(_call(event["content"]))
        case "result":
            return "".join(_result(event["content"]))
        case "error":
            return _error(event)
        case "execute":
            return '<p class="note">the calls above may run</p>'
        case "end":
            return '<p class="note">the model says that it is done</p>'
        case _:
            return f"<pre>{_block(json.dumps(event, ensure_ascii=False))}</pre>"


def _block(text: str) -> str:
    """Return text for a `pre`, whose first newline a browser would drop."""
    return f"<code>{escaped(text)}</code>"


def _value(source: str) -> str:
    """Return a JSON value as it is spelled, but a string decoded."""
    text = json.loads(source) if source.startswith('"') else source
    return f"<pre>{_block(text)}</pre>"


def _call(content: str) -> Iterator[str]:
    call = dict(members(content))
    yield f'<p class="name">{escaped(json.loads(call["name"]))}</p>'
    yield "<dl>"
    for name, source in members(call.get("args", "{}")):
        yield f"<dt>{escaped(name)}</dt><dd>{_value(source)}</dd>"
    yield "</dl>"


def _result(content: str) -> Iterator[str]:
    yield '<ul class="items">'
    for source in elements(content):
        item = dict(members(source))
        tool, status = json.loads(item["tool"]), json.loads(item["status"])
        badge = f'<span class="status {status}">{status}</span>'
        yield f'<li><p class="name">{escaped(tool)} {badge}</p>'
        yield f"{_value(item['content'])}</li>"
    yield "</ul>"


def _error(event: ErrorEvent) -> str:
    voided = event["calls"]
    void = f" It voids {counted(voided, 'call')}." if voided else ""
    return (
        f'<p class="message"><span class="code">{event["code"]}</span>'
        f" {escaped(event['content'])}{void}</p>"
    )
