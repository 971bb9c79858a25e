import asyncio
import shutil
import threading
from concurrent.futures import ThreadPoolExecutor

import pytest

from mujina.adapters.git.storage import RepositoryStorage
from tests.harness.client import Raw


def test_a_commit_does_several_things_at_once(cast, code):
    actions = [
        {"action": "create", "file_path": "new/file", "content": "bmV3", "encoding": "base64"},
        {"action": "update", "file_path": "README", "content": "changed\n"},
        {"action": "move", "file_path": "lib/main", "previous_path": "src/main"},
    ]
    answer = cast.owner.post(
        f"{code.at}/commits", branch="master", commit_message="Three", actions=actions,
        author_name="Ann", author_email="ann@example.org",
    )  # fmt: skip
    assert answer.status == 201
    commit = answer.json
    assert (commit["title"], commit["author_name"], commit["author_email"]) == ("Three", "Ann", "ann@example.org")
    assert commit["parent_ids"] == [code.first]
    assert commit["stats"] == {"additions": 2, "deletions": 1, "total": 3}
    changes = cast.owner.get(f"{code.at}/commits/{commit['id']}/diff").json
    assert {c["new_path"]: (c["new_file"], c["renamed_file"], c["deleted_file"]) for c in changes} == {
        "README": (False, False, False), "lib/main": (False, True, False), "new/file": (True, False, False),
    }  # fmt: skip
    assert changes[0]["diff"].startswith("--- a/README\n+++ b/README\n@@ -1 +1 @@\n-hello\n+changed\n")


def test_a_file_becomes_executable_and_nothing_else_of_it_changes(cast, code):
    code.commit(**{"a--- b": "x"})
    action = {"action": "chmod", "file_path": "a--- b", "execute_filemode": True}
    body = {"branch": "master", "commit_message": "m"}
    commit = cast.owner.post(f"{code.at}/commits", actions=[action], **body).json
    (change,) = cast.owner.get(f"{code.at}/commits/{commit['id']}/diff").json
    assert (change["a_mode"], change["b_mode"], change["diff"]) == ("100644", "100755", "")


def test_a_name_that_git_would_not_write_is_unknown(cast, code):
    cast.root.put(f"/users/{cast.owner.id}", name="'\\'")
    actions = [{"action": "create", "file_path": "new", "content": "x"}]
    said = {
        "branch": "master",
        "commit_message": "m",
        "actions": actions,
        "author_name": ",\x01<;>",
        "author_email": ":",
    }
    commit = cast.owner.post(f"{code.at}/commits", **said).json
    assert [commit[key] for key in ("author_name", "author_email", "committer_name", "committer_email")] == [
        "Unknown", "unknown", "Unknown", "owner@example.org",
    ]  # fmt: skip


@pytest.mark.parametrize("positions", [("", ""), ("0", "1"), ("10", "9")])
def test_actions_come_in_forms_too(cast, code, positions):
    said = [("create", "one"), ("create", "two")]
    fields = "".join(
        f"&actions[{position}][action]={verb}&actions[{position}][file_path]={path}&actions[{position}][content]=x"
        for position, (verb, path) in zip(positions, said, strict=True)
    )
    form = Raw(body=f"branch=master&commit_message=m{fields}".encode(), type="application/x-www-form-urlencoded")
    assert cast.owner.post(f"{code.at}/commits", form).status == 201
    assert [entry["name"] for entry in cast.owner.get(f"{code.at}/tree").json] == ["src", "README", "one", "two"]


@pytest.mark.parametrize(
    ("actions", "status"),
    [
        ([], 400),
        ([{"action": "create"}], 400),
        ([{"file_path": "x", "content": ""}], 400),
        ([{"action": "create", "file_path": "x"}], 400),
        ([{"action": "update", "file_path": "README"}], 400),
        ([{"action": "burn", "file_path": "x"}], 400),
        ([{"action": "delete", "file_path": "none"}], 400),
        ([{"action": "create", "file_path": "x", "content": {}}], 400),
        ("text", 400),
    ],
)
def test_actions_that_do_not_fit_change_nothing(cast, code, actions, status):
    answer = cast.owner.post(f"{code.at}/commits", branch="master", commit_message="m", actions=actions)
    assert answer.status == status
    assert cast.owner.get(f"{code.at}/commits").headers["X-Total"] == "1"


