"""Releases of projects and groups through the API."""

import asyncio

import pytest

from mujina.adapters.git.storage import RepositoryStorage
from tests.harness.client import Raw

LINK = {"name": "tool", "url": "https://files.example.org/tool", "filepath": "/bin/tool", "link_type": "package"}


@pytest.fixture
def releases(here):
    return f"{here}/releases"


@pytest.fixture
def release(cast, releases):
    """A release with a link and a milestone; its path."""
    cast.developer.post(releases.replace("/releases", "/milestones"), title="One")
    made = cast.developer.post(
        releases, tag_name="v1", ref="master", name="First", description="See *this*", milestones=["One"],
        tag_message="Version 1", assets={"links": [LINK]},
    )  # fmt: skip
    assert made.status == 201, made
    return f"{releases}/v1"


def test_a_release_is_created_with_its_tag_links_and_milestones(cast, here, release, sha):
    shown = cast.reporter.get(release, include_html_description=True).json
    assert (shown["tag_name"], shown["name"], shown["description"]) == ("v1", "First", "See *this*")
    assert "<em>this</em>" in shown["description_html"]
    assert shown["commit"]["id"] == sha
    assert shown["author"]["username"] == "developer"
    assert (shown["upcoming_release"], shown["evidences"], shown["assets"]["count"]) == (False, [], 5)
    [link] = shown["assets"]["links"]
    assert (link["name"], link["url"], link["link_type"]) == ("tool", LINK["url"], "package")
    assert link["direct_asset_url"].endswith(f"/{cast.private.path}/-/releases/v1/downloads/bin/tool")
    [milestone] = shown["milestones"]
    assert (milestone["title"], milestone["issue_stats"]) == ("One", {"total": 0, "closed": 0})
    assert [source["format"] for source in shown["assets"]["sources"]] == ["zip", "tar.gz", "tar.bz2", "tar"]
    assert shown["_links"]["self"].endswith(f"/{cast.private.path}/-/releases/v1")
    tag = cast.reporter.get(f"{here}/repository/tags/v1").json
    assert (tag["message"], tag["release"]) == ("Version 1", {"tag_name": "v1", "description": "See *this*"})


def test_sources_can_be_downloaded(browse, cast, release):
    address = cast.reporter.get(release).json["assets"]["sources"][0]["url"]
    page = browse("reporter").open("/" + address.split("/", 3)[3])
    assert (page.status, page.body[:2]) == (200, b"PK")


def test_the_release_of_a_tag_of_2018_is_the_same(cast, here, releases, sha):
    tags = f"{here}/repository/tags"
    cast.developer.post(tags, tag_name="v2", ref="master", release_description="Old")
    assert cast.reporter.get(f"{releases}/v2").json["name"] == "v2"
    assert cast.developer.put(f"{tags}/v2/release", description="New").status == 200
    assert cast.reporter.get(f"{releases}/v2").json["description"] == "New"
    assert cast.developer.post(releases, tag_name="v2").json == {"message": "Release already exists"}
    assert cast.master.delete(f"{tags}/v2").status == 204
    assert cast.reporter.get(f"{releases}/v2").status == 404


@pytest.mark.parametrize(
    ("change", "status", "message"),
    [
        ({"tag_name": "v9"}, 422, "Ref is not specified"),
        ({"tag_name": "v9", "ref": "none"}, 400, "Target none is invalid"),
        ({"tag_name": "v 9", "ref": "master"}, 400, "Tag name invalid"),
        ({"tag_name": "v9", "ref": "master", "milestones": ["x"]}, 400, "Milestone(s) not found: x"),
        ({"tag_name": "v9", "ref": "master", "milestone_ids": [9999]}, 400, "Milestone(s) not found: 9999"),
        (
            {"tag_name": "v9", "ref": "master", "assets": {"links": [{**LINK, "url": "file:///etc"}]}}, 400,
            {"url": ["is blocked: Only allowed schemes are http, https, ftp"]},
        ),
        ({"tag_name": "v9", "ref": "master", "assets": {"links": [LINK, LINK]}}, 400, {"name": ["has already been taken"]}),
        (
            {"tag_name": "v9", "ref": "master", "name": "x" * 256}, 400,
            {"name": ["is too long (maximum is 255 characters)"]},
        ),
    ],
)  # fmt: skip
def test_a_refused_release_leaves_nothing(cast, here, releases, sha, change, status, message):
    refused = cast.developer.post(releases, **change)
    assert (refused.status, refused.json["message"]) == (status, message)
    assert cast.reporter.get(releases).json == []
    assert cast.reporter.get(f"{here}/repository/tags").json == []


