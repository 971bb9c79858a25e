"""Payloads about pushes, tags and wiki pages."""

import hashlib
from base64 import b64encode

from mujina.ci.jobs import operations as jobs
from mujina.kernel.permissions.actor import Actor
from tests.git.wire import ADA, TYPE, ZERO, packed, request
from tests.harness.client import Raw

COMMIT, TREE = 1, 2
EMPTY_TREE = "4b825dc642cb6eb9a060e54bf8d69288fbee4904"


def test_a_push_tells_its_newest_commits(hooks, repository):
    path, commit = repository
    hooks.add(push_events=True, tag_push_events=True)
    first = commit("master", ("create", "a.txt", {}))
    [body] = hooks.bodies()
    assert (body["before"], body["after"], body["checkout_sha"]) == (ZERO, first, first)
    assert body["ref"] == "refs/heads/master"
    assert [(each["id"], each["added"]) for each in body["commits"]] == [(first, ["a.txt"])]
    assert body["total_commits_count"] == 1
    assert (body["user_username"], body["user_email"]) == ("master", "")

    hooks.cast.transact(lambda tx: tx.run("UPDATE emails SET is_public = TRUE WHERE email = 'master@example.org'"))
    hooks.cast.master.post(f"{path}/branches", branch="topic", ref="master")
    [body] = hooks.bodies()
    assert body["user_email"] == "master@example.org"
    assert (body["before"], body["commits"], body["total_commits_count"]) == (ZERO, [], 0)
    second = commit("topic", ("move", "b.txt", {"previous_path": "a.txt"}), ("create", "c.txt", {"content": "yy"}))
    [body] = hooks.bodies()
    assert [each["id"] for each in body["commits"]] == [second]
    assert sorted(body["commits"][0]["added"]) == ["b.txt", "c.txt"]
    assert body["commits"][0]["removed"] == []

    hooks.cast.master.delete(f"{path}/branches/topic")
    [body] = hooks.bodies()
    assert (body["after"], body["checkout_sha"], body["commits"]) == (ZERO, None, [])

    hooks.cast.master.post(f"{path}/tags", tag_name="v1", ref="master", message="One")
    [body] = hooks.bodies()
    assert (body["object_kind"], body["ref"], body["message"]) == ("tag_push", "refs/tags/v1", "One")
    assert body["checkout_sha"] == first != body["after"]
    assert (len(body["commits"]), body["total_commits_count"]) == (1, 1)
    hooks.cast.master.post(f"{path}/tags", tag_name="light", ref="master")
    [body] = hooks.bodies()
    assert (body["message"], body["after"]) == (None, first)
    hooks.cast.master.delete(f"{path}/tags/v1")
    assert [body["object_kind"] for body in hooks.bodies()] == ["tag_push"]


def history(name, length, parent=None):
    """`length` commits one upon the other: their ids and contents."""
    commits = []
    for number in range(length):
        above = f"parent {parent}\n" if parent else ""
        content = f"tree {EMPTY_TREE}\n{above}author {ADA}\ncommitter {ADA}\n\n{name} {number}\n".encode()
        parent = hashlib.sha1(b"commit %d\0" % len(content) + content, usedforsecurity=False).hexdigest()
        commits.append((parent, content))
    return commits


def push(hooks, *commands, commits):
    """What git sends for these refs, with these commits."""
    pack = packed((TREE, b"", b""), *((COMMIT, b"", content) for _, content in commits))
    login = b64encode(f"master:{hooks.cast.master.token}".encode()).decode()
    raw = Raw(body=request(*commands, pack=pack), type=TYPE, headers={"Authorization": f"Basic {login}"})
    answer = hooks.cast.anonymous.post(f"//{hooks.cast.private.path}.git/git-receive-pack", raw)
    assert answer.status == 200, answer
    assert answer.body.count(b"ok refs/") == len(commands), answer


def test_twenty_of_many_commits_are_listed_oldest_first(hooks, repository):
    path, _ = repository
    commits = history("Main", 23)
    ids = [id for id, _ in commits]
    push(hooks, f"{ZERO} {ids[-1]} refs/heads/master", commits=commits)
    hooks.add(push_events=True)
    hooks.cast.master.post(f"{path}/branches", branch="copy", ref="master")
    assert hooks.bodies()[0]["total_commits_count"] == 0
    hooks.cast.master.post(f"{path}/branches", branch="old", ref=ids[0])
    hooks.bodies()
    assert hooks.cast.owner.put(f"/projects/{hooks.cast.private.id}", default_branch="old").status == 200
    hooks.cast.master.post(f"{path}/branches", branch="new", ref="master")
    [body] = hooks.bodies()
    assert body["total_commits_count"] == 22
    assert [each["id"] for each in body["commits"]] == ids[-20:]