def test_nothing_new_takes_the_place_of_a_file_or_a_folder(cast, code):
    def complaint(*actions):
        answer = cast.owner.post(f"{code.at}/commits", branch="master", commit_message="m", actions=actions)
        assert answer.status == 400
        return answer.json["message"]

    folder, below = "A directory with this name already exists", "README is a file: nothing can be put below it"
    assert complaint({"action": "create", "file_path": "src", "content": ""}) == folder
    assert complaint({"action": "create", "file_path": "README/more/deep", "content": ""}) == below
    assert complaint({"action": "move", "file_path": "src", "previous_path": "README"}) == folder
    assert complaint({"action": "move", "file_path": "README/main", "previous_path": "src/main"}) == below
    assert cast.owner.get(f"{code.at}/commits").headers["X-Total"] == "1"
    turned = [
        {"action": "move", "file_path": "README/inside", "previous_path": "README"},
        {"action": "delete", "file_path": "src/main"},
        {"action": "create", "file_path": "src", "content": "now a file"},
    ]
    made = cast.owner.post(f"{code.at}/commits", branch="master", commit_message="m", actions=turned)
    assert made.status == 201
    paths = [entry["path"] for entry in cast.owner.get(f"{code.at}/tree", recursive=True).json]
    assert paths == ["README", "README/inside", "src"]


def test_a_commit_says_something(cast, code):
    blank = {"message": {"commit_message": ["can't be blank"]}}
    assert code.commit(message=" \n", more="1").json == blank
    assert cast.owner.delete(f"{code.at}/files/README", branch="master", commit_message="").json == blank


def test_the_history_is_listed_newest_first(cast, code):
    second = code.commit(message="Second", more="1").json["id"]
    third = code.commit(message="Third", src__other="2").json["id"]
    listed = cast.owner.get(f"{code.at}/commits", per_page=2)
    assert listed.headers["X-Total"] == "3"
    assert {commit["id"] for commit in listed.json} < {code.first, second, third}
    assert [c["id"] for c in cast.owner.get(f"{code.at}/commits", path="more").json] == [second]
    assert {c["id"] for c in cast.owner.get(f"{code.at}/commits", path="src").json} == {code.first, third}
    assert cast.owner.get(f"{code.at}/commits", path="../more").json == []
    assert cast.owner.get(f"{code.at}/commits", ref_name="none").status == 404
    assert cast.owner.get(f"{code.at}/commits", since="2999-01-01").json == []
    assert len(cast.owner.get(f"{code.at}/commits", until="2999-01-01").json) == 3
    assert len(cast.owner.get(f"{code.at}/commits", since="1500-01-01").json) == 3
    assert cast.owner.get(f"{code.at}/commits", until="1969-01-01").json == []


def test_the_commits_of_every_branch_and_tag_are_listed(cast, code):
    def commit(branch, start, **files):
        actions = [{"action": "create", "file_path": path, "content": text} for path, text in files.items()]
        body = {"branch": branch, "start_branch": start, "commit_message": branch, "actions": actions}
        return cast.owner.post(f"{code.at}/commits", **body).json["id"]

    side, lost = commit("side", "master", one="1"), commit("lost", "master", two="2")
    cast.owner.post(f"{code.at}/tags", tag_name="kept", ref="lost")
    cast.owner.delete(f"{code.at}/branches/lost")
    master = {each["id"] for each in cast.owner.get(f"{code.at}/commits").json}
    listed = cast.owner.get(f"{code.at}/commits", all=True)
    assert {each["id"] for each in listed.json} == master | {side, lost}
    assert listed.headers["X-Total"] == str(len(listed.json))
    assert [each["id"] for each in cast.owner.get(f"{code.at}/commits", all=True, path="one").json] == [side]
    assert cast.owner.get(f"{code.at}/commits", all=True, path="../one").json == []
    later = commit("side", "side", three="3")
    pages = [cast.owner.get(f"{code.at}/commits", all=True, per_page=1, page=page).json for page in (1, 2)]
    assert {each["id"] for (each,) in pages} <= master | {side, lost, later}
    listed = cast.owner.get(f"{code.at}/commits", all=True, ref_name="side")
    assert {each["id"] for each in listed.json} == master | {side, lost, later}
    assert listed.headers["X-Total"] == str(len(listed.json))


