# SPDX-License-Identifier: MIT
"""How calls with a head are written and taught."""

import json

from .....text.decoding import is_text
from ...format import ValueWriter
from ...values import RenderError
from ..writing import PayloadWriting
from .head import ARGS, NAME_RUN


class HeadedWriting(PayloadWriting):
    """The name of a tool, `[ARGS]`, and a JSON object with its arguments."""

    description: str = f"the name of the tool, `{ARGS}`, and its arguments as a JSON object."
    rules: str = PayloadWriting.rules.replace(
        "one JSON object and nothing else",
        f"the tool's name, `{ARGS}`, one JSON object and nothing else",
    ).replace(
        "- Every call has a `name`, a string. Its `args` are an object, `{}` without arguments.",
        "- The object has the arguments by their names, and is `{}` without arguments.",
    )

    def write(self, name: str, args: dict[object, object], writer: ValueWriter, path: str) -> str:
        head = f"{_checked(name, f'{path}/name')}{ARGS}"
        return writer.take(head, path) + writer.write(args, f"{path}/args")

    def spell(self, name: str, args: str) -> str:
        return f"{_checked(json.loads(name), '/name')}{ARGS}{args}"


def _checked(name: str, path: str) -> str:
    """Return `name`, of a tool, if a head can contain it."""
    if NAME_RUN.fullmatch(name) is None or not is_text(name):
        raise RenderError(path, f"{name!r} has a `[`, a `{{` or white space, which end a name here")
    return name
