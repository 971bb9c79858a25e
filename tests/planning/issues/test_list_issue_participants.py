import pytest

from tests.harness.cases import Case, cases
from tests.harness.statements import statements
from tests.harness.untouched import untouched


@pytest.fixture
def cast(cast):
    return untouched(cast)


def names(answer):
    assert answer.status == 200, answer
    return [user["username"] for user in answer.json]


def test_the_author_takes_part(cast, issue):
    answer = cast.guest.get(f"{issue}/participants")
    assert names(answer) == ["reporter"]
    assert set(answer.json[0]) == {"id", "username", "name", "state", "avatar_url", "web_url"}


def test_assignees_commenters_and_givers_of_emoji_take_part_once_each(cast, issue):
    cast.reporter.put(issue, assignee_ids=[cast.guest.id])
    cast.guest.post(f"{issue}/notes", body="hello")
    cast.guest.post(f"{issue}/notes", body="again")
    cast.developer.post(f"{issue}/award_emoji", name="tada")
    cast.master.put(issue, state_event="close")
    answer = cast.guest.get(f"{issue}/participants")
    assert names(answer) == ["reporter", "master", "developer", "guest"]
    assert answer.headers["X-Total"] == "4"
    assert names(cast.guest.get(f"{issue}/participants", per_page=1, page=2)) == ["master"]


def test_participants_who_may_no_longer_read_the_issue_are_not_listed(cast):
    issue = f"/projects/{cast.public.id}/issues/{cast.open}"
    cast.stranger.post(f"{issue}/notes", body="hello")
    assert "stranger" in names(cast.guest.get(f"{issue}/participants"))
    cast.reporter.put(issue, confidential=True)
    answer = cast.reporter.get(f"{issue}/participants")
    assert names(answer) == ["reporter"]
    assert answer.headers["X-Total"] == "1"


def test_participants_cost_the_same_however_many(cast, issue, database):
    with statements(database) as few:
        cast.guest.get(f"{issue}/participants")
    for person in (cast.guest, cast.developer, cast.master):
        person.post(f"{issue}/notes", body="x")
    with statements(database) as many:
        cast.guest.get(f"{issue}/participants")
    assert few.count == many.count <= 6


@cases(
    [
        Case("anonymous", "GET /projects/{public.id}/issues/{open}/participants", 401),
        Case("stranger", "GET /projects/{private.id}/issues/{open}/participants", 404),
        Case("guest", "GET /projects/{private.id}/issues/{confidential}/participants", 404, {"message": "404 Issue Not Found"}),
    ]
)  # fmt: skip
def test_readers_of_an_issue_list_its_participants(case, cast):
    case.holds(cast)
