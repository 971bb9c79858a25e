"""PUT …/merge with `merge_when_pipeline_succeeds`, and POST …/cancel_merge_when_pipeline_succeeds."""

import asyncio

import pytest


@pytest.fixture
def waiting(cast, code):
    """A request whose pipeline runs, and that a master merges once it succeeds."""

    class Waiting:
        path = f"{code.requests}/{code.open(remove_source_branch=False).json['iid']}"
        cancel = f"{path}/cancel_merge_when_pipeline_succeeds"

        def report(self, state, sha=None, **params):
            made = cast.developer.post(f"{code.path}/statuses/{sha or code.topic}", state=state, ref="topic", **params)
            assert made.status == 201, made

        def enable(self, person=None, **params):
            return (person or cast.master).put(f"{self.path}/merge", merge_when_pipeline_succeeds=True, **params)

        def shown(self):
            shown = cast.anonymous.get(self.path).json
            user = shown["merge_user"]
            return shown["state"], shown["merge_when_pipeline_succeeds"], user and user["username"]

    made = Waiting()
    made.report("running")
    return made


def test_a_request_is_merged_when_its_pipeline_succeeds(cast, code, waiting):
    waiting.report("pending", name="other")
    set_up = waiting.enable(
        merge_commit_message="At last", should_remove_source_branch=True, squash=True, sha=code.topic
    )
    assert set_up.status == 200, set_up
    shown = set_up.json
    assert (shown["state"], shown["merge_when_pipeline_succeeds"]) == ("opened", True)
    assert (shown["merge_user"]["id"], shown["merged_by"]) == (cast.master.id, None)
    assert (shown["should_remove_source_branch"], shown["squash"]) == (True, True)
    assert waiting.enable(auto_merge=True, merge_commit_message="Finally").status == 200
    [note] = cast.reporter.get(f"{waiting.path}/notes").json
    assert note["body"] == f"enabled an automatic merge when the pipeline for {code.topic} succeeds"
    assert (note["system"], note["author"]["id"]) == (True, cast.master.id)
    waiting.report("success")
    assert waiting.shown() == ("opened", True, "master")
    waiting.report("success", name="other")
    shown = cast.anonymous.get(waiting.path).json
    assert (shown["state"], shown["merged_by"]["id"]) == ("merged", cast.master.id)
    tip = cast.owner.get(f"{code.path}/repository/commits/master").json
    assert (tip["message"], tip["id"], tip["author_name"]) == ("Finally", shown["merge_commit_sha"], "Master")
    # The second call replaced every parameter of the first, and did not ask for the removal.
    assert code.tip("topic") == code.topic


def test_an_automatic_merge_closes_and_names_an_issue_that_is_named_by_its_full_address(cast, code, waiting):
    issue = cast.owner.post(f"{code.path}/issues", title="Named").json
    assert cast.owner.put(waiting.path, description=f"Closes {issue['web_url']}").status == 200
    waiting.enable()
    waiting.report("success")
    assert cast.owner.get(f"{code.path}/issues/{issue['iid']}").json["state"] == "closed"
    assert f"Closes #{issue['iid']}" in cast.owner.get(f"{code.path}/repository/commits/master").json["message"]


@pytest.mark.parametrize("ref", [{}, {"ref": "refs/heads/topic"}])
def test_a_pending_pipeline_is_waited_for_however_its_branch_was_named(cast, code, ref):
    """Another branch, which comes first by its name, contains the commit as well."""
    code.commit("a-later-one", start_branch="topic", more="x\n")
    path = f"{code.requests}/{code.open().json['iid']}"
    cast.developer.post(f"{code.path}/statuses/{code.topic}", state="pending", **ref)
    waiting = cast.master.put(f"{path}/merge", merge_when_pipeline_succeeds=True).json
    assert (waiting["state"], waiting["merge_when_pipeline_succeeds"]) == ("opened", True)
    cast.developer.post(f"{code.path}/statuses/{code.topic}", state="success", **ref)
    assert cast.anonymous.get(path).json["state"] == "merged"


def test_the_wish_to_remove_the_source_branch_is_kept(cast, code, waiting):
    waiting.enable(should_remove_source_branch=True)
    waiting.report("success")
    assert waiting.shown()[0] == "merged"
    assert cast.owner.get(f"{code.path}/repository/branches/topic").status == 404


def test_a_failed_pipeline_leaves_it_enabled_until_it_succeeds(cast, waiting):
    waiting.enable()
    waiting.report("failed")
    assert waiting.shown() == ("opened", True, "master")
    assert waiting.enable().status == 405
    waiting.report("success")
    assert waiting.shown()[0] == "merged"


def test_a_decided_pipeline_is_not_waited_for(code, waiting):
    waiting.report("failed")
    assert waiting.enable().status == 405
    code.commit("topic", more="x")
    # The branch has pipelines, this commit has none yet.
    assert waiting.enable().status == 405
    assert waiting.shown() == ("opened", False, None)


