"""Parts of a file that a client asks for by `Range`."""

from collections.abc import Mapping

import msgspec

from mujina.kernel.errors import ApiError
from mujina.kernel.text.deferred_patterns import deferred_pattern

_RANGE = deferred_pattern(r"bytes=(?:(?P<first>[0-9]{1,18})-(?P<last>[0-9]{1,18})?|-(?P<length>[0-9]{1,18}))")


def range_not_satisfiable(headers: Mapping[str, str]) -> ApiError:
    """The bytes that the request names are not there; a header says how many there are."""
    return ApiError(416, {"error": "416 Range Not Satisfiable"}, headers)


class ByteRange(msgspec.Struct, frozen=True):
    """The bytes from `start` to before `end`; `total` is the size of the file."""

    start: int
    end: int
    total: int

    @property
    def whole(self) -> bool:
        return self.end - self.start == self.total

    @property
    def status(self) -> int:
        return 200 if self.whole else 206

    @property
    def headers(self) -> dict[str, str]:
        """The headers of the response that has these bytes."""
        part = {} if self.whole else {"Content-Range": f"bytes {self.start}-{self.end - 1}/{self.total}"}
        return {"Accept-Ranges": "bytes", "Content-Length": str(self.end - self.start), **part}


def read_range(header: str | None, total: int) -> ByteRange:
    """The bytes that the header names, all of them without one; 416 if there are none.

    A header of several ranges, or of another form, is ignored, as HTTP permits.
    """
    asked = _RANGE.fullmatch((header or "").strip())
    if asked is None:
        return ByteRange(0, total, total)
    if asked["length"] is not None:
        start, end = max(0, total - int(asked["length"])), total
    else:
        start = int(asked["first"])
        end = total if asked["last"] is None else min(int(asked["last"]) + 1, total)
    if start >= end:
        raise range_not_satisfiable({"Content-Range": f"bytes */{total}"})
    return ByteRange(start, end, total)
