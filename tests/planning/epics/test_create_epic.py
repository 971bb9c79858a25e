"""POST /groups/:id/-/epics."""

import asyncio

import pytest

from tests.harness.cases import Case, Has, cases

AT = "POST /groups/{team.encoded}/-/epics"
LATER = "POST /groups/{team.encoded}/epics"
BLANK = {"message": {"title": ["can't be blank"]}}


@cases([
    Case("anonymous", AT, 401, params={"title": "x"}),
    Case("stranger", AT, 404, {"message": "404 Group Not Found"}, {"title": "x"}),
    Case("guest", AT, 403, {"message": "403 Forbidden"}, {"title": "x"}, events=[]),
    Case("master", AT, 403, params={"title": "x"}),  # of a project inside only
    Case("reporter", AT, 201, Has(iid=1, title="x", description=None, start_date=None, end_date=None), {"title": " x "},
         events=["epic.created"]),
    Case("inherited", LATER, 201, Has(description="d", start_date="2018-02-01", end_date="2018-02-01"),
         {"title": "x", "description": "d", "start_date": "2018-02-01", "end_date": "2018-02-01"}),
    Case("root", AT, 201, params={"title": "x", "start_date": "", "end_date": None}),
    Case("reporter", AT, 400, Has(error="title is missing")),
    Case("reporter", AT, 400, BLANK, {"title": " "}),
    Case("reporter", AT, 400, BLANK, {"title": None}),
    Case("reporter", AT, 400, {"message": {"title": ["is too long (maximum is 255 characters)"]}}, {"title": "x" * 256}),
    Case("reporter", AT, 400, {"error": "start_date is invalid"}, {"title": "x", "start_date": "2018-02-30"}),
    Case("reporter", AT, 400, {"message": {"end_date": ["must be greater than start date"]}},
         {"title": "x", "start_date": "2018-02-02", "end_date": "2018-02-01"}, events=[]),
])  # fmt: skip
def test_reporters_of_the_group_create_epics(case, cast, team):
    answer = case.holds(cast)
    if answer.status == 201:
        assert answer.json["author"]["id"] == getattr(cast, case.who).id
        assert answer.json["group_id"] == cast.team.id


@pytest.mark.commits
def test_twenty_epics_at_once_are_numbered_without_gap(cast):
    async def all_at_once():
        return await asyncio.gather(*(
            cast.owner.exchange("POST", f"/groups/{cast.team.id}/-/epics", params={"title": f"{number}"})
            for number in range(20)
        ))  # fmt: skip

    answers = cast.owner.loop.run_until_complete(all_at_once())
    assert sorted(answer.json["iid"] for answer in answers) == list(range(1, 21))
    assert cast.owner.post(f"/groups/{cast.company.id}/-/epics", title="x").status == 403
    assert cast.root.post(f"/groups/{cast.company.id}/-/epics", title="x").json["iid"] == 1
