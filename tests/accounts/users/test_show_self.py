from tests.accounts.users.test_list_users import ADMIN
from tests.harness.cases import Case, Has, cases
from tests.harness.client import Raw


def test_people_see_themselves_whole_and_only_administrators_that_they_are(cast):
    whole = ADMIN | {"shared_runners_minutes_limit"}
    assert set(cast.root.get("/user").json) == whole
    for person in (cast.guest, cast.external, cast.read_user):
        assert set(person.get("/user").json) == whole - {"is_admin"}


def test_an_administrator_sees_with_the_eyes_of_another(cast):
    for raw in (Raw(query=f"sudo={cast.guest.id}"), Raw(query="sudo=GUEST"), Raw(headers={"Sudo": "guest"})):
        seen = cast.root.get("/user", raw=raw).json
        assert seen["username"] == "guest"
        assert "is_admin" not in seen


def test_whether_one_can_create_projects_depends_on_how_many_one_has(cast):
    cast.root.put(f"/users/{cast.guest.id}", projects_limit=1)
    assert cast.guest.get("/user").json["can_create_project"] is True
    assert cast.guest.post("/projects", name="one").status == 201
    assert cast.guest.get("/user").json["can_create_project"] is False
    assert cast.guest.post("/projects", name="two").status == 403


def test_external_people_create_neither_groups_nor_projects(cast):
    assert cast.external.get("/user").json["can_create_group"] is False
    assert cast.external.post("/groups", name="mine", path="mine").status == 403
    assert cast.external.post("/projects", name="mine").status == 403


def test_internal_projects_are_not_for_external_people(cast):
    assert cast.external.get(f"/projects/{cast.internal.id}").status == 404
    assert cast.stranger.get(f"/projects/{cast.internal.id}").status == 200


@cases(
    [
        Case("anonymous", "GET /user", 401, {"message": "401 Unauthorized"}),
        Case("blocked", "GET /user", 403, {"message": "403 Forbidden - User is blocked"}),
        Case("guest", "GET /user", 200, Has(email="guest@example.org", identities=[], external=False), statements=3),
        Case("guest", "GET /user?sudo=root", 403, {"message": "403 Forbidden - Must be admin to use sudo"}),
        Case("root", "GET /user?sudo=nobody", 404, {"message": "404 User with ID or username 'nobody' Not Found"}),
    ]
)
def test_only_signed_in_callers_are_shown_themselves(case, cast):
    case.holds(cast)
