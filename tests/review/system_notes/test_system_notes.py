"""The system notes of 11.15 in their order."""

from tests.harness.creation import make_project


def bodies(person, path):
    return [note["body"] for note in person.get(f"{path}/notes", sort="asc").json if note["system"]]


def test_each_change_has_its_sentence_in_a_fixed_order(cast, code):
    milestone = cast.developer.post(f"{code.path}/milestones", title="One").json
    label = cast.developer.post(f"{code.path}/labels", name="bug", color="red").json
    cast.owner.post(f"{code.path}/repository/branches", branch="next", ref="master")
    path = f"{code.requests}/{code.open(description='- [ ] ask').json['iid']}"
    assert bodies(cast.guest, path) == []
    cast.developer.put(
        path, title="WIP: Merge it", description="- [x] ask", labels="bug", milestone_id=milestone["id"],
        discussion_locked=True, target_branch="next", assignee_id=cast.master.id, reviewer_ids=[cast.reporter.id],
    )  # fmt: skip
    assert bodies(cast.guest, path) == [
        "marked as a **Work In Progress**",
        "changed title from **{-Merge me-}** to **{+WIP: Merge it+}**",
        "marked the task **ask** as completed",
        f"added ~{label['id']} label",
        "locked this merge request",
        f"changed milestone to %{milestone['iid']}",
        "changed target branch from `master` to `next`",
        f"assigned to @{cast.master.username}",
        f"requested review from @{cast.reporter.username}",
    ]
    cast.master.put(path, title="Merge it", assignee_id=cast.developer.id, discussion_locked=False)
    cast.master.put(path, description="other", assignee_id=0, state_event="close")
    cast.developer.put(path, state_event="reopen", milestone_id=0, labels="")
    assert bodies(cast.guest, path)[9:] == [
        "unmarked as a **Work In Progress**",
        "unlocked this merge request",
        f"assigned to @{cast.developer.username}",
        "closed",
        "changed the description",
        "removed assignee",
        "reopened",
        f"removed ~{label['id']} label",
        "removed milestone",
    ]
    assert cast.guest.get(path).json["user_notes_count"] == 0


def test_merging_is_noted(cast, code):
    path = f"{code.requests}/{code.open().json['iid']}"
    assert cast.master.put(f"{path}/merge").status == 200
    assert bodies(cast.guest, path) == ["merged"]


def test_an_issue_says_which_request_mentions_it_to_those_who_may_know(cast, code):
    other = make_project(cast.owner, "open", namespace_id=cast.team.id, visibility="public")
    here = cast.owner.post(f"{code.path}/issues", title="Here").json
    there = cast.owner.post(f"/projects/{other['id']}/issues", title="There").json
    issues = [f"/projects/{issue['project_id']}/issues/{issue['iid']}" for issue in (here, there)]
    made = code.open(description=f"see #{here['iid']} and {other['path_with_namespace']}#{there['iid']}").json
    path = f"{code.requests}/{made['iid']}"
    assert bodies(cast.guest, issues[0]) == ["mentioned in merge request !1"]
    assert bodies(cast.stranger, issues[1]) == [f"mentioned in merge request {code.project['path_with_namespace']}!1"]
    cast.developer.post(f"{path}/notes", body=f"again #{here['iid']}")
    assert len(bodies(cast.guest, issues[0])) == 1
    cast.owner.put(code.path, visibility="private")
    assert bodies(cast.stranger, issues[1]) == []
    assert [person["username"] for person in cast.stranger.get(f"{issues[1]}/participants").json] == [
        cast.owner.username
    ]
    assert bodies(cast.reporter, issues[1]) != []
