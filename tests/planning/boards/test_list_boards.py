from tests.harness.creation import make_project
from tests.harness.statements import statements


def test_a_new_project_has_no_board(cast):
    made = make_project(cast.owner, "fresh")
    boards = f"/projects/{made['id']}/boards"
    assert cast.owner.get(boards).json == []
    assert cast.owner.get(boards).headers["X-Total"] == "0"
    cast.owner.post(boards, name="First")
    (board,) = cast.owner.get(boards).json
    assert (board["name"], board["lists"], board["project"]["id"], board["group"]) == ("First", [], made["id"], None)
    assert set(board) == {"id", "project", "group", "name", "lists", "milestone", "assignee", "labels", "weight"}


def test_a_board_carries_the_basic_details_of_its_project(cast, boards, board):
    project = cast.guest.get(f"/projects/{cast.private.id}").json
    details = (
        "id", "description", "name", "name_with_namespace", "path", "path_with_namespace", "created_at",
        "default_branch", "tag_list", "ssh_url_to_repo", "http_url_to_repo", "web_url", "avatar_url", "star_count",
        "forks_count", "last_activity_at",
    )  # fmt: skip
    shown = {name: project[name] for name in details}
    assert cast.guest.get(board).json["project"] == shown
    assert cast.root.put(board, name="Renamed").json["project"] == shown
    assert [each["project"] for each in cast.guest.get(boards).json] == [shown]


def test_boards_are_listed_with_their_lists_in_as_many_statements_as_one(cast, boards, board, database):
    label = cast.reporter.post(f"/projects/{cast.private.id}/labels", name="doing", color="#112233").json
    cast.reporter.post(f"{board}/lists", label_id=label["id"])
    with statements(database) as used:
        answer = cast.guest.get(boards)
    assert [len(each["lists"]) for each in answer.json][-1] == 1
    assert answer.headers["X-Total"] == str(len(answer.json))
    assert used.count <= 6


def test_without_issues_there_are_no_boards(cast, boards, board):
    assert cast.owner.put(f"/projects/{cast.private.id}", issues_enabled=False).status == 200
    assert cast.guest.get(boards).json == []
    assert cast.guest.get(board).json == {"message": "404 Board Not Found"}
    assert cast.master.post(boards, name="x").status == 404
