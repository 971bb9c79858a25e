"""The tier of an environment whose CI file names none: what its name says."""

import re
from typing import Final

_WORDS: Final = {
    "development": re.compile(r"dev|review|trunk", re.IGNORECASE),
    "testing": re.compile(r"test|tst|\bint|qa|accept", re.IGNORECASE),
    "staging": re.compile(r"stag|stg|pre|demo|model", re.IGNORECASE),
    "production": re.compile(r"prod|prd|live", re.IGNORECASE),
}
"""Parts of names, of which the first that occurs counts: `preproduction` is no place for customers."""


def tier_of(name: str, stored: str | None) -> str:
    """The tier that was set, else that of the name."""
    return stored or next((tier for tier, words in _WORDS.items() if words.search(name)), "other")
