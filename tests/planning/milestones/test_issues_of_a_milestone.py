"""GET …/milestones/:milestone_id/issues, of projects and of groups."""


def test_issues_of_a_project_milestone_by_the_rules_of_issues(cast, milestone):
    made = milestone("v1")
    for iid in (cast.open, cast.confidential):
        cast.reporter.put(f"/projects/{cast.private.id}/issues/{iid}", milestone_id=made["id"])
    path = f"/projects/{cast.private.id}/milestones/{made['id']}/issues"

    def iids(who):
        answer = getattr(cast, who).get(path)
        assert int(answer.headers["X-Total"]) == len(answer.json)
        return [issue["iid"] for issue in answer.json]

    assert iids("reporter") == [cast.confidential, cast.open]
    assert iids("guest") == [cast.open]
    assert cast.stranger.get(path).status == 404
    assert cast.anonymous.get(path).status == 401
    assert cast.guest.get(f"/projects/{cast.private.id}/milestones/999999/issues").json == {
        "message": "404 Milestone Not Found"
    }


def test_issues_of_a_group_milestone_come_from_all_projects_below(cast, milestone):
    made = milestone("wide", of="company")
    for place in (cast.private, cast.public):
        cast.reporter.put(f"/projects/{place.id}/issues/{cast.open}", milestone_id=made["id"])
    path = f"/groups/{cast.company.id}/milestones/{made['id']}/issues"
    assert [issue["project_id"] for issue in cast.reporter.get(path).json] == [cast.public.id, cast.private.id]
    assert [issue["project_id"] for issue in cast.stranger.get(path).json] == [cast.public.id]
    assert cast.stranger.get(path).headers["X-Total"] == "1"
