"""GET and POST …/approvals, POST …/approve and …/unapprove, and what merging makes of approvals."""

import pytest

from tests.accounts.credentials.test_rotate_tokens import person_with
from tests.harness.creation import make_group


@pytest.fixture
def approvals(cast, code):
    """A request of a developer in a project that requires one approval."""

    class Approvals:
        path = f"{code.requests}/{code.open().json['iid']}"

        def require(self, number, **params):
            answer = cast.owner.post(f"{code.path}/approvals", approvals_before_merge=number, **params)
            assert answer.status == 201, answer
            return answer.json

        def name(self, *people, groups=(), on=None, by=None):
            ids = [person.id for person in people]
            answer = (by or cast.owner).put(
                f"{on or self.path}/approvers", approver_ids=ids, approver_group_ids=list(groups)
            )
            assert answer.status == 200, answer
            return answer.json

        def read(self, person=None):
            return (person or cast.reporter).get(f"{self.path}/approvals").json

        def approve(self, person, **params):
            return person.post(f"{self.path}/approve", **params).status

        def unapprove(self, person):
            return person.post(f"{self.path}/unapprove").status

        def left(self):
            return self.read()["approvals_left"]

        def merge_answer(self):
            """406 if approvals are left; 409 if only the given head is wrong."""
            return cast.master.put(f"{self.path}/merge", sha="0" * 40).status

        def suggested(self):
            return [user["username"] for user in self.read()["suggested_approvers"]]

    made = Approvals()
    made.require(1)
    return made


@pytest.fixture
def second(cast, code):
    """Another developer."""
    cast.owner.post(f"{code.path}/members", user_id=cast.stranger.id, access_level=30)
    return cast.stranger


def test_a_request_is_merged_once_it_is_approved(cast, code, approvals):
    shown = approvals.read(cast.anonymous)
    request = cast.anonymous.get(approvals.path).json
    assert {name: shown[name] for name in ("id", "iid", "project_id", "title", "description", "state")} == {
        name: request[name] for name in ("id", "iid", "project_id", "title", "description", "state")
    }
    assert set(shown) == {
        "id", "iid", "project_id", "title", "description", "state", "created_at", "updated_at", "merge_status",
        "approved", "approvals_required", "approvals_left", "approved_by", "suggested_approvers", "approvers",
        "approver_groups", "user_has_approved", "user_can_approve", "approval_rules_left",
    }  # fmt: skip
    assert (shown["approvals_required"], shown["approvals_left"], shown["approved"]) == (1, 1, False)
    assert cast.anonymous.get(approvals.path).json["detailed_merge_status"] == "not_approved"
    refused = cast.master.put(f"{approvals.path}/merge")
    assert (refused.status, refused.json) == (406, {"message": "Branch cannot be merged"})
    assert approvals.read(cast.master)["user_can_approve"] is True
    assert cast.master.post(f"{approvals.path}/approve", sha="0" * 40).json == {
        "message": f"SHA does not match HEAD of source branch: {code.topic}"
    }
    given = cast.master.post(f"{approvals.path}/approve", sha=code.topic)
    assert given.status == 201
    shown = given.json
    assert (shown["approvals_left"], shown["approved"], shown["user_has_approved"]) == (0, True, True)
    [approval] = shown["approved_by"]
    assert (approval["user"]["id"], bool(approval["approved_at"])) == (cast.master.id, True)
    assert (shown["user_can_approve"], approvals.read()["user_has_approved"]) == (False, False)
    assert cast.anonymous.get(approvals.path).json["detailed_merge_status"] == "mergeable"
    notes = [note["body"] for note in cast.reporter.get(f"{approvals.path}/notes").json]
    assert notes == ["approved this merge request"]
    assert cast.master.put(f"{approvals.path}/merge").json["state"] == "merged"
    assert (approvals.approve(cast.owner), approvals.unapprove(cast.master)) == (405, 405)


