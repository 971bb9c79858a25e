import pytest

from mujina.planning.issues import search


@pytest.fixture
def issue(cast):
    return f"/projects/{cast.private.id}/issues/{cast.open}"


@pytest.fixture
def many_issues(monkeypatch):
    """Searches use the index of texts, as where there are many issues."""
    monkeypatch.setattr(search, "FEW_TO_SEARCH", 0)