def test_a_repository_without_commits_has_empty_lists(cast, empty):
    for path in ("commits", "branches", "tags", "tree", "contributors"):
        answer = cast.owner.get(f"{empty.at}/{path}")
        assert (answer.status, answer.json, answer.headers["X-Total"]) == (200, [], "0")


def test_a_commit_is_found_by_id_branch_and_tag(cast, code):
    cast.owner.post(f"{code.at}/tags", tag_name="v1", ref="master")
    for name in (code.first, code.first[:8], "master", "v1", "HEAD"):
        commit = cast.owner.get(f"{code.at}/commits/{name}").json
        assert commit["id"] == code.first
    assert (commit["title"], commit["message"]) == ("First", "First\n\nwith a body")
    assert commit["short_id"] == code.first[:8]
    refs = cast.owner.get(f"{code.at}/commits/{code.first}/refs").json
    assert refs == [{"type": "branch", "name": "master"}, {"type": "tag", "name": "v1"}]
    assert cast.owner.get(f"{code.at}/commits/{code.first}/refs", type="tag").json == refs[1:]
    assert cast.owner.get(f"{code.at}/commits/{code.first}/refs", type="leaf").status == 400
    for name in ("none", "master~1", "-n", "@{0}", "deadbeef"):
        assert cast.owner.get(f"{code.at}/commits/{name}").json == {"message": "404 Commit Not Found"}


def test_two_commits_are_compared_since_they_parted(cast, code):
    cast.owner.post(f"{code.at}/branches", branch="side", ref="master")
    ahead = code.commit(branch="side", message="Side", side="1\n").json["id"]
    code.commit(message="Main", main="nothing like it\n")
    told = cast.owner.get(f"{code.at}/compare?from=master&to=side").json
    assert [commit["id"] for commit in told["commits"]] == [ahead]
    assert told["commit"]["id"] == ahead
    assert [change["new_path"] for change in told["diffs"]] == ["side"]
    straight = cast.owner.get(f"{code.at}/compare?from=master&to=side&straight=true").json
    assert [commit["id"] for commit in straight["commits"]] == [ahead]
    assert [(c["new_path"], c["deleted_file"]) for c in straight["diffs"]] == [("main", True), ("side", False)]
    assert cast.owner.get(f"{code.at}/compare?from=side&to=side").json["compare_same_ref"] is True
    assert cast.owner.get(f"{code.at}/compare?from=none&to=side").status == 404
    assert cast.owner.get(f"{code.at}/compare?to=side").json["error"] == "from is missing"


def test_a_file_that_is_too_large_is_not_compared(cast, code):
    assert cast.owner.post(f"{code.at}/branches", branch="side", ref="master").status == 201
    made = code.commit(large="x\n" * (2 * 1024 * 1024 + 1), small="y\n").json
    assert code.commit(branch="side", other="z\n").status == 201
    picked = cast.owner.post(f"{code.at}/commits/{made['id']}/cherry_pick", branch="side")
    assert (picked.status, picked.json["title"]) == (201, "more")
    assert made["stats"] == {"additions": 1, "deletions": 0, "total": 1}
    large, small = cast.owner.get(f"{code.at}/commits/master/diff").json
    assert (large["new_path"], large["new_file"], large["diff"]) == ("large", True, "")
    assert (small["new_path"], small["diff"].splitlines()[-1]) == ("small", "+y")
    compared = cast.owner.get(f"{code.at}/compare", **{"from": code.first, "to": "master"}).json["diffs"]
    for changes in ([large, small], compared):
        assert [change["too_large"] for change in changes] == [True, False]
        assert {(change["collapsed"], change["generated_file"]) for change in changes} == {(False, False)}


