"""GET /user_counts, /users/:id/associations_count, /users/:id/contributed_projects and /application/statistics."""

from tests.harness.cases import Case, Has, cases


@cases([
    Case("anonymous", "GET /user_counts", 401),
    Case("guest", "GET /user_counts", 200,
         {"merge_requests": 0, "assigned_issues": 0, "assigned_merge_requests": 0,
          "review_requested_merge_requests": 0, "todos": 0}),
    Case("anonymous", "GET /users/{guest.id}/associations_count", 401),
    Case("stranger", "GET /users/{guest.id}/associations_count", 403),
    Case("root", "GET /users/999999/associations_count", 404, {"message": "404 User Not Found"}),
    Case("guest", "GET /users/{guest.id}/associations_count", 200,
         {"groups_count": 0, "projects_count": 3, "issues_count": 0, "merge_requests_count": 0}),
    Case("root", "GET /users/{reporter.id}/associations_count", 200, Has(issues_count=3, projects_count=3)),
    Case("guest", "GET /users/nobody/contributed_projects", 404, {"message": "404 User Not Found"}),
    Case("owner", "GET /application/statistics", 403),
])  # fmt: skip
def test_each_call_requires_its_permission(case, cast):
    case.holds(cast)


def test_what_may_no_longer_be_read_does_not_wait(cast):
    issue = f"/projects/{cast.private.id}/issues/{cast.open}"
    cast.owner.put(issue, assignee_ids=[cast.guest.id])
    counts = cast.guest.get("/user_counts").json
    assert (counts["assigned_issues"], counts["todos"]) == (1, 1)
    cast.owner.delete(f"/projects/{cast.private.id}/members/{cast.guest.id}")
    counts = cast.guest.get("/user_counts").json
    assert (counts["assigned_issues"], counts["todos"]) == (0, 0)


def test_contributed_projects_are_those_that_the_reader_sees(cast):
    for project in (cast.private, cast.public):
        cast.guest.post(f"/projects/{project.id}/issues", title="Mine")
    here = f"/users/{cast.guest.username}/contributed_projects"
    assert {each["id"] for each in cast.reporter.get(here).json} >= {cast.private.id, cast.public.id}
    assert [each["id"] for each in cast.anonymous.get(here, simple=True, order_by="name").json] == [cast.public.id]


def test_statistics_are_texts(cast):
    shown = cast.root.get("/application/statistics").json
    assert set(shown) == {
        "forks", "issues", "merge_requests", "notes", "snippets", "ssh_keys", "milestones", "users", "projects",
        "groups", "active_users",
    }  # fmt: skip
    assert shown["issues"] == "9"
    assert int(shown["users"]) > int(shown["active_users"]) > 0
