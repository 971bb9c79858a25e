"""What is made from the code says what the code says."""

from docs.generate import stale


def test_the_generated_pages_are_current():
    assert stale() == [], "`make docs` writes them"