def test_both_kinds_of_milestones_exclude_each_other(cast, releases, sha):
    refused = cast.developer.post(releases, tag_name="v1", ref="master", milestones=["x"], milestone_ids=[1])
    assert (refused.status, refused.json) == (400, {"error": "milestones, milestone_ids are mutually exclusive"})


def test_a_release_is_edited(cast, release):
    edited = cast.developer.put(release, name="", description="Other", released_at="2999-01-01", milestones=[])
    assert (edited.json["name"], edited.json["description"], edited.json["upcoming_release"]) == ("v1", "Other", True)
    assert "milestones" not in edited.json
    assert cast.reporter.put(release, name="x").status == 403


def test_a_deleted_release_is_shown_once_more_and_its_tag_stays(cast, here, release):
    deleted = cast.developer.delete(release)
    assert (deleted.status, deleted.json["tag_name"], len(deleted.json["assets"]["links"])) == (200, "v1", 1)
    assert cast.reporter.get(release).status == 404
    assert cast.reporter.get(f"{here}/repository/tags/v1").json["release"] is None


def test_a_guest_sees_releases_without_the_code(cast, releases, release):
    [shown] = cast.guest.get(releases).json
    assert shown["name"] == "First"
    assert not shown.keys() & {"tag_name", "commit", "evidences", "tag_path", "commit_path"}
    assert ("sources" in shown["assets"], shown["assets"]["count"], shown["_links"]) == (False, 1, {})
    assert cast.guest.get(release).status == 403
    cast.developer.put(release, name="")
    assert cast.guest.get(releases).json[0]["name"].startswith("Release-")
    assert cast.stranger.get(releases).status == 404


def test_releases_are_listed_newest_first(cast, releases, release):
    cast.developer.post(releases, tag_name="v2", ref="master", released_at="2001-01-01T00:00:00Z")

    def listed(**query):
        answer = cast.reporter.get(releases, **query)
        assert answer.headers["X-Total"] == str(len(answer.json)), answer.headers
        return [each["tag_name"] for each in answer.json]

    assert listed() == ["v1", "v2"]
    assert listed(sort="asc") == ["v2", "v1"]
    assert listed(order_by="created_at") == ["v2", "v1"]
    assert listed(updated_after="2999-01-01") == []
    second = cast.reporter.get(releases, per_page=1, page=2)
    assert ([each["tag_name"] for each in second.json], second.headers["X-Total"]) == (["v2"], "2")
    assert cast.reporter.get(releases, order_by="name").status == 400


def test_the_permalink_leads_to_the_newest_release_that_is_out(cast, here, releases, release):
    cast.developer.post(releases, tag_name="later/v2", ref="master", released_at="2999-01-01")
    to = cast.reporter.get(f"{releases}/permalink/latest/downloads/bin/tool", raw=Raw(query="order_by=released_at&a=b"))
    assert to.status == 302
    assert to.headers["Location"].endswith(f"{here}/releases/v1/downloads/bin/tool?a=b")
    assert cast.reporter.get(f"{releases}/permalink/latest").headers["Location"].endswith(f"{here}/releases/v1")
    download = cast.reporter.get(f"{release}/downloads/bin/tool")
    assert (download.status, download.headers["Location"]) == (302, LINK["url"])
    assert cast.reporter.get(f"{release}/downloads/bin/other").status == 404
    assert cast.guest.get(f"{releases}/permalink/latest").status == 403


