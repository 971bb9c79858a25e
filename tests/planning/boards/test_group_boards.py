"""The boards of groups: the same verbs as for projects, for reporters of the group."""

import pytest

from tests.harness.cases import Case, Has, cases

BOARDS = "/groups/{team.id}/boards"


@pytest.fixture
def boards(cast):
    return f"/groups/{cast.team.id}/boards"


@pytest.fixture
def board(cast, boards):
    return f"{boards}/{cast.owner.post(boards, name='Roadmap').json['id']}"


@pytest.fixture
def labels(cast):
    path = f"/groups/{cast.team.id}/labels"
    return [cast.owner.post(path, name=name, color="#112233").json["id"] for name in ("to do", "doing", "done")]


@cases([
    Case("anonymous", f"GET {BOARDS}", 401),
    Case("guest", f"GET {BOARDS}", 200, []),
    Case("guest", f"GET {BOARDS}/99999", 404, {"message": "404 Board Not Found"}),
    Case("owner", "GET /groups/99999/boards", 404, {"message": "404 Group Not Found"}),
    Case("guest", f"POST {BOARDS}", 403, params={"name": "x"}, events=[]),
    Case("owner", f"POST {BOARDS}", 201, Has(name="x", project=None, lists=[]), {"name": " x "}, events=["board.created"]),
    Case("owner", f"POST {BOARDS}", 400, {"message": {"name": ["can't be blank"]}}, {"name": " "}),
])  # fmt: skip
def test_readers_list_boards_and_owners_create_them(case, cast):
    case.holds(cast)


def test_a_board_carries_its_group(cast, boards, board):
    shown = cast.guest.get(board).json
    group = cast.guest.get(f"/groups/{cast.team.id}").json
    assert shown["group"] == {"id": group["id"], "web_url": group["web_url"], "name": group["name"]}
    assert shown["project"] is None
    assert set(shown) == {"id", "project", "group", "name", "lists", "milestone", "assignee", "labels", "weight"}
    listed = cast.guest.get(boards)
    assert (listed.json, listed.headers["X-Total"]) == ([shown], "1")


def test_a_group_board_is_renamed_and_deleted_with_its_lists(cast, boards, board, labels):
    cast.owner.post(f"{board}/lists", label_id=labels[0])
    assert cast.guest.put(board, name="y").status == 403
    assert cast.owner.put(board, name="y").json["name"] == "y"
    assert cast.guest.delete(board).status == 403
    assert cast.owner.delete(board).status == 204
    assert cast.guest.get(board).json == {"message": "404 Board Not Found"}
    assert cast.guest.get(f"{board}/lists").json == {"message": "404 Board Not Found"}
    assert cast.guest.get(boards).json == []


def test_lists_are_made_moved_and_deleted(cast, board, labels):
    lists = f"{board}/lists"
    assert cast.guest.post(lists, label_id=labels[0]).status == 403
    made = [cast.owner.post(lists, label_id=label).json for label in labels]
    assert cast.owner.post(lists, label_id=labels[0]).json == {"message": {"label": ["has already been taken"]}}
    assert cast.guest.get(f"{lists}/{made[1]['id']}").json == made[1]
    assert cast.owner.put(f"{lists}/{made[2]['id']}", position=0).json["position"] == 0
    assert [each["label"]["name"] for each in cast.guest.get(lists).json] == ["done", "to do", "doing"]
    assert cast.owner.delete(f"{lists}/{made[0]['id']}").status == 204
    assert [each["label"]["name"] for each in cast.guest.get(board).json["lists"]] == ["done", "doing"]


def test_a_label_of_a_project_has_no_list_in_its_group(cast, board):
    label = cast.reporter.post(f"/projects/{cast.private.id}/labels", name="own", color="red").json
    answer = cast.owner.post(f"{board}/lists", label_id=label["id"])
    assert (answer.status, answer.json) == (400, {"error": "Label not found!"})


def test_boards_of_others_are_missing(cast, board):
    number = board.rpartition("/")[2]
    assert cast.owner.get(f"/projects/{cast.private.id}/boards/{number}").status == 404
    own = cast.owner.post(f"/projects/{cast.private.id}/boards", name="x").json
    assert cast.owner.get(f"/groups/{cast.team.id}/boards/{own['id']}").status == 404
