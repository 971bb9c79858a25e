import asyncio
from datetime import datetime, timedelta
from email.utils import format_datetime

import pytest

from tests.harness.client import Raw


def test_branches_come_and_go(cast, code):
    made = cast.owner.post(f"{code.at}/branches", branch="feature/x", ref="master")
    assert made.status == 201
    assert made.json["name"] == "feature/x"
    assert (made.json["protected"], made.json["default"], made.json["merged"]) == (False, False, False)
    assert cast.owner.get(f"{code.at}/branches/feature%2Fx").json["commit"]["id"] == code.first
    asked = cast.owner.head(f"{code.at}/branches/feature%2Fx")
    assert (asked.status, asked.body) == (204, b"")
    assert cast.owner.head(f"{code.at}/branches/none").status == 404
    assert [branch["name"] for branch in cast.owner.get(f"{code.at}/branches").json] == ["feature/x", "master"]
    assert [b["name"] for b in cast.owner.get(f"{code.at}/branches", search="FEAT").json] == ["feature/x"]
    for query in ({"search": "^feature/"}, {"search": "/x$"}, {"regex": "^fe.*/[x-z]$"}):
        assert [b["name"] for b in cast.owner.get(f"{code.at}/branches", **query).json] == ["feature/x"]
    assert cast.owner.get(f"{code.at}/branches", regex="(").json == {"error": "regex is invalid"}
    assert cast.owner.delete(f"{code.at}/branches/feature%2Fx").status == 204
    assert cast.owner.get(f"{code.at}/branches/feature%2Fx").json == {"message": "404 Branch Not Found"}


def test_a_branch_that_cannot_be_is_refused(cast, code):
    def complaint(branch, ref="master"):
        answer = cast.owner.post(f"{code.at}/branches", branch=branch, ref=ref)
        assert answer.status == 400
        return answer.json["message"]

    assert complaint("master") == "Branch already exists"
    assert complaint("a..b") == complaint("-x") == complaint("a b") == "Branch name is invalid"
    assert complaint("new", ref="none") == "Invalid reference name"
    cast.owner.post(f"{code.at}/branches", branch="feature/x", ref="master")
    assert complaint("feature") == complaint("feature/x/y") == "Branch name is invalid"
    started = {"branch": "feature", "start_branch": "master", "commit_message": "m", "content": ""}
    assert cast.owner.post(f"{code.at}/files/x", **started).json == {"message": "Branch name is invalid"}


def test_a_deep_name_hides_no_other(cast, code):
    said = {"ref": "master", "message": "m"}
    for folders, status in ((90, 201), (91, 400)):
        name = "d/" * folders + "x"
        assert cast.owner.post(f"{code.at}/branches", branch=name, **said).status == status
        assert cast.owner.post(f"{code.at}/tags", tag_name=name, **said).status == status
    deep = "d/" * 90 + "x"
    assert {branch["name"] for branch in cast.owner.get(f"{code.at}/branches").json} >= {deep, "master"}
    assert deep in [tag["name"] for tag in cast.owner.get(f"{code.at}/tags").json]


@pytest.mark.commits
def test_the_default_branch_exists_though_it_is_chosen_while_it_is_deleted(cast, code, loop):
    project = code.at.removesuffix("/repository")

    async def choose_and_delete():
        return await asyncio.gather(
            cast.owner.exchange("PUT", project, params={"default_branch": "side"}),
            cast.owner.exchange("DELETE", f"{code.at}/branches/side"),
        )

    for _ in range(5):
        cast.owner.post(f"{code.at}/branches", branch="side", ref="master")
        assert cast.owner.put(project, default_branch="master").status == 200
        answers = loop.run_until_complete(choose_and_delete())
        assert [answer.status for answer in answers] in ([200, 400], [400, 204])
        default = cast.owner.get(project).json["default_branch"]
        assert cast.owner.get(f"{code.at}/branches/{default}").json["default"] is True


def test_a_branch_or_tag_newer_than_what_was_seen_is_not_deleted(cast, code):
    cast.owner.post(f"{code.at}/branches", branch="side", ref="master")
    cast.owner.post(f"{code.at}/tags", tag_name="v1", ref="master")
    written = datetime.fromisoformat(cast.owner.get(f"{code.at}/commits/master").json["authored_date"])
    for path in ("branches/side", "tags/v1"):
        for seen, status in ((written - timedelta(seconds=1), 412), (written, 204)):
            since = Raw(headers={"If-Unmodified-Since": format_datetime(seen, usegmt=True)})
            assert cast.owner.delete(f"{code.at}/{path}", since).status == status


def test_the_default_branch_stays(cast, code):
    answer = cast.owner.delete(f"{code.at}/branches/master")
    assert answer.status == 400
    assert "default branch" in answer.json["message"]


def test_a_branch_is_protected_and_given_free(cast, code):
    cast.owner.post(f"{code.at}/branches", branch="side", ref="master")
    protected = cast.owner.put(f"{code.at}/branches/side/protect", developers_can_push=True).json
    assert (protected["protected"], protected["developers_can_push"], protected["developers_can_merge"]) == (
        True,
        True,
        False,
    )
    free = cast.owner.put(f"{code.at}/branches/side/unprotect").json
    assert free["protected"] is False
    assert cast.owner.put(f"{code.at}/branches/none/protect").status == 404


