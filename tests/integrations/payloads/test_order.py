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