def test_git_pushes_are_told_by_ref(hooks):
    """The first push of a long history; two branches and a tag at once; a branch that is forced to another side."""
    hooks.add(push_events=True, tag_push_events=True)
    commits = history("Main", 130)
    ids = [id for id, _ in commits]
    push(hooks, f"{ZERO} {ids[-1]} refs/heads/master", commits=commits)
    [body] = hooks.bodies()
    assert (body["before"], body["after"], body["total_commits_count"]) == (ZERO, ids[-1], 130)
    assert [each["id"] for each in body["commits"]] == ids[-20:]

    hooks.add("", push_events=True, tag_push_events=True)
    topic, other = history("Topic", 2, parent=ids[9]), history("Other", 1, parent=ids[-1])
    before = topic[-1][0]
    refs = {"refs/heads/other": other[-1][0], "refs/heads/topic": before, "refs/tags/v1": ids[5]}
    push(hooks, *(f"{ZERO} {id} {ref}" for ref, id in refs.items()), commits=[*topic, *other])
    bodies = hooks.bodies()
    told = [body for body in bodies if "commits" in body]
    assert sorted((body["event_name"], body["ref"]) for body in told) == sorted(
        2 * [("push", "refs/heads/other"), ("push", "refs/heads/topic"), ("tag_push", "refs/tags/v1")]
    )
    by_ref = {body["ref"]: [each["id"] for each in body["commits"]] for body in told}
    assert by_ref == {
        "refs/heads/other": [other[0][0]], "refs/heads/topic": [id for id, _ in topic], "refs/tags/v1": [ids[5]],
    }  # fmt: skip
    [update] = [body for body in bodies if "commits" not in body]
    assert update["event_name"] == "repository_update"
    assert {change["ref"]: change["after"] for change in update["changes"]} == refs
    assert sorted(update["refs"]) == sorted(refs)

    side = history("Side", 1, parent=ids[9])
    push(hooks, f"{before} {side[0][0]} refs/heads/topic", commits=side)
    body = next(body for body in hooks.bodies() if "commits" in body)
    assert (body["before"], body["after"], body["total_commits_count"]) == (before, side[0][0], 1)
    assert [each["id"] for each in body["commits"]] == [side[0][0]], "the new side alone"

    long = history("Long" * 20_000, 1, parent=ids[-1])
    push(hooks, f"{ZERO} {long[0][0]} refs/heads/long", commits=long)
    body = next(body for body in hooks.bodies() if "commits" in body)
    assert len(body["commits"][0]["message"]) == 65_536, "a pack of a few bytes does not become a payload of gigabytes"


def test_system_hooks_get_pushes_by_their_flags_with_the_primary_address(hooks, repository):
    _, commit = repository
    hooks.add("", push_events=True, tag_push_events=True)
    commit("master", ("create", "a.txt", {}))
    push, update = [body for body in hooks.bodies() if body["event_name"] in ("push", "repository_update")]
    assert push["user_email"] == update["user_email"] == "master@example.org"
    assert update["refs"] == ["refs/heads/master"]
    assert update["changes"][0]["before"] == ZERO


def test_wiki_pages_are_told_as_they_were_written(hooks):
    cast, wiki = hooks.cast, f"/projects/{hooks.cast.private.id}/wikis"
    hooks.add(wiki_events=True)
    cast.developer.post(wiki, title="Some Page", content="One")
    cast.developer.put(f"{wiki}/Some-Page", content="Two")
    cast.master.delete(f"{wiki}/Some-Page")
    bodies = hooks.bodies()
    attributes = [body["object_attributes"] for body in bodies]
    assert [(each["action"], each["content"]) for each in attributes] == [
        ("create", "One"), ("update", "Two"), ("delete", None),
    ]  # fmt: skip
    assert {(each["slug"], each["title"], each["format"]) for each in attributes} == {
        ("Some-Page", "Some Page", "markdown")
    }
    assert bodies[0]["wiki"]["path_with_namespace"].endswith(".wiki")


