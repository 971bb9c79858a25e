"""What one request gives rise to, in the order in which a hook gets it."""


def test_merging_tells_the_push_the_closed_issues_and_the_request_in_this_order(hooks, repository):
    _, commit = repository
    cast, here = hooks.cast, f"/projects/{hooks.cast.private.id}"
    commit("master", ("create", "a.txt", {}))
    commit("topic", ("create", "b.txt", {}), start_branch="master")
    cast.owner.put(f"{here}", default_branch="master")
    made = cast.developer.post(
        f"{here}/merge_requests", title="A request", source_branch="topic", target_branch="master",
        description=f"Closes #{cast.open}", remove_source_branch=True,
    )  # fmt: skip
    hooks.add(push_events=True, issues_events=True, merge_requests_events=True)
    merged = cast.master.put(f"{here}/merge_requests/{made.json['iid']}/merge", should_remove_source_branch=True)
    assert merged.status == 200, merged
    told = [(body["object_kind"], body.get("ref") or body["object_attributes"]["action"]) for body in hooks.bodies()]
    assert told == [
        ("push", "refs/heads/master"),
        ("issue", "close"),
        ("merge_request", "merge"),
        ("push", "refs/heads/topic"),
    ]


def test_a_note_is_told_after_what_its_commands_changed(hooks):
    cast = hooks.cast
    hooks.add(issues_events=True, note_events=True)
    here = f"/projects/{cast.private.id}/issues/{cast.open}"
    for path in (f"{here}/notes", f"{here}/discussions"):
        made = cast.owner.post(path, body="Renamed\n/title Another\n/close\n/todo" if "notes" in path else "x\n/reopen")
        assert made.status == 201, made
    told = [(body["object_kind"], body["object_attributes"].get("action")) for body in hooks.bodies()]
    assert told == [("issue", "close"), ("issue", "update"), ("note", None), ("issue", "reopen"), ("note", None)]
    assert [todo["action_name"] for todo in cast.owner.get("/todos").json] == []  # the second comment finished it
