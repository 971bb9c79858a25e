import pytest


@pytest.fixture
def boards(cast):
    return f"/projects/{cast.private.id}/boards"


@pytest.fixture
def board(cast, boards):
    """A board of this test's own."""
    return f"{boards}/{cast.master.post(boards, name='Mine').json['id']}"


@pytest.fixture
def lists(board):
    return f"{board}/lists"


@pytest.fixture
def labels(cast):
    path = f"/projects/{cast.private.id}/labels"
    return [cast.reporter.post(path, name=name, color="#112233").json["id"] for name in ("to do", "doing", "done")]


@pytest.fixture
def three(cast, lists, labels):
    """A list for each of the labels, in their order."""
    return [cast.reporter.post(lists, label_id=label).json for label in labels]