def test_commit_statuses_are_told_as_jobs_and_pipelines(hooks, repository):
    _, commit = repository
    sha = commit("master", ("create", "a.txt", {}))
    hook = hooks.add(job_events=True, pipeline_events=True)
    statuses = f"/projects/{hooks.cast.private.id}/statuses/{sha}"
    hooks.cast.developer.post(statuses, state="running", name="test")
    hooks.cast.developer.post(statuses, state="success", name="test")
    requests = hooks.requests()
    assert {request.headers["x-gitlab-event"] for request in requests} == {"Job Hook", "Pipeline Hook"}
    hooks.receiver.received[:] = requests
    bodies = hooks.bodies()
    builds = [body for body in bodies if body["object_kind"] == "build"]
    pipelines = [body for body in bodies if body["object_kind"] == "pipeline"]
    assert [body["build_status"] for body in builds] == ["running", "success"]
    assert [body["object_attributes"]["status"] for body in pipelines] == ["running", "success"]
    assert builds[0]["commit"]["id"] == pipelines[0]["object_attributes"]["id"]
    assert (builds[0]["build_stage"], builds[0]["user"]["email"]) == ("external", "")
    hooks.cast.run("UPDATE commit_statuses SET author_id = NULL")  # as if nobody knew who reported
    assert hooks.cast.master.post(f"{hook}/test/job_events").status == 201
    [build] = hooks.bodies()
    assert build["user"] == {"id": None, "name": None, "email": None}


def test_pipelines_and_their_jobs_are_told(hooks, repository):
    _, commit = repository
    hooks.add(job_events=True, pipeline_events=True, push_events=False)
    text = "stages: [one, two]\na: {stage: one, script: x}\nb: {stage: two, script: y, when: manual}\n"
    commit("topic", ("create", ".gitlab-ci.yml", {"content": text}))
    bodies = hooks.bodies()
    [pipeline] = [body for body in bodies if body["object_kind"] == "pipeline"]
    assert pipeline["object_attributes"]["stages"] == ["one", "two"]
    assert (pipeline["object_attributes"]["status"], pipeline["user"]["username"]) == ("pending", "master")
    assert [(build["name"], build["status"], build["manual"]) for build in pipeline["builds"]] == [
        ("a", "pending", False), ("b", "created", True),
    ]  # fmt: skip
    builds = [body for body in bodies if body["object_kind"] == "build"]
    assert [(body["build_name"], body["build_stage"], body["build_status"]) for body in builds] == [
        ("a", "one", "created"),
        ("b", "two", "created"),
    ]
    job = pipeline["builds"][0]["id"]
    assert hooks.cast.master.post(f"/projects/{hooks.cast.private.id}/jobs/{job}/cancel").status == 201
    told = [
        (body["object_kind"], body.get("build_status") or body["object_attributes"]["status"])
        for body in hooks.bodies()
    ]
    assert told == [("build", "canceled"), ("pipeline", "canceled")]


def test_a_branch_filter_chooses_pushes_by_the_name_of_the_branch(hooks, repository):
    path, commit = repository
    chosen = {
        hooks.add(push_events=True, tag_push_events=True, push_events_branch_filter=name): name
        for name in ("master", "release-*", "*-fix", "r*-*x", "[a-z]*", "mas", "")
    }
    commit("master", ("create", "a.txt", {}))
    for branch in ("release-1", "release-a-fix"):
        hooks.cast.master.post(f"{path}/branches", branch=branch, ref="master")
    hooks.cast.master.post(f"{path}/tags", tag_name="v1", ref="master")
    hooks.bodies()
    got = {
        name: [
            entry["request_data"]["ref"].removeprefix("refs/")
            for entry in reversed(hooks.cast.master.get(f"{hook}/events").json)
        ]
        for hook, name in chosen.items()
    }
    assert got == {
        "master": ["heads/master", "tags/v1"],
        "release-*": ["heads/release-1", "heads/release-a-fix", "tags/v1"],
        "*-fix": ["heads/release-a-fix", "tags/v1"],
        "r*-*x": ["heads/release-a-fix", "tags/v1"],
        "[a-z]*": ["tags/v1"],
        "mas": ["tags/v1"],
        "": ["heads/master", "heads/release-1", "heads/release-a-fix", "tags/v1"],
    }


def test_the_builds_of_a_pipeline_are_told_as_they_were(hooks, repository):
    _, commit = repository
    hooks.add(pipeline_events=True, push_events=False)
    text = "stages: [one, two]\na: {stage: one, script: x}\nb: {stage: two, script: y}\n"
    commit("topic", ("create", ".gitlab-ci.yml", {"content": text}))
    [pipeline] = hooks.bodies()
    pipeline_id, actor = pipeline["object_attributes"]["id"], Actor(id=hooks.cast.master.id)
    hooks.cast.transact(lambda tx: jobs.cancel_pipeline(tx, actor, pipeline_id))
    hooks.cast.transact(lambda tx: jobs.retry_pipeline(tx, actor, pipeline_id))
    hooks.cast.master.post(f"/projects/{hooks.cast.private.id}/issues", title="Jobs run within a request")
    assert [
        (body["object_attributes"]["status"], [build["status"] for build in body["builds"]]) for body in hooks.bodies()
    ] == [("canceled", ["canceled", "canceled"]), ("pending", ["pending", "created"])]
