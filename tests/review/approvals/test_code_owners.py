"""CODEOWNERS: approval demanded on protected branches, at every way to merge."""

import pytest

OWNERS = "* @developer\n*.md @master @reporter\n^[Optional] @master\ntopic\n[Two][2] @{group}\n/two/\n"


@pytest.fixture
def owned(cast, code):
    """A request into a branch that asks for owners; its path."""
    group = cast.owner.get(f"/groups/{cast.team.id}").json["full_path"]
    code.commit(CODEOWNERS=OWNERS.format(group=group))
    cast.owner.delete(f"{code.path}/protected_branches/master")
    made = cast.owner.post(
        f"{code.path}/protected_branches", name="mas*", merge_access_level=30, code_owner_approval_required=True
    )
    assert made.json["code_owner_approval_required"] is True

    def request(person=None, **files):
        code.branch("work", **files)
        answer = code.open(person or cast.owner, source_branch="work")
        assert answer.status == 201, answer
        return f"{code.requests}/{answer.json['iid']}"

    return request


def status(cast, path):
    return cast.guest.get(path).json["detailed_merge_status"]


def test_an_owner_has_to_approve(cast, owned):
    path = owned(file="x")
    assert status(cast, path) == "not_approved"
    assert cast.guest.get(path.rpartition("/")[0]).json[0]["detailed_merge_status"] == "not_approved"
    refused = cast.master.put(f"{path}/merge")
    assert (refused.status, refused.json) == (406, {"message": "Branch cannot be merged"})
    assert cast.master.post(f"{path}/approve").status == 201  # who is no owner of it
    assert cast.master.put(f"{path}/merge").status == 406
    shown = cast.guest.get(f"{path}/approvals").json
    assert (shown["approved"], shown["approvals_required"], shown["approvals_left"]) == (False, 1, 1)
    [left] = shown["approval_rules_left"]
    assert (left["name"], left["rule_type"]) == ("*", "code_owner")
    approved = cast.developer.post(f"{path}/approve")
    assert (approved.status, approved.json["approved"]) == (201, True)
    assert status(cast, path) == "mergeable"
    assert cast.master.put(f"{path}/merge").json["state"] == "merged"


def test_the_state_names_the_rules(cast, owned):
    path = owned(**{"notes.md": "x", "topic": "x"})
    rules = {each["name"]: each for each in cast.guest.get(f"{path}/approval_state").json["rules"]}
    assert rules.keys() == {"All Members", "*", "*.md", "topic"}
    rule = rules["*.md"]
    # A reporter may not approve as an owner.
    assert [person["username"] for person in rule["eligible_approvers"]] == ["master"]
    assert (rule["rule_type"], rule["section"], rule["approvals_required"]) == ("code_owner", "codeowners", 1)
    assert (rules["topic"]["approvals_required"], rules["topic"]["approved"]) == (0, True)
    assert cast.master.post(f"{path}/approve").status == 201
    rule = next(each for each in cast.guest.get(f"{path}/approval_state").json["rules"] if each["name"] == "*.md")
    assert (rule["approved"], [person["username"] for person in rule["approved_by"]]) == (True, ["master"])


def test_the_author_does_not_own_their_own_request(cast, owned):
    path = owned(cast.developer, file="x")
    # Nobody else could approve, so nobody is waited for.
    assert status(cast, path) == "mergeable"


def test_a_new_commit_takes_the_approval_back(cast, code, owned):
    cast.owner.post(f"{code.path}/approvals", reset_approvals_on_push=True)
    path = owned(file="x")
    assert cast.developer.post(f"{path}/approve").status == 201
    assert status(cast, path) == "mergeable"
    code.commit("work", other="y")
    assert status(cast, path) == "not_approved"


def test_the_protection_decides(cast, code, owned):
    path = owned(file="x")
    assert status(cast, path) == "not_approved"
    here = f"{code.path}/protected_branches/mas*"
    edited = cast.owner.patch(here, code_owner_approval_required=False)
    assert edited.json["code_owner_approval_required"] is False
    assert status(cast, path) == "mergeable"
    assert cast.owner.patch(here, code_owner_approval_required=True).status == 200
    assert cast.master.put(f"{path}/merge").status == 406
    cast.owner.delete(here)
    assert status(cast, path) == "mergeable"


def test_the_file_of_the_target_counts(cast, code, owned):
    path = owned(file="x")
    code.commit("work", action="update", CODEOWNERS="nothing @nobody\n")
    assert status(cast, path) == "not_approved"
    code.commit(action="update", CODEOWNERS="nothing @nobody\n")
    assert status(cast, path) != "not_approved"


def test_an_automatic_merge_waits_for_owners_too(cast, code, owned):
    path = owned(file="x")
    sha = cast.guest.get(path).json["sha"]
    cast.developer.post(f"{code.path}/statuses/{sha}", state="running", ref="work")
    assert cast.master.put(f"{path}/merge", merge_when_pipeline_succeeds=True).status == 406
    cast.developer.post(f"{path}/approve")
    assert cast.master.put(f"{path}/merge", merge_when_pipeline_succeeds=True).status == 200
    cast.developer.post(f"{path}/unapprove")
    cast.developer.post(f"{code.path}/statuses/{sha}", state="success", ref="work")
    assert cast.guest.get(path).json["state"] == "opened"


def test_the_page_shows_what_is_missing(browse, cast, code, owned):
    path = owned(file="x")
    full = cast.owner.get(code.path).json["path_with_namespace"]
    here = f"/{full}/merge_requests/{path.rpartition('/')[2]}"
    master = browse("master")
    shown = master.open(here)
    assert "1 more approval by owners of * is needed before merging." in shown.text
    assert "Code owners" in shown.text
    master.send(f"{here}/merge")
    assert cast.guest.get(path).json["state"] == "opened"
    developer = browse("developer")
    developer.open(here)
    assert developer.send(f"{here}/approve").status == 303
    assert "Ready to be merged" in developer.open(here).text


def test_the_page_of_a_file_names_its_owners(browse, cast, code, owned):
    full = cast.owner.get(code.path).json["path_with_namespace"]
    page = browse("guest").open(f"/{full}/blob/master/README").text
    assert "Code owners: @developer" in page
    assert "Code owners" not in browse("guest").open(f"/{full}/blob/topic/README").text
