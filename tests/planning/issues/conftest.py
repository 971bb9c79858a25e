import pytest

from mujina.planning.work_items.lists import plans


@pytest.fixture
def issue(cast):
    return f"/projects/{cast.private.id}/issues/{cast.open}"


@pytest.fixture
def many_issues(monkeypatch):
    """Searches use the index of texts, as where there are many issues."""
    monkeypatch.setattr(plans, "FEW_TO_SEARCH", 0)
