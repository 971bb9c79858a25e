"""The orders in which today's clients call, with what each of them reads from the answers."""

MINE = {"source_branch": "renovate/x", "scope": "created_by_me", "state": "opened", "per_page": 100}


def open_update(bot, code):
    """The commit of an update by Renovate, and the answer to its request."""
    head = code.commit("renovate/x", person=bot, start_branch="master", message="Update x", package="2\n")
    created = bot.post(
        code.requests, source_branch="renovate/x", target_branch="master", remove_source_branch=True, squash=False,
        title="Update x", description="To 2", labels="dependencies",
    )  # fmt: skip
    assert created.status == 201, created
    return head, created.json


def test_renovate_opens_a_request_for_a_dependency(cast, code):
    bot, path = cast.master, code.path
    assert bot.get("/version").json["version"]
    assert bot.get("/user").json["id"] == bot.id
    project = bot.get(path).json
    assert (project["default_branch"], project["merge_requests_enabled"], project["archived"]) == (
        "master",
        True,
        False,
    )
    assert bot.get(code.requests, **MINE).json == []
    head, request = open_update(bot, code)
    # `null` and a missing field are not the same to it.
    assert {"pipeline", "head_pipeline"} <= request.keys()
    assert (request["sha"], request["head_pipeline"], request["labels"]) == (head, None, ["dependencies"])
    again = bot.post(code.requests, source_branch="renovate/x", target_branch="master", title="Update x")
    assert again.status == 409
    assert "already exists" in str(again.json["message"])


def test_renovate_follows_its_request_until_it_is_merged(cast, code):
    bot, path = cast.master, code.path
    head, request = open_update(bot, code)
    single = f"{code.requests}/{request['iid']}"
    statuses = f"{path}/repository/commits/{head}/statuses"
    assert bot.get(statuses).json == []
    for state in ("pending", "running"):
        assert bot.post(f"{path}/statuses/{head}", state=state, context="renovate/stability-days").status == 201
    assert [(each["name"], each["status"]) for each in bot.get(statuses).json] == [
        ("renovate/stability-days", "running")
    ]
    shown = bot.get(single, include_diverged_commits_count=1).json
    assert (shown["merge_status"], shown["has_conflicts"], shown["diverged_commits_count"]) == (
        "can_be_merged",
        False,
        0,
    )
    assert (shown["detailed_merge_status"], shown["head_pipeline"]["status"]) == ("mergeable", "running")
    assert shown["pipeline"]["id"] == shown["head_pipeline"]["id"]
    edited = bot.put(single, description="To 2, at last", add_labels="renovate").json
    assert (edited["description"], edited["labels"]) == ("To 2, at last", ["dependencies", "renovate"])
    assert bot.post(f"{single}/notes", body="Waiting for tests").status == 201
    assert [note["body"] for note in bot.get(f"{single}/notes", per_page=100).json if not note["system"]] == [
        "Waiting for tests"
    ]
    merging = bot.put(f"{single}/merge", should_remove_source_branch=True, merge_when_pipeline_succeeds=True).json
    assert (merging["state"], merging["merge_when_pipeline_succeeds"]) == ("opened", True)
    assert [each["iid"] for each in bot.get(code.requests, **MINE).json] == [request["iid"]]
    bot.post(f"{path}/statuses/{head}", state="success", context="renovate/stability-days")
    assert bot.get(code.requests, **MINE).json == []
    [merged] = bot.get(code.requests, **{**MINE, "state": "all"}).json
    assert (merged["state"], merged["merged_by"]["id"]) == ("merged", bot.id)
    assert bot.get(f"{path}/repository/branches/renovate%2Fx").status == 404


def test_glab_takes_a_draft_to_the_default_branch(cast, code):
    author, reviewer = cast.developer, cast.master
    created = author.post(
        code.requests, source_branch="topic", target_branch="master", title="Draft: Say it",
        reviewer_ids=[reviewer.id], target_project_id=code.id,
    )  # fmt: skip
    assert created.status == 201, created
    request = created.json
    assert (request["draft"], [user["id"] for user in request["reviewers"]]) == (True, [reviewer.id])
    single = f"{code.requests}/{request['iid']}"
    [listed] = reviewer.get(code.requests, state="opened", reviewer_id=reviewer.id, per_page=30).json
    assert listed["references"]["full"] == f"{code.project['path_with_namespace']}!{request['iid']}"
    assert [each["iid"] for each in reviewer.get("/merge_requests", scope="reviews_for_me").json] == [request["iid"]]
    shown = reviewer.get(single, include_diverged_commits_count=True, render_html=True).json
    assert (shown["detailed_merge_status"], shown["user"], shown["changes_count"]) == (
        "draft_status", {"can_merge": True}, "1",
    )  # fmt: skip
    assert shown["diff_refs"]["head_sha"] == shown["sha"] == code.topic
    assert reviewer.get(f"{single}/approval_state").json["rules"][0]["approved"] is True
    assert reviewer.get(f"{single}/approvals").json["approved_by"] == []
    approved = reviewer.post(f"{single}/approve", sha=code.topic)
    assert (approved.status, approved.json["approved_by"][0]["user"]["id"]) == (201, reviewer.id)
    assert reviewer.put(f"{single}/merge", sha=code.topic).status == 405
    assert author.put(single, title="Say it").json["draft"] is False
    assert reviewer.get(single).json["detailed_merge_status"] == "mergeable"
    assert reviewer.put(f"{single}/merge", sha=code.first).status == 409
    merged = reviewer.put(f"{single}/merge", sha=code.topic, squash=False, should_remove_source_branch=False)
    assert (merged.status, merged.json["state"]) == (200, "merged")
    assert reviewer.put(f"{single}/merge", sha=code.topic).status == 405


def test_reviewdog_comments_on_a_line_of_a_branch_that_is_behind(cast, code):
    tool, single = cast.developer, f"{code.requests}/{code.open().json['iid']}"
    behind = code.commit(elsewhere="x")
    [version] = tool.get(f"{single}/versions").json
    assert version["head_commit_sha"] == code.topic
    [change] = tool.get(f"{single}/changes").json["changes"]
    assert (change["new_path"], change["diff"].splitlines()[-1]) == ("topic", "+text")
    for number in range(3):
        assert tool.post(f"{single}/notes", body=f"Note {number}").status == 201
    # It walks the pages of discussions to find its own former comments.
    page, found = "1", []
    while page:
        answer = tool.get(f"{single}/discussions", page=page, per_page=2)
        found += answer.json
        page = answer.headers["X-Next-Page"]
    assert len(found) == 3
    # Both are the tip of the target branch, not the merge base.
    position = {
        "position_type": "text", "base_sha": behind, "start_sha": behind, "head_sha": code.topic, "new_path": "topic",
        "new_line": 1,
    }  # fmt: skip
    made = tool.post(f"{single}/discussions", body="Trailing text", position=position)
    assert made.status == 201, made
    [note] = made.json["notes"]
    assert (note["type"], note["position"]["new_line"], note["resolvable"]) == ("DiffNote", 1, True)
    outside = tool.post(f"{single}/discussions", body="Where?", position={**position, "new_line": 7})
    assert outside.status == 400
    resolved = tool.put(f"{single}/discussions/{made.json['id']}", resolved=True)
    assert (resolved.status, resolved.json["notes"][0]["resolved"]) == (200, True)