def test_only_developers_other_than_the_author_approve(cast, code, approvals, second):
    people = (cast.developer, cast.guest, cast.reporter, cast.anonymous, cast.external)
    assert [approvals.approve(person) for person in people] == [401] * 5
    assert [approvals.unapprove(person) for person in people] == [404, 404, 404, 401, 404]
    assert [approvals.approve(second), approvals.approve(second)] == [201, 401]
    # Nothing is left, and others may still add theirs.
    assert approvals.approve(cast.master) == 201
    assert [each["user"]["username"] for each in approvals.read()["approved_by"]] == ["stranger", "master"]
    assert [approvals.unapprove(second), approvals.unapprove(second)] == [201, 404]
    assert cast.owner.post(f"{approvals.path}/unapprove").json == {"message": "404 Not Found"}
    bodies = [note["body"] for note in cast.reporter.get(f"{approvals.path}/notes").json]
    assert bodies == ["unapproved this merge request", *["approved this merge request"] * 2]
    cast.owner.put(code.path, visibility="private")
    assert cast.external.post(f"{approvals.path}/approve").status == 404
    cast.owner.post(f"{code.path}/archive")
    assert approvals.approve(cast.owner) == 403
    assert cast.owner.post(f"{approvals.path}/unapprove").status == 403


def test_named_approvers_come_first(cast, code, approvals, second):
    approvals.name(cast.reporter, cast.developer, on=code.path)
    # The author does not count among them.
    assert approvals.suggested() == ["reporter"]
    assert approvals.read(second)["user_can_approve"] is False
    assert approvals.approve(second) == 401
    assert (approvals.approve(cast.reporter), approvals.left()) == (201, 0)
    assert approvals.approve(second) == 201
    approvals.require(3)
    # More are left than named approvers remain: others fill in.
    assert (approvals.left(), approvals.approve(cast.master)) == (1, 201)


def test_the_approvers_of_a_request_replace_those_of_the_project(cast, code, approvals, second):
    named = approvals.name(cast.reporter, on=code.path)
    assert [each["user"]["username"] for each in named["approvers"]] == ["reporter"]
    shown = approvals.name(cast.master, by=cast.developer)
    assert [each["user"]["username"] for each in shown["approvers"]] == ["master"]
    assert [user["username"] for user in shown["suggested_approvers"]] == ["master"]
    assert approvals.approve(cast.reporter) == 401
    assert approvals.approve(cast.master) == 201
    approvals.name()
    assert approvals.suggested() == ["reporter"]
    assert cast.reporter.put(f"{approvals.path}/approvers", approver_ids=[], approver_group_ids=[]).status == 403
    missing = cast.developer.put(f"{approvals.path}/approvers", approver_ids=[])
    assert (missing.status, missing.json["error"]) == (400, "approver_group_ids is missing")


def test_members_of_named_groups_approve(cast, code, approvals):
    hidden = make_group(cast.root, "hidden", name="Hidden", visibility="private")["id"]
    for person in (cast.guest, cast.stranger):
        cast.root.post(f"/groups/{hidden}/members", user_id=person.id, access_level=10)
    # A group that the caller may not read is ignored, as one that does not exist.
    assert approvals.name(groups=[hidden, 99999], on=code.path)["approver_groups"] == []
    shown = approvals.name(groups=[hidden], by=cast.root)
    assert [each["group"]["path"] for each in shown["approver_groups"]] == ["hidden"]
    assert approvals.suggested() == ["root", "guest", "stranger"]
    assert approvals.read(cast.developer)["approver_groups"] == []
    state = cast.developer.get(f"{approvals.path}/approval_state").json
    [rule] = state["rules"]
    assert (state["approval_rules_overwritten"], rule["rule_type"], rule["groups"]) == (True, "regular", [])
    assert rule["contains_hidden_groups"] is True
    assert approvals.approve(cast.stranger) == 201
    cast.owner.put(code.path, visibility="private")
    # Those who may no longer read the request are not waited for.
    assert approvals.suggested() == ["root"]


def test_no_more_approvals_are_left_than_people_could_give(cast, code, approvals):
    # Besides the author: owner and master, and one who inherits.
    approvals.require(50)
    able = approvals.left()
    assert 0 < able < 50
    assert approvals.approve(cast.master) == 201
    assert approvals.left() == able - 1
    cast.root.post(f"/users/{cast.owner.id}/block")
    assert approvals.left() == able - 2


def test_a_push_and_a_new_target_reset_approvals(cast, code, approvals):
    code.branch("stable", x="x")

    def after(change):
        assert approvals.approve(cast.master) == 201
        change()
        return approvals.left()

    assert after(lambda: code.commit("topic", a="x")) == 1
    assert after(lambda: cast.developer.put(approvals.path, title="Other")) == 0
    assert approvals.unapprove(cast.master) == 201
    assert after(lambda: cast.developer.put(approvals.path, target_branch="stable")) == 1

    def push_while_closed():
        cast.developer.put(approvals.path, state_event="close")
        code.commit("topic", b="x")
        cast.developer.put(approvals.path, state_event="reopen")

    assert after(push_while_closed) == 1
    approvals.require(1, reset_approvals_on_push=False)
    assert after(lambda: code.commit("topic", c="x")) == 0


