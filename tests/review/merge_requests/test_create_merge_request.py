from tests.harness.creation import make_project
from tests.review.conftest import Repository

SUMMARY = {
    "id", "iid", "project_id", "title", "description", "state", "created_at", "updated_at", "target_branch",
    "source_branch", "upvotes", "downvotes", "author", "assignee", "source_project_id", "target_project_id", "labels",
    "work_in_progress", "milestone", "merge_when_pipeline_succeeds", "merge_status", "sha", "merge_commit_sha",
    "user_notes_count", "should_remove_source_branch", "force_remove_source_branch", "web_url", "time_stats",
}  # fmt: skip
IN_LISTS = SUMMARY | {
    "approvals_before_merge", "discussion_locked", "squash", "references", "reference", "assignees", "reviewers",
    "draft", "merged_at", "merged_by", "merge_user", "closed_at", "closed_by", "detailed_merge_status", "has_conflicts",
    "blocking_discussions_resolved", "squash_commit_sha", "squash_on_merge", "task_completion_status", "prepared_at",
    "merge_after", "imported",
}  # fmt: skip
SINGLE = IN_LISTS | {
    "subscribed", "changes_count", "diff_refs", "pipeline", "head_pipeline", "merge_error", "first_contribution", "user",
}  # fmt: skip


def test_a_request_shows_what_it_compares(cast, code):
    made = code.open(description="- [x] done\n- [ ] open\n", remove_source_branch=True, squash=True)
    assert made.status == 201
    assert made.json.keys() == SINGLE
    assert made.json["iid"] == 1
    assert (made.json["state"], made.json["sha"]) == ("opened", code.topic)
    assert made.json["diff_refs"] == {"base_sha": code.first, "head_sha": code.topic, "start_sha": code.first}
    assert made.json["changes_count"] == "1"
    assert (made.json["squash"], made.json["force_remove_source_branch"]) == (True, True)
    assert made.json["source_project_id"] == made.json["target_project_id"] == made.json["project_id"] == code.id
    assert made.json["author"]["id"] == cast.developer.id
    assert made.json["task_completion_status"] == {"count": 2, "completed_count": 1}
    full = f"{code.project['path_with_namespace']}!1"
    assert made.json["references"] == {"short": "!1", "relative": "!1", "full": full}
    assert made.json["web_url"] == f"http://mujina.test/{code.project['path_with_namespace']}/merge_requests/1"
    assert made.json["subscribed"]
    shown = cast.anonymous.get(f"{code.requests}/1")
    assert shown.status == 200
    computed = ("subscribed", "user", "merge_status", "detailed_merge_status")
    assert shown.json | {name: made.json[name] for name in computed} == made.json
    assert shown.json["user"] == {"can_merge": False}
    assert "merge_request.created" in cast.events()


def test_requests_and_issues_are_numbered_apart(cast, code):
    cast.developer.post(f"{code.path}/issues", title="An issue")
    assert code.open().json["iid"] == 1
    code.branch("other", other="x")
    assert code.open(source_branch="other").json["iid"] == 2


def test_a_fork_asks_its_source(cast, code, fork):
    head = fork.commit("topic", person=cast.stranger, forked="x")
    milestone = cast.owner.post(f"{code.path}/milestones", title="One").json["id"]
    asked = {"target_project_id": code.id, "labels": "bug", "assignee_id": cast.developer.id, "milestone_id": milestone}
    made = fork.open(cast.stranger, **asked)
    assert made.status == 201, made
    assert (made.json["project_id"], made.json["source_project_id"]) == (code.id, fork.id)
    assert made.json["sha"] == head
    assert made.json["changes_count"] == "2"
    assert (made.json["labels"], made.json["assignee"], made.json["milestone"]) == ([], None, None)
    assert made.json["allow_collaboration"] is False
    assert cast.stranger.get(fork.requests).json == []
    assert [request["id"] for request in cast.anonymous.get(code.requests).json] == [made.json["id"]]
    # The source is asked by the target in turn, and a fork's master by the source's.
    back = code.open(cast.owner, target_project_id=fork.id)
    assert (back.status, back.json["project_id"]) == (201, fork.id)
    assert fork.open(cast.stranger, source_branch="master", target_project_id=code.id).status == 201
    # Forks of one project ask each other.
    sibling = cast.guest.post(f"{code.path}/fork").json["id"]
    assert fork.open(cast.stranger, target_project_id=sibling).json["project_id"] == sibling


def test_forks_of_a_removed_fork_stay_in_the_network(cast, code, fork):
    further = Repository(cast, cast.guest.post(f"{fork.path}/fork").json)
    branched = {"source_branch": "topic", "target_project_id": code.id}
    assert cast.stranger.delete(fork.path).status == 204
    assert "forked_from_project" not in cast.guest.get(further.path).json
    assert further.open(cast.guest, **branched).status == 201
    assert further.open(cast.guest, **branched, target_branch="other").status == 201
    # What its first project hides, and what administrators relate, follows the network.
    assert cast.owner.put(code.path, visibility="internal").status == 200
    assert cast.guest.get(further.path).json["visibility"] == "internal"
    assert cast.root.post(f"{further.path}/fork/{cast.internal.id}").status == 201
    assert further.open(cast.guest, **branched, target_branch="third").status == 422
    assert cast.root.delete(f"{further.path}/fork").status == 204
    assert cast.root.post(f"{further.path}/fork/{code.id}").status == 201
    assert further.open(cast.guest, **branched, target_branch="third").status == 201


