from tests.harness.client import Raw


def test_authors_edit_and_developers_triage(cast, code, fork):
    fork.commit("topic", person=cast.stranger, forked="x")
    made = fork.open(cast.stranger, target_project_id=code.id).json
    path = f"{code.requests}/{made['iid']}"
    edited = cast.stranger.put(path, title="New", description="text", labels="bug", assignee_id=cast.owner.id).json
    assert (edited["title"], edited["description"]) == ("New", "text")
    assert (edited["labels"], edited["assignee"]) == ([], None)
    triaged = cast.developer.put(path, labels="bug", assignee_id=cast.owner.id, discussion_locked=True).json
    assert (triaged["labels"], triaged["assignee"]["id"]) == (["bug"], cast.owner.id)
    assert triaged["discussion_locked"] is True
    more = cast.developer.put(path, add_labels="new", remove_labels="bug").json
    assert more["labels"] == ["new"]
    assert cast.developer.put(path, labels="", assignee_id=0).json["labels"] == []
    assert cast.reporter.put(path, title="x").status == 403
    assert cast.anonymous.put(path, title="x").status == 401
    assert cast.stranger.put(path, unknown=1).status == 400


def test_a_bad_title_changes_nothing(cast, code):
    path = f"{code.requests}/{code.open().json['iid']}"
    for title in ("", None):
        answer = cast.developer.put(path, title=title, state_event="close")
        assert (answer.status, answer.json) == (400, {"message": {"title": ["can't be blank"]}})
    assert cast.developer.get(path).json["state"] == "opened"


def test_switches_are_set_and_unset(cast, code):
    path = f"{code.requests}/{code.open(remove_source_branch=True, squash=True).json['iid']}"
    edited = cast.developer.put(path, remove_source_branch=False, squash=False).json
    assert (edited["force_remove_source_branch"], edited["squash"]) == (False, False)


def test_a_time_to_merge_after_is_accepted_and_changes_nothing(cast, code):
    path = f"{code.requests}/{code.open().json['iid']}"
    before = cast.developer.get(path).json
    answer = cast.developer.put(path, merge_after="2030-01-01")
    assert (answer.status, answer.json) == (200, before | {"updated_at": answer.json["updated_at"]})


def test_requests_close_and_reopen(cast, code):
    path = f"{code.requests}/{code.open().json['iid']}"
    closed = cast.developer.put(path, state_event="close").json
    assert (closed["state"], closed["closed_by"]["id"]) == ("closed", cast.developer.id)
    assert closed["closed_at"]
    assert closed["detailed_merge_status"] == "not_open"
    head = code.commit("topic", again="x")
    assert cast.developer.get(path).json["sha"] == code.topic
    reopened = cast.developer.put(path, state_event="reopen").json
    assert (reopened["state"], reopened["closed_by"], reopened["closed_at"]) == ("opened", None, None)
    assert reopened["sha"] == head
    assert cast.developer.put(path, state_event="reopen").status == 200
    kinds = [kind for kind in cast.events() if kind.startswith("merge_request.")]
    assert kinds == ["merge_request.created", "merge_request.closed", "merge_request.reopened"]


def test_a_request_without_a_source_stays_closed(cast, code):
    path = f"{code.requests}/{code.open().json['iid']}"
    cast.developer.put(path, state_event="close")
    assert code.open(title="Twin").status == 201
    refused = cast.developer.put(path, state_event="reopen")
    assert refused.status == 409
    assert refused.json == {"message": ['Cannot Create: This merge request already exists: ["Twin"]']}
    cast.developer.put(f"{code.requests}/2", state_event="close")
    cast.owner.delete(f"{code.path}/repository/branches/topic")
    refused = cast.developer.put(path, state_event="reopen")
    assert (refused.status, refused.json) == (422, {"error": ['Source branch "topic" does not exist']})
    assert cast.developer.get(path).json["state"] == "closed"


def test_the_target_branch_changes(cast, code):
    code.branch("stable", stable="x")
    path = f"{code.requests}/{code.open().json['iid']}"
    edited = cast.developer.put(path, target_branch=" stable ").json
    assert edited["target_branch"] == "stable"
    assert edited["diff_refs"]["start_sha"] == code.tip("stable")
    assert cast.developer.put(path, target_branch="topic").status == 422
    code.open(title="Other")
    refused = cast.developer.put(path, target_branch="master")
    assert (refused.status, "already exists" in refused.json["message"][0]) == (409, True)
    assert cast.developer.get(path).json["target_branch"] == "stable"


def test_owners_delete(cast, code):
    path = f"{code.requests}/{code.open().json['iid']}"
    assert cast.developer.delete(path).status == 403
    assert cast.master.delete(path).status == 403
    since = Raw(headers={"If-Unmodified-Since": "Mon, 01 Jan 2001 00:00:00 GMT"})
    assert cast.owner.delete(path, since).status == 412
    assert cast.owner.delete(path).status == 204
    assert cast.owner.get(path).json == {"message": "404 Merge Request Not Found"}
    assert code.open().json["iid"] == 2


def test_the_requests_of_a_removed_user_go_to_the_ghost(cast, code):
    path = f"{code.requests}/{code.open(assignee_id=cast.developer.id).json['iid']}"
    assert cast.root.delete(f"/users/{cast.developer.id}").status == 204
    shown = cast.owner.get(path).json
    assert (shown["author"]["username"], shown["assignee"]) == ("ghost", None)


def test_the_feed_tells_of_requests_to_those_who_may_read_them(cast, code):
    made = code.open().json
    cast.developer.put(f"{code.requests}/{made['iid']}", state_event="close")
    cast.developer.put(f"{code.requests}/{made['iid']}", state_event="reopen")
    cast.master.put(f"{code.requests}/{made['iid']}/merge")

    def told(person):
        events = person.get(f"{code.path}/events", target_type="merge_request").json
        return [(event["action_name"], event["target_iid"], event["target_title"]) for event in events]

    assert told(cast.stranger) == [(name, 1, "Merge me") for name in ("accepted", "opened", "closed", "opened")]
    assert cast.stranger.get(f"{code.path}/events", action="merged").json[0]["target_type"] == "MergeRequest"
    cast.owner.put(code.path, visibility="private")
    assert told(cast.guest) == []
    assert len(told(cast.reporter)) == 4