def test_links_are_added_edited_and_deleted(cast, release):
    links = f"{release}/assets/links"
    taken = cast.developer.post(links, name="tool", url="https://other.example.org")
    assert (taken.status, taken.json) == (400, {"message": {"name": ["has already been taken"]}})
    made = cast.developer.post(links, name="docs", url="https://other.example.org", direct_asset_path="/docs").json
    assert [each["name"] for each in cast.reporter.get(links).json] == ["docs", "tool"]
    one = f"{links}/{made['id']}"
    assert cast.developer.put(one, link_type="runbook").status == 400
    edited = cast.developer.put(one, name="guide", link_type="runbook").json
    assert (edited["name"], edited["link_type"], edited["url"]) == ("guide", "runbook", "https://other.example.org")
    deleted = cast.developer.delete(one)
    assert (deleted.status, deleted.json["name"]) == (200, "guide")
    assert cast.reporter.get(one).json == {"message": "404 Link Not Found"}
    bad = cast.developer.post(links, name="x", url="https://x.example.org", filepath="no/slash")
    assert bad.json == {"message": {"filepath": ["is in an invalid format"]}}


def test_the_releases_of_a_group_are_those_that_the_reader_may_see(cast, release):
    group = f"/groups/{cast.team.id}/releases"
    assert [each["tag_name"] for each in cast.reporter.get(group).json] == ["v1"]
    [simple] = cast.reporter.get(group, simple=True).json
    assert simple.keys() == {
        "tag_name", "name", "description", "created_at", "released_at", "upcoming_release", "_links",
    }  # fmt: skip
    assert cast.stranger.get(group).json in ([], {"message": "404 Group Not Found"})


@pytest.mark.parametrize("most", [4, 2000])  # many releases are found along another index
def test_the_releases_of_several_projects_are_one_list(cast, most):
    """Releases of two projects below the group, in turn, and of one elsewhere."""
    second, elsewhere = (
        cast.owner.post("/projects", name=name, **owner).json["id"]
        for name, owner in (("second", {"namespace_id": cast.team.id}), ("elsewhere", {}))
    )
    for project, first in ((cast.private.id, 0), (second, 1), (elsewhere, 1)):
        cast.run(
            """WITH RECURSIVE numbers (n) AS (
                   SELECT CAST(:first AS bigint) UNION ALL SELECT n + 2 FROM numbers WHERE n < CAST(:most AS bigint))
               INSERT INTO releases (project_id, tag, description, released_at, created_at, updated_at)
               SELECT CAST(:project AS bigint), 'v' || (100000 + n), '', '2018-01-01T00:' || (100000 + n),
                   '2018-01-01T00:00:00.000Z', '2018-01-01T00:00:00.000Z' FROM numbers""",
            project=project, first=first, most=most,
        )  # fmt: skip
    found = cast.owner.get(f"/groups/{cast.team.id}/releases", sort="asc", per_page=3)
    assert [each["tag_name"] for each in found.json] == ["v100000", "v100001", "v100002"]
    newest = cast.owner.get(f"/groups/{cast.team.id}/releases", per_page=2)
    assert [each["tag_name"] for each in newest.json] == [f"v{100001 + most}", f"v{100000 + most}"]
    assert newest.headers["X-Total"] == found.headers["X-Total"] == str(most + 2)


@pytest.mark.commits
def test_many_lists_of_a_group_whose_repository_is_missing_do_not_wait_for_each_other(cast, release, stage):
    RepositoryStorage.of(stage.folder).repo_path(cast.private.id).rename(stage.folder / "away.git")
    address = f"/groups/{cast.team.id}/releases"

    async def all_at_once():
        return await asyncio.gather(*(cast.reporter.exchange("GET", address, Raw()) for _ in range(30)))

    answers = cast.reporter.loop.run_until_complete(all_at_once())
    sentence = "The repository of this project is missing from the server's storage. Please tell an administrator."
    assert {(answer.status, answer.json["message"]) for answer in answers} == {
        (503, f"503 Service Unavailable - {sentence}")
    }