def test_the_first_reason_against_a_request_is_the_answer(cast, code, fork):
    assert code.open(source_branch="master").json == {
        "error": ["You can not use same project/branch for source and target"]
    }
    other = make_project(cast.owner, "unrelated", visibility="public")
    assert code.open(cast.owner, target_project_id=other["id"]).json == {
        "error": ["Source project is not a fork of the target project"]
    }
    assert code.open(target_project_id=10**9).json == {"message": "404 Project Not Found"}
    hidden = make_project(cast.owner, "hidden", visibility="private")
    assert code.open(target_project_id=hidden["id"]).json == {"message": "404 Project Not Found"}
    assert code.open(title="First").status == 201
    again = code.open(title="Second")
    assert again.status == 409
    assert again.json == {"message": ['Cannot Create: This merge request already exists: ["First"]']}
    for person, status in ((cast.reporter, 403), (cast.guest, 403), (cast.stranger, 403), (cast.anonymous, 401)):
        assert code.open(person, source_branch="new").status == status


def test_a_project_may_do_without_requests(cast, code, fork):
    assert code.open().status == 201
    cast.owner.put(code.path, merge_requests_enabled=False)
    assert code.open(source_branch="x").status == 403
    asked = fork.open(cast.stranger, target_project_id=code.id)
    assert (asked.status, asked.json) == (422, {"error": ["Target project has disabled merge requests"]})
    for person in (cast.owner, cast.root, cast.developer):
        assert person.get(code.requests).status == 403
        assert person.get(f"{code.requests}/1").status == 403
        assert person.get(f"{code.requests}/99").status == 403
        assert person.put(f"{code.requests}/1", title="x").status == 403
    assert cast.owner.delete(f"{code.requests}/1").status == 404


def test_an_archived_project_takes_part_in_no_new_request(cast, code, fork):
    code.open()
    forked = fork.open(cast.stranger, target_project_id=code.id).json["iid"]
    cast.owner.post(f"{code.path}/archive")
    assert cast.stranger.put(f"{code.requests}/{forked}/rebase").status == 403
    assert code.open(source_branch="x").status == 403
    assert fork.open(cast.stranger, target_project_id=code.id).status == 403
    assert cast.anonymous.get(f"{code.requests}/1").status == 200
    assert cast.developer.put(f"{code.requests}/1", title="x").status == 403
    assert cast.owner.delete(f"{code.requests}/1").status == 403


def test_values_are_checked(code):
    for params, complaints in (
        ({"title": " "}, {"title": ["can't be blank"]}),
        ({"title": "x" * 256}, {"title": ["is too long (maximum is 255 characters)"]}),
        ({"source_branch": ""}, {"source_branch": ["can't be blank"]}),
        ({"approvals_before_merge": 1}, {"validate_approvals_before_merge": ["Approvals disabled for target project"]}),
    ):
        answer = code.open(**params)
        assert (answer.status, answer.json) == (400, {"message": complaints})


def test_more_approvals_than_the_project_wants_may_be_asked_for(cast, code):
    cast.owner.put(code.path, approvals_before_merge=1)
    assert code.open(approvals_before_merge=1).json == {
        "message": {
            "validate_approvals_before_merge": ["Number of approvals must be greater than those on target project"]
        }
    }
    assert code.open(approvals_before_merge=2).json["approvals_before_merge"] == 2


def test_branches_that_do_not_exist_make_an_empty_request(code):
    made = code.open(source_branch="nowhere")
    assert (made.status, made.json["sha"], made.json["diff_refs"], made.json["changes_count"]) == (
        201,
        None,
        None,
        None,
    )
    made = code.open(target_branch="nowhere")
    assert (made.status, made.json["changes_count"]) == (201, None)


def test_developers_of_the_target_triage(cast, code):
    milestone = cast.owner.post(f"{code.path}/milestones", title="One").json
    made = code.open(
        labels="bug,new", milestone_id=milestone["id"], assignee_id=cast.reporter.id, reviewer_ids=[cast.master.id]
    ).json
    assert made["labels"] == ["bug", "new"]
    assert made["milestone"]["title"] == "One"
    assert made["assignee"]["id"] == cast.reporter.id
    assert [user["id"] for user in made["reviewers"]] == [cast.master.id]
    assert {label["name"] for label in cast.owner.get(f"{code.path}/labels").json} >= {"bug", "new"}


def test_the_title_says_whether_it_is_a_draft(cast, code):
    path = f"{code.requests}/{code.open().json['iid']}"
    for title in ("WIP: x", "[wip] x", "wip x", " Draft: x", "[Draft] x", "(draft) x", "wiping x", "A draft: x"):
        edited = cast.developer.put(path, title=title).json
        assert edited["draft"] == edited["work_in_progress"] == (title not in ("wiping x", "A draft: x")), title


def test_the_commits_of_a_request_can_be_fetched(cast, code, stage):
    code.open()
    [head] = (stage.folder / "repositories").rglob("refs/merge-requests/1/head")
    assert head.read_text().strip() == code.topic
    assert [branch["name"] for branch in cast.owner.get(f"{code.path}/repository/branches").json] == [
        "master", "topic",
    ]  # fmt: skip
