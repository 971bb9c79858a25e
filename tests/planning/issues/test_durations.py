"""Durations as people write them, read and written the same way."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from mujina.planning.time_tracking.durations import MAX_SECONDS, format_duration, parse_duration
from tests.harness.any_text import any_text

M, H = 60, 3600
D, W, MO = 8 * H, 40 * H, 160 * H


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("3h 30m", 3 * H + 30 * M),
        ("3h30m", 3 * H + 30 * M),
        ("30m 3h", 3 * H + 30 * M),
        ("1h 1h", 2 * H),
        ("1mo", MO),
        ("1mo 2w 3d 4h 5m 6s", MO + 2 * W + 3 * D + 4 * H + 5 * M + 6),
        ("1y", 12 * MO),
        ("2 yrs 1 year 1yr", 48 * MO),
        ("2 mos 1 month 3 months", 6 * MO),
        ("1wk 2wks 1 week 2 weeks", 6 * W),
        ("1dy 1 day 2 days", 4 * D),
        ("1hr 2hrs 1 hour 2 hours", 6 * H),
        ("1min 2mins 1 minute 2 minutes", 6 * M),
        ("1sec 2secs 1 second 2 seconds", 6),
        ("1.5h", 90 * M),
        (".5h", 30 * M),
        ("0.25d", 2 * H),
        ("1:20", M + 20),
        ("1:20:51", H + 20 * M + 51),
        ("1d 1:20", D + M + 20),
        ("3", 3 * H),
        ("1.5", 90 * M),
        ("day", D),
        ("Week", W),
        ("hour and 5 min", H + 5 * M),
        ("1 hour and 20 minutes", H + 20 * M),
        ("1h, 20m", H + 20 * M),
        ("1h with 20m plus 5s", H + 20 * M + 5),
        ("1H 20MIN", H + 20 * M),
        ("  1h  ", H),
        ("-1h 30m", -90 * M),
        ("- 1h", -H),
        ("0.4s 0.4s", 1),
    ],
)
def test_a_duration_is_read(text, seconds):
    assert parse_duration(text) == seconds


@pytest.mark.parametrize(
    "text",
    ["", " ", "-", "0", "0h", "0.1s", "soon", "1h soon", "1x", "1h day", "--1h", "1h -30m", "1:2:3:4", "1:", "é",
     "1h/2", "9" * 16, f"{MAX_SECONDS + 1}s", "999999999y", "1e3h", "\u0663h", "and"],
)  # fmt: skip
def test_anything_else_is_none(text):
    assert parse_duration(text) is None


@pytest.mark.parametrize(
    ("seconds", "text"),
    [(0, None), (1, "1s"), (90 * M, "1h 30m"), (D, "1d"), (4 * W, "1mo"), (13 * MO, "13mo"), (-H, "-1h"),
     (MO + 2 * W + 3 * D + 4 * H + 5 * M, "1mo 2w 3d 4h 5m")],
)  # fmt: skip
def test_a_duration_is_formatted_from_the_largest_unit(seconds, text):
    assert format_duration(seconds) == text


@given(st.integers(-MAX_SECONDS, MAX_SECONDS).filter(bool))
def test_a_formatted_duration_parses_back(seconds):
    assert parse_duration(format_duration(seconds)) == seconds


@given(any_text())
def test_any_text_is_a_duration_or_none(text):
    assert parse_duration(text) is None or abs(parse_duration(text)) <= MAX_SECONDS
