"""Labels and milestones of merge requests: counts, deletion, and the transfer of the project."""

from tests.harness.creation import make_group


def counts(person, owner, name="bug"):
    labels = person.get(f"{owner}/labels").json
    return [label["open_merge_requests_count"] for label in labels if label["name"] == name]


def test_labels_count_the_open_requests_that_the_caller_may_read(cast, code):
    group = f"/groups/{cast.team.id}"
    cast.owner.post(f"{group}/labels", name="bug", color="#FF0000")
    for number in range(3):
        code.open(labels="bug", source_branch=f"branch-{number}")
    assert counts(cast.reporter, code.path) == counts(cast.reporter, group) == [3]
    assert cast.reporter.get(f"{code.path}/labels/bug").json["open_merge_requests_count"] == 3
    cast.developer.put(f"{code.requests}/1", state_event="close")
    cast.developer.put(f"{code.requests}/2", remove_labels="bug")
    assert counts(cast.reporter, code.path) == counts(cast.reporter, group) == [1]
    assert counts(cast.stranger, code.path) == [1]
    cast.developer.put(f"{code.requests}/3", assignee_ids=[cast.guest.id])
    cast.owner.put(code.path, visibility="private")
    assert counts(cast.guest, code.path) == [1]
    cast.developer.put(f"{code.requests}/3", assignee_ids=[0])
    assert counts(cast.guest, code.path) == [0]
    assert counts(cast.developer, group) == [1]
    cast.owner.put(code.path, merge_requests_enabled=False)
    assert counts(cast.owner, code.path) == counts(cast.owner, group) == [0]


def test_deleting_a_label_or_a_milestone_leaves_the_request(cast, code):
    milestone = cast.owner.post(f"{code.path}/milestones", title="Soon").json
    code.open(labels="bug,new", milestone_id=milestone["id"])
    cast.owner.delete(f"{code.path}/labels", name="bug")
    cast.owner.delete(f"{code.path}/milestones/{milestone['id']}")
    request = cast.reporter.get(f"{code.requests}/1").json
    assert (request["labels"], request["milestone"]) == (["new"], None)


def test_a_transferred_project_keeps_the_labels_of_its_requests(cast, code):
    group = f"/groups/{cast.team.id}"
    for name in ("bug", "new"):
        cast.owner.post(f"{group}/labels", name=name, color="#FF0000")
    cast.owner.post(f"{code.path}/labels", name="own", color="#FF0000")
    milestones = [cast.owner.post(f"{group}/milestones", title=title).json["id"] for title in ("Soon", "Later")]
    code.open(labels="bug,own,new", milestone_id=milestones[0])
    code.open(source_branch="other", milestone_id=milestones[1])
    other = make_group(cast.root, "elsewhere", name="Elsewhere")
    cast.root.post(f"/groups/{other['id']}/labels", name="bug", color="#00FF00")
    cast.root.post(f"/groups/{other['id']}/milestones", title="Soon")
    assert cast.root.post(f"/groups/{other['id']}/projects/{code.id}").status == 201
    one, two = (cast.root.get(f"{code.requests}/{iid}").json for iid in (1, 2))
    assert (one["labels"], one["milestone"]["title"], two["milestone"]) == (["bug", "new", "own"], "Soon", None)
    assert one["milestone"]["group_id"] == other["id"]
    assert [request["iid"] for request in cast.root.get(code.requests, labels="bug,new").json] == [1]
    assert counts(cast.root, f"/groups/{other['id']}") == counts(cast.root, code.path) == [1]
