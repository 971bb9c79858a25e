import pytest

from tests.harness.cases import Case, Has, cases


def test_everybody_is_who_they_say(cast):
    for person in cast.people:
        if person.name not in ("anonymous", "blocked"):
            assert person.get("/user").json["username"] == person.name


@cases(
    [
        Case("anonymous", "GET /user", 401, {"message": "401 Unauthorized"}),
        Case("stranger", "GET /projects/{private.id}", 404, {"message": "404 Project Not Found"}, events=[]),
        Case("stranger", "GET /projects/{internal.id}", 200, Has(visibility="internal")),
        Case("external", "GET /projects/{internal.id}", 404),
        Case("inherited", "GET /projects/{private.encoded}", 200, Has(id=1)),
        Case("shared", "GET /projects/{private.id}", 200),
        Case("expired", "GET /projects/{private.id}", 404),
        Case("left", "GET /projects/{private.id}", 404),
        Case(
            "reporter", "POST /projects/{private.id}/issues", 201, Has(iid=4), {"title": "x"}, events=["issue.created"]
        ),
    ]
)
def test_the_cast_has_the_access_it_is_described_with(case, cast):
    case.holds(cast)


def test_a_test_starts_where_the_one_before_it_started(cast):
    for _ in range(2):
        assert cast.reporter.post(f"/projects/{cast.private.id}/issues", title="x").status == 201
    assert cast.reporter.get(f"/projects/{cast.private.id}/issues").headers["X-Total"] == "5"


@pytest.mark.commits
def test_a_test_that_commits_has_the_cast_too(cast, database, loop):
    async def count():
        async with database.reading() as tx:
            return await tx.value("SELECT count(*) FROM issues")

    before = loop.run_until_complete(count())
    assert cast.reporter.post(f"/projects/{cast.private.id}/issues", title="x").status == 201
    assert loop.run_until_complete(count()) == before + 1
