import pytest

from tests.harness.cases import Case, cases
from tests.harness.client import Raw
from tests.harness.statements import statements


@pytest.fixture
def boards(cast):
    return f"/projects/{cast.private.id}/boards"


@pytest.fixture
def board(cast, boards):
    """A board of this test's own."""
    return f"{boards}/{cast.master.post(boards, name='Mine').json['id']}"


def test_a_project_has_a_board_from_the_beginning(cast):
    made = cast.owner.post("/projects", name="fresh").json
    (board,) = cast.owner.get(f"/projects/{made['id']}/boards").json
    assert (board["name"], board["lists"], board["project"]["id"]) == ("Development", [], made["id"])
    assert set(board) == {"id", "project", "name", "lists", "milestone", "assignee", "labels", "weight"}


def test_boards_are_made_renamed_and_deleted_by_masters(cast, boards):
    made = cast.master.post(boards, name=" Sprint ")
    assert (made.status, made.json["name"]) == (201, "Sprint")
    board = f"{boards}/{made.json['id']}"
    assert cast.guest.get(board).json == made.json
    assert cast.master.put(board, name="Run").json["name"] == "Run"
    old = Raw(headers={"If-Unmodified-Since": "Wed, 11 Mar 2015 03:45:40 GMT"})
    assert cast.master.delete(board, old).status == 412
    assert cast.master.delete(board).status == 204
    assert cast.guest.get(board).json == {"message": "404 Board Not Found"}


def test_the_last_board_stays(cast):
    made = cast.owner.post("/projects", name="fresh").json
    (board,) = cast.owner.get(f"/projects/{made['id']}/boards").json
    assert cast.owner.delete(f"/projects/{made['id']}/boards/{board['id']}").status == 400


def test_boards_are_listed_with_their_lists_in_as_many_statements_as_one(cast, boards, board, database):
    label = cast.reporter.post(f"/projects/{cast.private.id}/labels", name="doing", color="#112233").json
    cast.reporter.post(f"{board}/lists", label_id=label["id"])
    with statements(database) as used:
        answer = cast.guest.get(boards)
    assert [len(each["lists"]) for each in answer.json][-1] == 1
    assert answer.headers["X-Total"] == str(len(answer.json))
    assert used.count <= 6


def test_without_issues_there_are_no_boards(cast, boards, board, database, loop):
    async def switch():
        async with database.transaction() as tx:
            await tx.run("UPDATE projects SET issues_enabled = FALSE WHERE id = :id", id=cast.private.id)

    loop.run_until_complete(switch())
    assert cast.guest.get(boards).json == []
    assert cast.guest.get(board).json == {"message": "404 Board Not Found"}
    assert cast.master.post(boards, name="x").status == 404


@cases(
    [
        Case("anonymous", "GET /projects/{public.id}/boards", 401),
        Case("stranger", "GET /projects/{private.id}/boards", 404, {"message": "404 Project Not Found"}),
        Case("stranger", "GET /projects/{public.id}/boards", 200),
        Case("guest", "GET /projects/{private.id}/boards/9999", 404, {"message": "404 Board Not Found"}),
        Case("developer", "POST /projects/{private.id}/boards", 403, params={"name": "x"}),
        Case("master", "POST /projects/{private.id}/boards", 400, {"message": {"name": ["can't be blank"]}}, {"name": " "}),
    ]
)  # fmt: skip
def test_who_may_see_and_make_boards(case, cast):
    case.holds(cast)


def test_a_board_of_another_project_is_missing(cast, board):
    elsewhere = board.replace(f"/projects/{cast.private.id}/", f"/projects/{cast.public.id}/")
    assert cast.master.get(elsewhere).json == {"message": "404 Board Not Found"}