def test_a_push_and_a_new_target_end_the_automatic_merge(cast, code, waiting):
    waiting.enable()
    cast.developer.put(waiting.path, title="Another title")
    assert waiting.shown() == ("opened", True, "master")
    head = code.commit("topic", more="x")
    assert waiting.shown() == ("opened", False, None)
    waiting.report("success")
    waiting.report("running", head)
    assert waiting.enable().status == 200
    cast.developer.put(waiting.path, target_branch="other")
    assert waiting.shown() == ("opened", False, None)
    cast.developer.put(waiting.path, target_branch="master")
    assert waiting.enable().status == 200
    cast.developer.put(waiting.path, state_event="close")
    cast.developer.put(waiting.path, state_event="reopen")
    waiting.report("success", head)
    assert waiting.shown() == ("opened", False, None)
    assert code.tip() == code.first


def test_the_rights_of_the_moment_decide(cast, code, waiting):
    assert waiting.enable(cast.developer).status == 401
    waiting.enable()
    cast.owner.put(f"{code.path}/members/{cast.master.id}", access_level=30)
    waiting.report("success")
    assert waiting.shown() == ("opened", True, "master")
    cast.owner.put(f"{code.path}/members/{cast.master.id}", access_level=40)
    cast.root.post(f"/users/{cast.master.id}/block")
    waiting.report("success")
    assert waiting.shown() == ("opened", True, "master")
    assert code.tip() == code.first
    cast.root.post(f"/users/{cast.master.id}/unblock")
    waiting.report("running", name="again")
    waiting.report("success", name="again")
    assert waiting.shown()[0] == "merged"


def test_a_conflict_leaves_the_request_open(cast, code, waiting):
    waiting.enable()
    code.commit(topic="another text\n")
    waiting.report("success")
    assert waiting.shown() == ("opened", True, "master")
    assert cast.events()[-1] == "merge_request.automatic_merge_failed"
    assert todos(cast.master) == ["unmergeable"]


def todos(person):
    return [todo["action_name"] for todo in person.get("/todos").json]


def test_a_failed_status_is_to_be_dealt_with_until_it_is_reported_again(cast, waiting):
    waiting.enable()
    waiting.report("failed")
    assert [todos(person) for person in (cast.developer, cast.master, cast.owner)] == [["build_failed"]] * 2 + [[]]
    waiting.report("running")
    assert [todos(person) for person in (cast.developer, cast.master)] == [[], []]


def test_a_draft_is_not_merged(cast, code, waiting):
    waiting.enable()
    cast.developer.put(waiting.path, title="WIP: wait")
    waiting.report("success")
    assert waiting.shown() == ("opened", True, "master")
    assert code.tip() == code.first


def test_those_who_may_merge_and_the_author_cancel(cast, code, waiting):
    unset = cast.master.post(waiting.cancel)
    assert (unset.status, unset.json) == (406, {"message": "Can't cancel the automatic merge"})
    for person in (cast.developer, cast.master):
        waiting.enable()
        for other in (cast.reporter, cast.guest, cast.stranger, cast.anonymous):
            assert other.post(waiting.cancel).status == 401
        canceled = person.post(waiting.cancel)
        assert canceled.status == 201, canceled
        shown = canceled.json
        assert (shown["merge_when_pipeline_succeeds"], shown["merge_user"]) == (False, None)
        note = cast.reporter.get(f"{waiting.path}/notes").json[0]
        assert (note["body"], note["author"]["id"]) == ("canceled the automatic merge", person.id)
    assert cast.master.post(f"{code.requests}/99/cancel_merge_when_pipeline_succeeds").status == 404
    waiting.report("success")
    assert waiting.shown() == ("opened", False, None)
    cast.developer.put(waiting.path, state_event="close")
    assert cast.master.post(waiting.cancel).status == 405


@pytest.mark.commits
def test_success_while_the_automatic_merge_is_enabled_is_not_missed(cast, code, loop):
    """Whichever comes first, the request is merged, once."""
    requests = []
    for number in range(4):
        head = code.branch(f"topic{number}", **{f"file{number}": "x"})
        iid = code.open(source_branch=f"topic{number}").json["iid"]
        status = f"{code.path}/statuses/{head}"
        assert cast.developer.post(status, state="running", ref=f"topic{number}").status == 201
        requests.append((f"{code.requests}/{iid}", status, f"topic{number}"))

    async def all_at_once():
        return await asyncio.gather(
            *(
                asked
                for path, status, branch in requests
                for asked in (
                    cast.master.exchange("PUT", f"{path}/merge", params={"merge_when_pipeline_succeeds": True}),
                    cast.developer.exchange("POST", status, params={"state": "success", "ref": branch}),
                )
            )
        )

    answers = loop.run_until_complete(all_at_once())
    assert {answer.status for answer in answers} == {200, 201}
    cast.developer.get("/version")
    assert [cast.anonymous.get(path).json["state"] for path, _, _ in requests] == ["merged"] * 4
    merges = [
        commit for commit in cast.owner.get(f"{code.path}/repository/commits", per_page=100).json
        if len(commit["parent_ids"]) == 2
    ]  # fmt: skip
    assert len(merges) == 4
