# SPDX-License-Identifier: MIT
"""The bodies of results in the delimiter dialects, and the items that they represent."""

import functools
import json
import re
from typing import Final

from hypothesis import assume
from hypothesis import strategies as st

from cogwire_kit.strategies._json import is_json, items, values
from cogwire_kit.strategies._lines import holds_marker, prose
from cogwire_kit.strategies._prose import white
from cogwire_kit.strategies._wire import WHITE


def stays(body: str, *, is_bracketed: bool) -> bool:
    """Whether a text stays inside the body of a result."""
    return not (holds_marker(body) or (is_bracketed and re.search(r"\][\r\n]", body)))


#: Bodies of either form of result.
BODIES: Final = {
    is_bracketed: prose.filter(functools.partial(stays, is_bracketed=is_bracketed))
    for is_bracketed in (False, True)
}
#: Bodies that do not represent an item unchanged.
contents = st.one_of(prose, values)


@st.composite
def answers(draw: st.DrawFn, tool: str, *, is_bracketed: bool, success: bool) -> tuple[str, str]:
    """Write the body of a result of `tool`; return it and the item that it represents."""
    is_whole = not success or draw(st.booleans())
    written = items(tool, success=success) if is_whole else contents
    padding = draw(white)
    body = padding + draw(written) + padding
    assume(stays(body, is_bracketed=is_bracketed))
    content = body.strip(WHITE)
    if is_json(content) and is_item(content):
        return body, content
    name = json.dumps(tool, ensure_ascii=False)
    if not is_json(content):
        content = json.dumps(content, ensure_ascii=False)
    return body, f'{{"tool": {name}, "status": "success", "content": {content}}}'


def is_item(content: str) -> bool:
    """Whether a JSON text is an object of exactly the members of an item."""
    value = json.loads(content, parse_int=str)
    return isinstance(value, dict) and value.keys() == {"tool", "status", "content"}
