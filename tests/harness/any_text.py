"""Texts of any characters. `st.text()` draws from tables of all characters, which each process would build for seconds."""

from hypothesis import strategies as st

SURROGATES = range(0xD800, 0xE000)


def any_text(max_size: int | None = None) -> st.SearchStrategy[str]:
    """A text of at most so many characters, whatever they are."""
    points = st.integers(0, 0x10FFFF).filter(lambda point: point not in SURROGATES)
    return st.lists(points.map(chr), max_size=max_size).map("".join)
