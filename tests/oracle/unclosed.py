"""One turn in a format whose calls have no closer: they end where JSON ends."""

from .wrapped import Wrapped


class Unclosed(Wrapped):
    """A turn in such a format."""

    # tr-mistral-end
    # The call ends with its object.
    def read_closer(self) -> bool:
        return True

    # tr-mistral-skip tr-llama-skip
    # A broken rule: the text continues at the next marker.
    def skip(self, code: str, offset: int, path: str) -> bool:
        super().skip(code, offset, path)
        self.at = offset
        found = self.go_to_marker()
        self.at_open_call = found == ""
        return found != ""
