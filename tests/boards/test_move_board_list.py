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


def order(cast, lists):
    found = cast.guest.get(lists).json
    assert [one["position"] for one in found] == list(range(len(found)))
    return [one["label"]["name"] for one in found]


@pytest.fixture
def three(cast, lists, labels):
    return [cast.reporter.post(lists, label_id=label).json for label in labels]


def test_lists_are_moved_and_the_others_close_up(cast, lists, three):
    assert order(cast, lists) == ["to do", "doing", "done"]
    moved = cast.reporter.put(f"{lists}/{three[2]['id']}", position=0)
    assert (moved.status, moved.json["position"]) == (200, 0)
    assert order(cast, lists) == ["done", "to do", "doing"]
    for beyond in (3, -1):
        assert cast.reporter.put(f"{lists}/{three[2]['id']}", position=beyond).status == 400


def test_lists_are_moved_by_reporters(cast, lists, three):
    one = f"{lists}/{three[0]['id']}"
    assert cast.guest.put(one, position=1).status == 403
