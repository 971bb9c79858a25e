"""PUT and DELETE /groups/:id/-/epics/:epic_iid."""

from tests.harness.cases import Case, Has, cases

AT = "PUT /groups/{team.id}/-/epics/1"
ENDS_EARLY = {"message": {"end_date": ["must be greater than start date"]}}


@cases([
    Case("stranger", AT, 404, {"message": "404 Group Not Found"}, {"title": "y"}),
    Case("guest", AT, 403, params={"title": "y"}, events=[]),
    Case("guest", "PUT /groups/{team.id}/-/epics/99", 403, params={"title": "y"}),
    Case("reporter", "PUT /groups/{team.id}/-/epics/99", 404, {"message": "404 Epic Not Found"}, {"title": "y"}),
    Case("reporter", AT, 200, Has(title="y", description="d", start_date="2018-02-05"), {"title": "y"},
         events=["epic.updated"]),
    Case("reporter", AT, 200, Has(title="x"), {"title": "x"}, events=[]),
    Case("inherited", "PUT /groups/{team.encoded}/epics/1", 200, Has(start_date=None), {"start_date": None}),
    Case("inherited", AT, 200, Has(start_date=None, description=""), {"start_date": "", "description": ""}),
    Case("reporter", AT, 400, {"message": {"title": ["can't be blank"]}}, {"title": ""}),
    Case("reporter", AT, 400, {"message": {"title": ["can't be blank"]}}, {"title": None}),
    Case("reporter", AT, 400, ENDS_EARLY, {"end_date": "2018-02-04"}),
    Case("reporter", AT, 400, {"error": "end_date is invalid"}, {"end_date": "tomorrow"}),
    Case("reporter", AT, 400, {"error": (
        "title, description, start_date, end_date are missing, at least one parameter must be provided"
    )}),
])  # fmt: skip
def test_reporters_of_the_group_edit_epics(case, cast, team):
    cast.owner.post(team, title="x", description="d", start_date="2018-02-05")
    case.holds(cast)


def test_owners_delete_epics(cast, team):
    cast.reporter.post(team, title="x")
    assert cast.reporter.delete(f"{team}/1").status == 403
    assert cast.stranger.delete(f"{team}/1").status == 404
    assert cast.guest.get(f"{team}/1").json["title"] == "x"
    assert cast.owner.delete(f"{team}/1").status == 204
    assert cast.owner.delete(f"{team}/1").json == {"message": "404 Epic Not Found"}
    assert cast.owner.get(team).json == []
    assert cast.reporter.post(team, title="y").json["iid"] == 2
