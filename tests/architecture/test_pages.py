"""The generated pages agree with the code."""

from docs.generate import stale


def test_the_generated_pages_are_current():
    assert stale() == [], "`make docs` writes them"
