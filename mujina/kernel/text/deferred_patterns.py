"""Patterns that are compiled when they are first used.

A start imports nearly three hundred and uses few of them: compiling the largest took a twentieth of it.
"""

import re
from typing import Any, cast


def deferred_pattern(text: str, flags: int = 0) -> re.Pattern[str]:
    """The pattern; from its first use on, its methods are found as quickly as those of a compiled one."""
    return cast("re.Pattern[str]", _Deferred(text, flags))


class _Deferred:
    def __init__(self, text: str, flags: int) -> None:
        self._source = text, flags

    def __getattr__(self, name: str) -> Any:
        found = getattr(re.compile(*self._source), name)
        setattr(self, name, found)
        return found