def test_a_request_asks_for_more_than_its_project(cast, code, approvals):
    path = f"{approvals.path}/approvals"
    for number in (1, 0, -1):
        refused = cast.developer.post(path, approvals_required=number)
        complaint = ["Number of approvals must be greater than those on target project"]
        assert (refused.status, refused.json) == (400, {"message": {"validate_approvals_before_merge": complaint}})
    assert cast.reporter.post(path, approvals_required=2).status == 403
    assert cast.developer.post(path, approvals_required=2).json["approvals_required"] == 2
    assert cast.developer.get(approvals.path).json["approvals_before_merge"] == 2
    assert (approvals.approve(cast.master), approvals.left(), approvals.merge_answer()) == (201, 1, 406)
    assert cast.developer.put(approvals.path, approvals_before_merge=3).json["approvals_before_merge"] == 3
    approvals.require(1, disable_overriding_approvers_per_merge_request=True)
    refused = cast.developer.post(path, approvals_required=5)
    assert (refused.status, refused.json) == (422, {"error": "Overriding approvals is disabled"})
    assert cast.developer.put(f"{approvals.path}/approvers", approver_ids=[], approver_group_ids=[]).status == 422
    assert cast.developer.put(approvals.path, approvals_before_merge=0).json["approvals_before_merge"] == 3
    code.branch("other", other="x")
    assert code.open(source_branch="other", approvals_before_merge=0).json["approvals_before_merge"] is None


def test_masters_configure_a_project(cast, code, approvals):
    path = f"{code.path}/approvals"
    assert cast.master.get(path).json == {
        "approvers": [], "approver_groups": [], "approvals_before_merge": 1, "reset_approvals_on_push": True,
        "disable_overriding_approvers_per_merge_request": False,
    }  # fmt: skip
    for ask in (cast.developer.get, cast.developer.post):
        assert ask(path, approvals_before_merge=2).status == 403
    assert cast.master.post(path, approvals_before_merge=-1).json == {
        "message": {"approvals_before_merge": ["must be greater than or equal to 0"]}
    }
    assert cast.master.post(path).status == 400
    assert cast.master.post(path, approvals_before_merge=0).status == 201
    assert cast.owner.get(code.path).json["approvals_before_merge"] == 0
    shown = approvals.read(cast.master)
    assert (shown["approvals_required"], shown["approved"], shown["user_can_approve"]) == (0, True, True)
    assert approvals.merge_answer() == 409
    state = cast.anonymous.get(f"{approvals.path}/approval_state").json
    assert state["approval_rules_overwritten"] is False
    assert state["rules"][0] == {
        "id": shown["id"], "name": "All Members", "rule_type": "any_approver", "eligible_approvers": [],
        "approvals_required": 0, "users": [], "groups": [], "contains_hidden_groups": False, "approved_by": [],
        "source_rule": None, "approved": True,
    }  # fmt: skip
    assert cast.developer.get(f"{code.path}/approval_rules").json == []
    assert cast.anonymous.get(f"{approvals.path}/approval_rules").json == []
    assert cast.owner.put(f"{approvals.path}/reset_approvals").status == 401


def test_only_bots_that_may_edit_the_request_reset_its_approvals(cast, code, approvals):
    def reset_by(level):
        made = cast.owner.post(f"{code.path}/access_tokens", name="Bot", scopes=["api"], access_level=level).json
        return person_with(cast.guest, made["token"]).put(f"{approvals.path}/reset_approvals").status

    assert approvals.approve(cast.master) == 201
    assert cast.owner.put(f"{approvals.path}/reset_approvals").status == 401
    assert (reset_by(20), approvals.left()) == (403, 0)
    assert (reset_by(30), approvals.left()) == (202, 1)
    assert reset_by(30) == 202


def test_named_approvers_have_a_todo(cast, code, approvals):
    def todos(person):
        return [(todo["action_name"], todo["target"]["iid"]) for todo in person.get("/todos").json]

    approvals.name(cast.master, cast.developer)
    approvals.name(cast.master, cast.guest)
    assert (todos(cast.master), todos(cast.developer)) == ([("approval_required", 1)], [])
    approvals.approve(cast.master)
    assert todos(cast.master) == []
    approvals.name(cast.owner, on=code.path)
    code.branch("other", other="x")
    assert code.open(source_branch="other").status == 201
    assert todos(cast.owner) == [("approval_required", 2)]
