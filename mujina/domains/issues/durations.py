"""Time as people say it: a week has five days, a day eight hours, a month four weeks."""

_MINUTE, _HOUR = 60, 3600
_DAY = 8 * _HOUR
_WEEK = 5 * _DAY
_MONTH = 4 * _WEEK
_UNITS = (("mo", _MONTH), ("w", _WEEK), ("d", _DAY), ("h", _HOUR), ("m", _MINUTE), ("s", 1))


def spell(seconds: int) -> str | None:
    """`5400` as `1h 30m`; nothing at all is null."""
    if seconds == 0:
        return None
    rest, parts = abs(seconds), list[str]()
    for unit, size in _UNITS:
        count, rest = divmod(rest, size)
        if count:
            parts.append(f"{count}{unit}")
    return ("-" if seconds < 0 else "") + " ".join(parts)
