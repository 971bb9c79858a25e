import pytest


@pytest.fixture
def lists(cast):
    """Where the lists of a new board are."""
    boards = f"/projects/{cast.private.id}/boards"
    return f"{boards}/{cast.master.post(boards, name='Mine').json['id']}/lists"


@pytest.fixture
def labels(cast):
    path = f"/projects/{cast.private.id}/labels"
    return [cast.reporter.post(path, name=name, color="#112233").json["id"] for name in ("to do", "doing", "done")]


@pytest.fixture
def three(cast, lists, labels):
    return [cast.reporter.post(lists, label_id=label).json for label in labels]


def test_a_list_goes_with_its_label(cast, lists, three):
    cast.reporter.delete(f"/projects/{cast.private.id}/labels?name=doing")
    assert [one["label"]["name"] for one in cast.guest.get(lists).json] == ["to do", "done"]