def test_a_commit_is_picked_onto_another_branch(cast, code):
    cast.owner.post(f"{code.at}/branches", branch="side", ref="master")
    picked = code.commit(branch="side", message="Pick me", picked="1").json["id"]
    code.commit(message="Main", main="1")
    answer = cast.owner.post(f"{code.at}/commits/{picked}/cherry_pick", branch="master")
    assert (answer.status, answer.json["title"]) == (201, "Pick me")
    assert answer.json["message"] == f"Pick me\n\n(cherry picked from commit {picked})"
    assert cast.owner.get(f"{code.at}/files/picked/raw", ref="master").body == b"1"
    again = cast.owner.post(f"{code.at}/commits/{picked}/cherry_pick", branch="master")
    assert (again.status, again.json["error_code"]) == (400, "empty")
    assert cast.owner.post(f"{code.at}/commits/{picked}/cherry_pick", branch="none").status == 404
    cast.owner.post(f"{code.at}/tags", tag_name="v1", ref="side")
    onto_tag = cast.owner.post(f"{code.at}/commits/{picked}/cherry_pick", branch="v1")
    assert (onto_tag.status, onto_tag.json) == (404, {"message": "404 Branch Not Found"})


def test_a_commit_is_reverted_on_a_branch(cast, code):
    made = code.commit(message="Mistake", mistake="1").json["id"]
    here = f"{code.at}/commits/{made}/revert"
    tried = cast.owner.post(here, branch="master", dry_run=True)
    assert (tried.status, tried.json) == (200, {"dry_run": "success"})
    assert cast.owner.get(f"{code.at}/commits/master").json["id"] == made
    reverted = cast.owner.post(here, branch="master")
    assert (reverted.status, reverted.json["parent_ids"]) == (201, [made])
    assert reverted.json["message"] == f'Revert "Mistake"\n\nThis reverts commit {made}'
    assert cast.owner.get(f"{code.at}/files/mistake/raw", ref="master").status == 404
    for dry_run, outcome in ((False, {}), (True, {"dry_run": "error"})):
        again = cast.owner.post(here, branch="master", dry_run=dry_run)
        refusal = {
            "message": "Sorry, we cannot revert this commit automatically. It may have been reverted already, or conflict."
        }
        assert (again.status, again.json) == (400, {**refusal, "error_code": "empty", **outcome})
    code.commit(message="Other", mistake="2")
    assert cast.owner.post(here, branch="master").json["error_code"] == "conflict"
    picked = cast.owner.post(f"{code.at}/commits/{made}/cherry_pick", branch="master", dry_run=True)
    assert (picked.status, picked.json["error_code"], picked.json["dry_run"]) == (400, "conflict", "error")
    cast.owner.post(f"{code.at}/branches", branch="side", ref=code.first)
    picked = cast.owner.post(f"{code.at}/commits/{made}/cherry_pick", branch="side", message="Mine")
    assert (picked.status, picked.json["message"]) == (201, "Mine")
    cast.owner.post(f"{code.at}/branches", branch="other", ref=code.first)
    picked = cast.owner.post(f"{code.at}/commits/{made}/cherry_pick", branch="other", message=" \n")
    assert picked.json["message"] == f"Mistake\n\n(cherry picked from commit {made})"
    missing = [
        cast.owner.post(f"{code.at}/commits/{sha}/revert", branch=to)
        for sha, to in (("none", "master"), (made, "none"))
    ]
    assert [answer.json["message"] for answer in missing] == ["404 Commit Not Found", "404 Branch Not Found"]


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_a_dry_run_says_what_would_refuse_the_commit(cast, code):
    project = code.at.removesuffix("/repository")
    cast.owner.post(f"{code.at}/branches", branch="side", ref="master")
    picked = code.commit(branch="side", message="Pick", picked="1").json["id"]
    tip = code.commit(message="Mistake", mistake="1").json["id"]
    cast.owner.post(f"{project}/members", user_id=cast.stranger.id, access_level=30)
    for here in (f"{code.at}/commits/{picked}/cherry_pick", f"{code.at}/commits/{tip}/revert"):
        refused = cast.stranger.post(here, branch="master")
        assert (refused.status, refused.json) == (400, {"message": "You are not allowed to push into this branch"})
        tried = cast.stranger.post(here, branch="master", dry_run=True)
        assert (tried.status, tried.json) == (400, {**refused.json, "dry_run": "error"})
        assert cast.owner.post(here, branch="master", dry_run=True).json == {"dry_run": "success"}
    cast.owner.post(f"{project}/push_rule", commit_message_regex="^Fix")
    tried = cast.owner.post(here, branch="master", dry_run=True)
    assert tried.json == {"message": "Commit message does not follow the pattern '^Fix'", "dry_run": "error"}
    assert cast.owner.get(f"{code.at}/commits/master").json["id"] == tip


