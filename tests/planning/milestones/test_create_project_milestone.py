"""POST /projects/:id/milestones."""

import pytest

from tests.harness.cases import Case, Has, cases

HERE = "POST /projects/{private.id}/milestones"


@cases([
    Case("anonymous", HERE, 401, params={"title": "v1"}),
    Case("stranger", HERE, 404, params={"title": "v1"}),
    Case("guest", HERE, 403, params={"title": "v1"}),
    Case("reporter", HERE, 403, {"message": "403 Forbidden"}, {"title": "v1"}, events=[]),
    Case("shared", HERE, 403, params={"title": "v1"}),
    Case("developer", HERE, 201, Has(title="v1", iid=1, state="active", description=None, due_date=None, start_date=None),
         {"title": " v1 "}, events=["milestone.created"]),
    Case("developer", HERE, 201, Has(due_date="2018-02-01", start_date="2018-01-01"),
         {"title": "v1", "start_date": "2018-01-01T10:00:00Z", "due_date": "2018-02-01"}),
    Case("developer", HERE, 400, {"message": '400 (Bad request) "title" not given', "error": "title is missing"}),
    Case("developer", HERE, 400, {"message": {"title": ["can't be blank"]}}, {"title": ""}),
    Case("developer", HERE, 400, {"message": {"title": ["is too long (maximum is 255 characters)"]}},
         {"title": "x" * 256}),
    Case("developer", HERE, 400, {"error": "due_date is invalid"}, {"title": "v1", "due_date": "soon"}),
    Case("developer", HERE, 400, {"message": {"due_date": ["must be greater than start date"]}},
         {"title": "v1", "start_date": "2018-02-01", "due_date": "2018-01-31"}),
    Case("developer", HERE, 201, params={"title": "v1", "start_date": "2018-02-01", "due_date": "2018-02-01"}),
])  # fmt: skip
def test_creating_requires_permission_and_valid_parameters(case, cast):
    case.holds(cast)


def test_a_milestone_has_exactly_its_fields(cast, milestone):
    made = milestone("v1", description="The first")
    assert set(made) == {
        "id", "iid", "project_id", "title", "description", "state", "created_at", "updated_at", "due_date", "start_date",
        "web_url", "expired",
    }  # fmt: skip
    assert made["project_id"] == cast.private.id
    ours = milestone("all", of="team")
    assert ours["group_id"] == cast.team.id
    assert "project_id" not in ours


@pytest.mark.parametrize("of", ["private", "team", "company"])
def test_a_title_is_used_once_here_and_above(cast, milestone, of):
    milestone("v1", of=of)
    answer = cast.developer.post(f"/projects/{cast.private.id}/milestones", title="v1")
    assert answer.status == 400
    assert answer.json == {"message": {"title": ["already being used for another group or project milestone."]}}
    assert cast.developer.post(f"/projects/{cast.private.id}/milestones", title="V1").status == 201


def test_a_group_does_not_take_the_title_of_what_is_below(cast, milestone):
    milestone("v1")
    assert cast.owner.post(f"/groups/{cast.team.id}/milestones", title="v1").status == 400
    assert cast.root.post(f"/groups/{cast.company.id}/milestones", title="v1").status == 400
    assert cast.root.post(f"/groups/{cast.guild.id}/milestones", title="v1").status == 201
    assert cast.developer.post(f"/projects/{cast.public.id}/milestones", title="v1").status == 201


def test_iids_count_in_each_place(milestone):
    assert [milestone("a")["iid"], milestone("b")["iid"], milestone("c", of="public")["iid"]] == [1, 2, 1]
    assert milestone("d", of="team")["iid"] == 1


def test_the_address_of_a_milestone_follows_its_project_or_group(cast, milestone):
    of_group = cast.inherited.post(f"/groups/{cast.team.id}/milestones", title="Of the group").json
    issues = f"/projects/{cast.private.id}/issues"
    cast.developer.put(f"{issues}/{cast.open}", milestone_id=milestone("Own")["id"])
    cast.developer.put(f"{issues}/{cast.confidential}", milestone_id=of_group["id"])

    def addresses():
        answers = [cast.developer.get(f"{issues}/{iid}").json for iid in (cast.open, cast.confidential)]
        listed = cast.developer.get(issues, milestone="Any", sort="asc").json
        assert [issue["milestone"]["web_url"] for issue in listed] == [one["milestone"]["web_url"] for one in answers]
        return [one["milestone"]["web_url"].removeprefix("http://mujina.test/") for one in answers]

    path, team = cast.private.path, cast.team.path
    assert addresses() == [f"{path}/milestones/1", f"groups/{team}/-/milestones/1"]
    assert cast.owner.put(f"/groups/{cast.team.id}", path="squad").status == 200
    moved = team.removesuffix("team") + "squad"
    assert addresses() == [f"{moved}/private/milestones/1", f"groups/{moved}/-/milestones/1"]


def test_an_active_milestone_expires_after_its_due_date(cast):
    path = f"/projects/{cast.private.id}/milestones"
    made = {
        title: cast.developer.post(path, title=title, **dates).json
        for title, dates in {
            "past": {"due_date": "2018-02-01"},
            "coming": {"due_date": "2999-01-01"},
            "open": {},
        }.items()
    }
    assert {title: milestone["expired"] for title, milestone in made.items()} == {
        "past": True,
        "coming": False,
        "open": False,
    }
    assert cast.developer.put(f"{path}/{made['past']['id']}", state_event="close").json["expired"] is False
    cast.developer.put(f"/projects/{cast.private.id}/issues/{cast.open}", milestone_id=made["past"]["id"])
    assert "expired" not in cast.developer.get(f"/projects/{cast.private.id}/issues/{cast.open}").json["milestone"]
