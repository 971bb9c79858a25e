"""Triggers of a project as resources; what they start is in `test_trigger_pipeline.py`."""

from tests.harness.cases import ANYTHING, Case, Has, cases

HERE = "/projects/{private.id}/triggers"
VERBS = [
    ("GET", ""), ("POST", ""), ("GET", "/1"), ("PUT", "/1"), ("DELETE", "/1"), ("POST", "/1/take_ownership"),
]  # fmt: skip


@cases([
    *(Case(who, f"{verb} {HERE}{rest}", status, ANYTHING, {"description": "x"}, events=[])
      for who, status in (("anonymous", 401), ("stranger", 404), ("developer", 403)) for verb, rest in VERBS),
    *(Case("master", f"{verb} {HERE}{rest}", 404, {"message": "404 Trigger Not Found"}, {"description": "x"}, events=[])
      for verb, rest in VERBS[2:]),
    Case("master", f"GET {HERE}", 200, [], statements=5),
    Case("master", f"POST {HERE}", 201, Has(description="Nightly", last_used=None, owner=Has(username="master")),
         {"description": "Nightly"}, events=["trigger.created"]),
    Case("master", f"POST {HERE}", 400, Has(error="description is missing")),
    Case("master", f"POST {HERE}", 400, {"message": {"description": ["can't be blank"]}}, {"description": " "}),
    Case("master", f"POST {HERE}", 400, {"message": {"description": ["is too long (maximum is 255 characters)"]}},
         {"description": "x" * 256}),
])  # fmt: skip
def test_managing_triggers_requires_permission_and_valid_parameters(case, cast):
    case.holds(cast)


def test_a_trigger_is_shown_edited_taken_over_and_deleted(cast):
    here = f"/projects/{cast.private.id}/triggers"
    made = cast.master.post(here, description="Nightly").json
    assert set(made) == {"id", "token", "description", "created_at", "updated_at", "last_used", "owner"}
    there = f"{here}/{made['id']}"
    assert cast.master.get(here).json == [made]
    assert cast.master.get(there).json == made
    edited = cast.owner.put(there, description="Weekly")
    assert (edited.status, edited.json["description"], edited.json["owner"]["username"]) == (200, "Weekly", "master")
    taken = cast.owner.post(f"{there}/take_ownership")
    assert (taken.status, taken.json["owner"]["username"], taken.json["token"]) == (200, "owner", made["token"])
    assert cast.owner.delete(there).status == 204
    assert cast.owner.get(there).status == 404
    assert cast.events()[-4:] == ["trigger.created", "trigger.updated", "trigger.updated", "trigger.deleted"]


def test_only_its_owner_sees_the_whole_token(cast):
    here = f"/projects/{cast.private.id}/triggers"
    made = cast.master.post(here, description="Nightly").json
    assert len(made["token"]) == 20
    for person in (cast.owner, cast.root):
        assert person.get(f"{here}/{made['id']}").json["token"] == made["token"][:4]
        assert person.get(here).json[0]["token"] == made["token"][:4]
    assert made["token"] not in str(cast.rows("SELECT * FROM pipeline_triggers"))