def test_only_a_confirmed_address_makes_its_user_the_author(browse, cast, code):
    made = {"username": "pretender", "name": "Pretender", "password": "horse-battery", "email": "true@elsewhere.org"}
    pretender = cast.root.post("/users", **made).json
    action = {"action": "create", "file_path": "true", "content": "1"}
    author = {"author_name": "True", "author_email": made["email"]}
    sent = {"branch": "master", "commit_message": "True", "actions": [action]}
    assert cast.owner.post(f"{code.at}/commits", **author, **sent).status == 201

    def linked():
        return (
            'href="/pretender"' in browse("owner").open(f"/{code.project['path_with_namespace']}/commits/master").text
        )

    assert not linked()
    assert cast.root.put(f"/users/{pretender['id']}", email="own@elsewhere.org", skip_reconfirmation=True).status == 200
    cast.root.put(f"/users/{pretender['id']}", email=made["email"], skip_reconfirmation=True)
    assert linked()


def test_contributors_are_counted(cast, code):
    cast.root.put(f"/users/{cast.owner.id}", name="Renamed")
    code.commit(message="Second", more="1")
    (person,) = cast.owner.get(f"{code.at}/contributors").json
    assert person["name"] == "Renamed"
    assert (person["commits"], person["additions"], person["deletions"]) == (2, 0, 0)
    assert cast.owner.get(f"{code.at}/contributors", order_by="id").json == [person]  # keyset clients ask every list so


def test_a_commit_goes_on_from_a_branch_and_from_nothing_else(cast, code):
    cast.owner.post(f"{code.at}/tags", tag_name="v1", ref="master")
    nowhere = {"message": "You can only create or edit files when you are on a branch"}
    assert code.commit(branch="v1", on_a_tag="1").json == nowhere
    assert code.commit(branch="none", nowhere="1").json == nowhere

    def start(branch, start_branch):
        actions = [{"action": "create", "file_path": branch, "content": ""}]
        said = {"branch": branch, "start_branch": start_branch, "commit_message": "m", "actions": actions}
        return cast.owner.post(f"{code.at}/commits", **said)

    assert start("side", "v1").json == nowhere
    assert start("side", "master").json["parent_ids"] == [code.first]
    code.commit(main="1")
    taken = "A branch called 'side' already exists. Switch to that branch in order to make changes"
    assert start("side", "master").json == {"message": taken}


