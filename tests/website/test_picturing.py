"""The pictures are there, and the one of a stream is what the parser gives today."""

import struct
import xml.etree.ElementTree as ET

import cogwire
from website import drawing, picturing

SVG = "{http://www.w3.org/2000/svg}"


def test_the_picture_of_a_stream_is_up_to_date_and_has_every_chunk_and_event():
    picture = (picturing.FOLDER / "stream.svg").read_text("utf-8")
    assert picture == picturing.stream(), "make pictures"
    words = [text.text for text in ET.fromstring(picture).iter(f"{SVG}text")]  # noqa: S314 (our own)
    events = cogwire.parse("".join(picturing.CHUNKS), clock=None)
    assert [event["type"] for event in events] == ["think", "call", "execute"]
    assert {event["type"] for event in events} < set(words)
    assert {chunk.replace("\n", "↵") for chunk in picturing.CHUNKS} < set(words)
    assert words.count("nothing yet") == 4
    assert "prefers-color-scheme:dark" in picture


def test_previews_have_pictures_of_their_size():
    for name in ("preview", "playground", "playground-dark"):
        head = (picturing.FOLDER / f"{name}.png").read_bytes()[:24]
        assert head[:8] == b"\x89PNG\r\n\x1a\n"
        assert struct.unpack(">II", head[16:]) == tuple(drawing.SIZE.values())
