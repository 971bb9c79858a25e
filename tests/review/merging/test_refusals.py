"""Every reason against merging, alone and together with all that come after it."""

from tests.review.merge_requests.test_pushes import git, place_of

NOT_NOW, CANNOT = {"message": "405 Method Not Allowed"}, {"message": "Branch cannot be merged"}


def merged(person, path, sha):
    answer = person.put(f"{path}/merge", sha=sha)
    return answer.status, answer.json


def test_the_first_of_many_reasons_is_the_answer(cast, code):
    path = f"{code.requests}/{code.open().json['iid']}"
    status = f"{code.path}/statuses/{code.topic}"
    # All reasons at once.
    code.commit(topic="in conflict\n")
    cast.owner.put(
        code.path, only_allow_merge_if_pipeline_succeeds=True, only_allow_merge_if_all_discussions_are_resolved=True,
        approvals_before_merge=1,
    )  # fmt: skip
    cast.developer.post(status, state="failed", ref="topic")
    discussion = cast.reporter.post(f"{path}/discussions", body="Really?").json["id"]
    cast.developer.put(path, title="WIP: later", state_event="close")
    tip = code.tip()
    steps = [
        (lambda: None, (405, NOT_NOW)),  # closed
        (lambda: cast.developer.put(path, state_event="reopen"), (405, NOT_NOW)),  # draft
        (lambda: cast.developer.put(path, title="Now"), (405, NOT_NOW)),  # pipeline
        (lambda: cast.developer.post(status, state="success", ref="topic"), (405, NOT_NOW)),  # discussion
        (lambda: cast.developer.put(f"{path}/discussions/{discussion}", resolved=True), (406, CANNOT)),  # approvals
        (lambda: cast.owner.post(f"{path}/approve"), (406, CANNOT)),  # conflict
    ]
    for step, (change, expected) in enumerate(steps):
        change()
        # Users who may not merge learn no other reason; users who may not read learn none.
        assert [person.put(f"{path}/merge").status for person in (cast.anonymous, cast.developer)] == [401, 401], step
        assert merged(cast.master, path, "0" * 40) == expected, step
        # Reading computes the status, which does not change the answer.
        cast.master.get(path)
        assert merged(cast.master, path, "0" * 40) == expected, step
    assert code.tip() == tip


def test_a_stale_head_is_answered_before_a_push_rule_and_both_before_the_merge(cast, code):
    path = f"{code.requests}/{code.open().json['iid']}"
    cast.owner.post(f"{code.path}/push_rule", commit_message_regex="JIRA-")
    stale = {"message": f"SHA does not match HEAD of source branch: {code.topic}"}
    assert merged(cast.master, path, "0" * 40) == (409, stale)
    status, body = merged(cast.master, path, code.topic)
    assert (status, "JIRA-" in body["message"]) == (406, True)
    assert cast.master.get(path).json["merge_error"] == body["message"]
    cast.owner.delete(f"{code.path}/push_rule")
    assert cast.master.put(f"{path}/merge", sha=code.topic).json["state"] == "merged"
    assert merged(cast.master, path, code.topic)[0] == 405


def test_a_source_that_is_behind_is_not_fast_forwarded(cast, code):
    path = f"{code.requests}/{code.open().json['iid']}"
    cast.owner.put(code.path, merge_method="ff")
    code.commit(elsewhere="x")
    refused = cast.master.put(f"{path}/merge", sha="0" * 40)
    assert (refused.status, refused.json) == (406, {"message": "Branch cannot be merged"})
    assert cast.master.get(path).json["detailed_merge_status"] == "need_rebase"


def test_a_request_without_its_branches_or_commits_is_not_merged(cast, code):
    same = code.open(source_branch="topic", target_branch="nowhere").json["iid"]
    cast.owner.post(f"{code.path}/repository/branches", branch="level", ref="master")
    level = code.open(source_branch="level").json["iid"]
    absent = code.open(source_branch="absent").json["iid"]
    for iid in (same, level, absent):
        refused = cast.owner.put(f"{code.requests}/{iid}/merge", sha="0" * 40)
        assert (refused.status, refused.json) == (405, {"message": "405 Method Not Allowed"}), iid
    cast.owner.post(f"{code.path}/archive")
    assert cast.owner.put(f"{code.requests}/{level}/merge").status == 401


def test_histories_without_a_common_commit_are_a_conflict(cast, code, stage):
    code.open()
    place = place_of(stage, code.topic)
    identity = ("-c", "user.name=x", "-c", "user.email=x@example.org")
    alone = git(place, *identity, "commit-tree", f"{code.topic}^{{tree}}", "-m", "Alone")
    git(place, "update-ref", "refs/heads/alone", alone)
    path = f"{code.requests}/{code.open(source_branch='alone').json['iid']}"
    refused = cast.master.put(f"{path}/merge")
    assert (refused.status, refused.json) == (406, {"message": "Branch cannot be merged"})
    shown = cast.anonymous.get(path).json
    assert (shown["detailed_merge_status"], shown["has_conflicts"], shown["sha"]) == ("conflict", True, alone)