def test_a_commit_starts_at_an_id_and_moves_a_branch_by_force(cast, code):
    second = code.commit(more="1").json["id"]

    def start(branch="side", name="new", **query):
        actions = [{"action": "create", "file_path": name, "content": ""}]
        return cast.owner.post(f"{code.at}/commits", branch=branch, commit_message="m", actions=actions, **query)

    made = start(start_sha=code.first, stats=False)
    assert (made.status, made.json["parent_ids"], "stats" in made.json) == (201, [code.first], False)
    taken = "A branch called 'side' already exists. Switch to that branch in order to make changes"
    assert start(start_sha=second).json == {"message": taken}
    forced = start(start_sha=second, force=True)
    assert (forced.status, forced.json["parent_ids"], forced.json["stats"]["total"]) == (201, [second], 0)
    assert start(start_branch="master", name="other", force=True).json["parent_ids"] == [second]
    assert cast.owner.get(f"{code.at}/commits", ref_name="side").json[1]["id"] == second
    for sha in ("none", "f" * 40, "master"):
        answer = start("fresh", start_sha=sha)
        assert (answer.status, answer.json) == (400, {"message": f"Cannot find {sha} to start from"})
    assert start(start_sha=second, start_branch="master").status == 400
    protected = cast.owner.post(f"{code.path}/protected_branches", name="side")
    assert protected.status == 201
    assert start(start_sha=code.first, force=True).status in (400, 403), "a protected branch is not moved by force"


def test_commits_reach_across_forks(cast, code):
    cast.owner.put(code.path, visibility="public")
    fork = cast.stranger.post(f"{code.path}/fork").json
    there = f"/projects/{fork['id']}/repository"
    upstream = code.commit(more="1").json["id"]
    actions = [{"action": "create", "file_path": "new", "content": ""}]
    query = {"branch": "side", "commit_message": "m", "actions": actions}
    made = cast.stranger.post(f"{there}/commits", start_project=code.project["id"], start_branch="master", **query)
    assert (made.status, made.json["parent_ids"]) == (201, [upstream])
    later = code.commit(later="1").json["id"]
    compared = cast.stranger.get(f"{there}/compare?from=master&to=side&from_project_id={code.project['id']}").json
    assert [commit["id"] for commit in compared["commits"]] == [made.json["id"]]
    assert [change["new_path"] for change in compared["diffs"]] == ["new"]
    assert compared["web_url"].endswith("/compare/master...side")
    assert cast.stranger.get(f"{there}/commits/{later}").status == 404, "nothing is copied by a comparison"
    other = cast.stranger.post("/projects", name="alone").json["id"]
    refused = cast.stranger.post(f"{there}/commits", start_project=other, **query | {"branch": "another"})
    assert refused.status == 403
    assert cast.stranger.get(f"{there}/compare?from=master&to=side&from_project_id={other}").status == 404
    cast.owner.put(code.path, visibility="private")
    hidden = cast.stranger.get(f"{there}/compare?from=master&to=side&from_project_id={code.project['id']}")
    assert (hidden.status, hidden.json) == (404, {"message": "404 Project Not Found"})


def test_commits_made_at_once_all_land(cast, code, loop):
    cast.owner.post(f"{code.at}/branches", branch="side", ref="master")
    files = [f"file-{number}" for number in range(8)]

    async def commit_all():
        said = {"branch": "side", "commit_message": "m", "content": ""}
        asked = [cast.owner.exchange("POST", f"{code.at}/files/{name}", params=said) for name in files]
        return await asyncio.gather(*asked)

    answers = loop.run_until_complete(commit_all())
    assert [answer.status for answer in answers] == [201] * len(files)
    tree = cast.owner.get(f"{code.at}/tree", ref="side").json
    assert [entry["name"] for entry in tree if entry["name"] not in ("README", "src")] == files


def test_the_list_says_what_each_commit_changed_when_asked(cast, code):
    code.commit(message="Second", more="1\n2\n")
    told = cast.owner.get(f"{code.at}/commits", with_stats=True).json
    assert sorted(commit["stats"]["additions"] for commit in told) == [2, 2]
    assert "stats" not in cast.owner.get(f"{code.at}/commits").json[0]


