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


def test_a_list_stands_for_a_label(cast, lists, labels):
    made = cast.reporter.post(lists, label_id=labels[0])
    assert made.status == 201
    assert made.json == {
        "id": made.json["id"], "position": 0,
        "label": {"id": labels[0], "name": "to do", "color": "#112233", "description": None},
    }  # fmt: skip
    assert cast.guest.get(f"{lists}/{made.json['id']}").json == made.json
    again = cast.reporter.post(lists, label_id=labels[0])
    assert (again.status, again.json) == (400, {"message": {"label": ["has already been taken"]}})


def test_a_label_of_a_group_above_will_do_and_a_foreign_one_will_not(cast, lists):
    assert cast.reporter.post(lists, label_id=999_999).json == {"error": "Label not found!"}
    foreign = cast.reporter.post(f"/projects/{cast.public.id}/labels", name="x", color="#112233").json
    assert cast.reporter.post(lists, label_id=foreign["id"]).status == 400


def test_lists_are_moved_and_the_others_close_up(cast, lists, three):
    assert order(cast, lists) == ["to do", "doing", "done"]
    moved = cast.reporter.put(f"{lists}/{three[2]['id']}", position=0)
    assert (moved.status, moved.json["position"]) == (200, 0)
    assert order(cast, lists) == ["done", "to do", "doing"]
    for beyond in (3, -1):
        assert cast.reporter.put(f"{lists}/{three[2]['id']}", position=beyond).status == 400
    assert cast.reporter.delete(f"{lists}/{three[0]['id']}").status == 204
    assert order(cast, lists) == ["done", "doing"]


def test_lists_are_arranged_by_reporters(cast, lists, three, labels):
    one = f"{lists}/{three[0]['id']}"
    assert cast.guest.post(lists, label_id=labels[0]).status == 403
    assert cast.guest.put(one, position=1).status == 403
    assert cast.guest.delete(one).status == 403
    assert cast.stranger.get(lists).status == 404
    assert cast.guest.get(f"{lists}/99999").json == {"message": "404 List Not Found"}


def test_a_list_goes_with_its_label(cast, lists, three):
    cast.reporter.delete(f"/projects/{cast.private.id}/labels?name=doing")
    assert [one["label"]["name"] for one in cast.guest.get(lists).json] == ["to do", "done"]
