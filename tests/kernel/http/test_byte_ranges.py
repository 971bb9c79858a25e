"""Parts of a file by `Range`."""

import pytest

from mujina.kernel.errors import ApiError
from mujina.kernel.http.byte_ranges import read_range


@pytest.mark.parametrize(
    ("header", "start", "end"),
    [
        (None, 0, 10), ("bytes=0-", 0, 10), ("bytes=2-4", 2, 5), ("bytes=2-99", 2, 10), ("bytes=-3", 7, 10),
        ("bytes=-99", 0, 10), ("bytes=9-9", 9, 10), ("bytes=0-1,3-4", 0, 10), ("lines=1-2", 0, 10), ("bytes=x", 0, 10),
    ],
)  # fmt: skip
def test_a_header_names_bytes(header, start, end):
    part = read_range(header, 10)
    assert (part.start, part.end) == (start, end)
    assert part.headers["Content-Length"] == str(end - start)
    assert (part.status, part.headers.get("Content-Range")) == (
        (200, None) if part.whole else (206, f"bytes {start}-{end - 1}/10")
    )


@pytest.mark.parametrize(("header", "total"), [("bytes=10-", 10), ("bytes=4-2", 10), ("bytes=-0", 10), ("bytes=0-", 0)])
def test_bytes_that_are_not_there_cannot_be_sent(header, total):
    with pytest.raises(ApiError) as refused:
        read_range(header, total)
    assert (refused.value.status, refused.value.headers["Content-Range"]) == (416, f"bytes */{total}")
