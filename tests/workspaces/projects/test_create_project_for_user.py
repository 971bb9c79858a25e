from tests.harness.cases import Case, Has, cases


@cases(
    [
        Case("anonymous", "POST /projects/user/{guest.id}", 401, params={"name": "x"}),
        Case("guest", "POST /projects/user/{guest.id}", 403, {"message": "403 Forbidden"}, {"name": "x"}),
        Case("root", "POST /projects/user/999999", 404, {"message": "404 User Not Found"}, {"name": "x"}),
        Case("root", "POST /projects/user/nobody", 404, {"error": "404 Not Found"}, {"name": "x"}),
        Case("root", "POST /projects/user/{guest.id}", 400, Has(error="name is missing"), {"path": "x"}),
    ]
)
def test_administrators_make_projects_for_others(case, cast):
    case.holds(cast)


def test_the_project_belongs_to_the_user(cast):
    project = cast.root.post(f"/projects/user/{cast.guest.id}", name="For You").json
    assert project["path_with_namespace"] == f"{cast.guest.username}/for-you"
    assert project["creator_id"] == project["owner"]["id"] == cast.guest.id
    assert cast.guest.delete(f"/projects/{project['id']}").status == 204