def test_a_move_without_its_previous_path_is_told_so(cast, code):
    for action in ({}, {"previous_path": ""}, {"previous_path": None}):
        actions = [{"action": "move", "file_path": "lib/main", **action}]
        answer = cast.owner.post(f"{code.at}/commits", branch="master", commit_message="m", actions=actions)
        assert (answer.status, answer.json["error"]) == (400, "actions[previous_path] is missing")


def test_what_is_wrong_with_an_action_is_named_as_a_part_of_it(cast, code):
    for field, complaint in (
        ({"encoding": "rot13"}, "actions[encoding] does not have a valid value"),
        ({"encoding": "base64", "content": "#"}, "actions[content] is invalid"),
    ):
        actions = [{"action": "create", "file_path": "new", "content": "", **field}]
        answer = cast.owner.post(f"{code.at}/commits", branch="master", commit_message="m", actions=actions)
        assert (answer.status, answer.json) == (400, {"error": complaint})
    body = {"branch": "master", "commit_message": "m", "content": "", "encoding": "rot13"}
    answer = cast.owner.post(f"{code.at}/files/new", **body)
    assert (answer.status, answer.json) == (400, {"error": "encoding does not have a valid value"})


def test_a_title_has_no_carriage_return(cast, code):
    actions = [{"action": "create", "file_path": "new", "content": ""}]
    answer = cast.owner.post(
        f"{code.at}/commits", branch="master", commit_message="Title\r\n\r\nText\r\n", actions=actions
    )
    assert answer.json["title"] == "Title"
    assert cast.owner.get(f"{code.at}/commits").json[0]["title"] == "Title"
    events = cast.owner.get(f"{code.path}/events", action="pushed").json
    assert events[0]["push_data"]["commit_title"] == "Title"
    assert cast.owner.get(f"{code.at}/branches/master").json["commit"]["title"] == "Title"


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_a_project_that_is_removed_during_a_request_is_missing(cast, code, stage, loop):
    """The project goes with its files while a commit waits for a thread."""
    repo_path = RepositoryStorage.of(stage.folder).repo_path(code.project["id"])
    body = {"branch": "master", "commit_message": "m", "actions": [{"action": "delete", "file_path": "README"}]}
    busy = threading.Event()

    async def ask():
        with ThreadPoolExecutor(1) as threads:
            loop.set_default_executor(threads)
            threads.submit(busy.wait)
            asked = loop.create_task(cast.owner.exchange("POST", f"{code.at}/commits", params=body))
            try:
                while not threads._work_queue.qsize():  # noqa: ASYNC110 - the product enqueues it
                    await asyncio.sleep(0.001)
                async with cast.database.transaction() as tx:
                    await tx.run("UPDATE projects SET deleted_at = created_at WHERE id = :id", id=code.project["id"])
                shutil.rmtree(repo_path)
            finally:
                busy.set()
            return await asked

    try:
        answer = loop.run_until_complete(ask())
    finally:
        loop.set_default_executor(ThreadPoolExecutor())
    assert (answer.status, answer.json) == (404, {"message": "404 Project Not Found"})


def test_the_merge_base_of_commits(cast, code):
    cast.owner.post(f"{code.at}/branches", branch="topic", ref="master")
    code.commit("topic", one="1")
    code.commit("master", two="2")

    def base(*refs):
        return cast.owner.get(f"{code.at}/merge_base", refs=list(refs))

    assert base("master", "topic").json["id"] == base("topic", "master", code.first).json["id"] == code.first
    assert base("master").json == {"message": "Provide at least 2 refs"}
    assert base("master", "none").json == {"message": "Could not find ref: none"}
    assert base("a", "b").json == {"message": "Could not find refs: a, b"}
    assert cast.owner.get(f"{code.at}/merge_base").json["error"] == "refs is missing"
