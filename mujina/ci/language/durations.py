"""Durations as people write them: `1 week`, `3h30m`, `2 yrs 6 mos`, `4:30`, `90`."""

import re
from typing import Final

from mujina.ci.language.yaml.values import Value

MAX_SECONDS: Final = 100 * 366 * 86_400
"""A longer duration is as good as this one."""
_MAX_LENGTH: Final = 255
_MINUTE, _HOUR, _DAY = 60, 3_600, 86_400
_UNITS: Final = {
    unit: seconds
    for seconds, units in (
        (1, "s sec secs second seconds"),
        (_MINUTE, "m min mins minute minutes"),
        (_HOUR, "h hr hrs hour hours"),
        (_DAY, "d day days"),
        (7 * _DAY, "w wk wks week weeks"),
        (30 * _DAY, "mo mos mon mons month months"),
        (36_525 * _DAY // 100, "y yr yrs year years"),
    )
    for unit in units.split()
}
_PART = re.compile(r"([0-9]+(?:\.[0-9]+)?)\s*([a-z]*)")
_CLOCK = re.compile(r"(?:([0-9]{1,9}):)?([0-9]{1,9}):([0-9]{1,2})")
_IGNORED = re.compile(r"\band\b|,")


def read_duration(value: Value) -> int | None:
    """The seconds of a duration; None if it is none. A bare number is seconds."""
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return min(value, MAX_SECONDS) if value >= 0 else None
    if not isinstance(value, str) or len(value) > _MAX_LENGTH or not value.isascii():
        return None
    text = _IGNORED.sub(" ", value.lower()).strip()
    if clock := _CLOCK.fullmatch(text):
        hours, minutes, seconds = (int(part or 0) for part in clock.groups())
        return min(hours * _HOUR + minutes * _MINUTE + seconds, MAX_SECONDS)
    return _sum_of_parts(text)


def _sum_of_parts(text: str) -> int | None:
    parts = list(_PART.finditer(text))
    if not parts or _PART.sub("", text).strip():
        return None
    total = 0.0
    for part in parts:
        unit = part[2] or "s"
        if unit not in _UNITS:
            return None
        total += float(part[1]) * _UNITS[unit]
    return int(min(total, MAX_SECONDS))