def test_merged_branches_are_cleared_away(cast, code):
    for name in ("done", "kept", "ahead"):
        cast.owner.post(f"{code.at}/branches", branch=name, ref="master")
    cast.owner.put(f"{code.at}/branches/kept/protect")
    code.commit(branch="ahead", message="Ahead", ahead="1")
    code.commit(branch="master", message="Onward", onward="1")
    cast.owner.post(f"{code.at}/branches", branch="new", ref="master")
    assert cast.owner.get(f"{code.at}/branches/done").json["merged"] is True
    answer = cast.owner.delete(f"{code.at}/merged_branches")
    assert (answer.status, answer.json) == (202, {"message": "202 Accepted"})
    assert [branch["name"] for branch in cast.owner.get(f"{code.at}/branches").json] == [
        "ahead",
        "kept",
        "master",
        "new",
    ]


def test_the_first_branch_of_an_empty_repository_has_something_to_begin_with(cast, empty):
    assert cast.owner.post(f"{empty.at}/branches", branch="side", ref="none").json == {
        "message": "Invalid reference name"
    }
    made = cast.owner.post(f"{empty.at}/branches", branch="side", ref="master")
    assert (made.status, made.json["name"], made.json["commit"]["title"]) == (201, "side", "Add README.md")
    names = [branch["name"] for branch in cast.owner.get(f"{empty.at}/branches").json]
    assert names == ["master", "side"]
    assert cast.owner.get(empty.path).json["default_branch"] == "master"


def test_a_name_that_no_file_can_have_is_no_branch(cast, code):
    cast.owner.post(f"{code.at}/branches", branch="feature/x", ref="master")
    for name in ("x" * 251, "%C3%A9" * 126, "feature%2F" + "x" * 251):
        for verb, path in (("GET", name), ("DELETE", name), ("PUT", f"{name}/protect")):
            answer = cast.owner.ask(verb, f"{code.at}/branches/{path}")
            assert (answer.status, answer.json) == (400, {"message": "The branch refname is invalid"})


def test_an_invalid_branch_name_and_an_unknown_one_get_different_errors(cast, code):
    odd, unknown = (cast.owner.get(f"{code.at}/branches/{name}") for name in ("a..b", "none"))
    assert (odd.status, odd.json) == (400, {"message": "The branch refname is invalid"})
    assert (unknown.status, unknown.json) == (404, {"message": "404 Branch Not Found"})


def test_a_branch_says_whether_the_caller_may_push_to_it(cast, code, loop, database):
    cast.owner.post(f"{code.at}/branches", branch="side", ref="master")
    cast.owner.post(f"{code.at}/branches", branch="open", ref="master")
    cast.owner.put(f"{code.at}/branches/open/protect", developers_can_push=True)
    for person, level in ((cast.stranger, 30), (cast.external, 20)):
        assert cast.owner.post(f"{code.path}/members", user_id=person.id, access_level=level).status == 201

    def pushable(person):
        return [branch["name"] for branch in person.get(f"{code.at}/branches").json if branch["can_push"]]

    def accepted(person):
        """To which branches the caller really commits."""
        return [name for name in ("master", "open", "side")
                if code.commit(name, person, **{f"{person.id}-{name}": "x"}).status == 201]  # fmt: skip

    for person, names in (
        (cast.owner, ["master", "open", "side"]), (cast.root, ["master", "open", "side"]),
        (cast.stranger, ["open", "side"]), (cast.external, []),
    ):  # fmt: skip
        assert pushable(person) == accepted(person) == names

    cast.run("UPDATE projects SET import_status = 'started' WHERE id = :id", id=code.project["id"])
    assert pushable(cast.root) == pushable(cast.owner) == []


def test_an_archived_project_has_no_branch_to_push_to(cast, code):
    assert cast.owner.post(f"{code.path}/archive").status == 201
    assert not cast.root.get(f"{code.at}/branches/master").json["can_push"]


def test_fields_that_todays_clients_require(cast, code):
    cast.owner.post(f"{code.at}/tags", tag_name="v1", ref="master", message="m")
    page = code.project["web_url"]
    branch, tag = (cast.owner.get(f"{code.at}/{path}").json for path in ("branches/master", "tags/v1"))
    assert (branch["can_push"], branch["default"], branch["web_url"]) == (True, True, f"{page}/tree/master")
    assert (tag["target"] != code.first, tag["protected"]) == (True, False)
    commit = cast.owner.get(f"{code.at}/commits/master").json
    [listed] = cast.owner.get(f"{code.at}/commits").json
    [found] = cast.owner.get(f"{code.path}/search", scope="commits", search="First").json
    for shown in (commit, listed, found, branch["commit"], tag["commit"]):
        assert shown["web_url"] == f"{page}/commit/{code.first}"
    snippet = cast.owner.post(f"{code.path}/snippets", title="s", file_name="f", code="x", visibility="private").json
    assert snippet["visibility"] == "private"
    assert snippet["raw_url"] == f"{page}/snippets/{snippet['id']}/raw"
