"""Merge requests as git clients see them: refs to fetch, and requests that pushes update, merge and close."""

from tests.git.forge import on_sqlite


def opened(forge, project, source, target="master"):
    return forge.api(
        "POST", f"/projects/{project['id']}/merge_requests", "developer", title="A request", source_branch=source,
        target_branch=target,
    )  # fmt: skip


def shown(forge, project, request):
    return forge.api("GET", f"/projects/{project['id']}/merge_requests/{request['iid']}", "reporter")


def versions(forge, project, request):
    return forge.api("GET", f"/projects/{project['id']}/merge_requests/{request['iid']}/versions", "reporter")


@on_sqlite
def test_the_head_of_a_request_is_fetched_and_never_pushed(forge):
    project, copy = forge.filled("request", visibility="public")
    copy.do("checkout", "--quiet", "-b", "topic")
    head = copy.commit("Work", work="x")
    copy.do("push", "--quiet", "origin", "topic")
    opened(forge, project, "topic")
    anybody = forge.copy(forge.url(f"{project['path_with_namespace']}.git"))
    anybody.do("fetch", "--quiet", "origin", "+refs/merge-requests/*/head:refs/remotes/origin/merge-requests/*")
    assert anybody.do("rev-parse", "origin/merge-requests/1") == head
    assert not copy.git("push", "origin", "HEAD:refs/merge-requests/1/head").ok
    assert not copy.git("push", "origin", f"HEAD:refs/keep-around/{head}").ok
    assert "keep-around" not in anybody.do("ls-remote", "origin")
    copy.do("push", "--quiet", "origin", ":topic")
    forge.repository(project).do("gc", "--prune=now", "--quiet")
    assert forge.repository(project).do("cat-file", "-t", head) == "commit"
    assert anybody.do("ls-remote", "origin", "refs/merge-requests/1/head").startswith(head)


def test_a_forced_push_makes_a_version(forge):
    project, copy = forge.filled("forced")
    copy.do("checkout", "--quiet", "-b", "topic")
    first = copy.commit("Work", work="x")
    copy.do("push", "--quiet", "origin", "topic")
    request = opened(forge, project, "topic")
    copy.do("commit", "--quiet", "--amend", "--message", "Other work")
    second = copy.do("rev-parse", "HEAD")
    copy.do("push", "--quiet", "--force", "origin", "topic")
    assert shown(forge, project, request)["sha"] == second
    assert [version["head_commit_sha"] for version in versions(forge, project, request)] == [second, first]


def test_a_request_merged_by_hand_is_merged(forge):
    project, copy = forge.filled("by hand")
    copy.do("checkout", "--quiet", "-b", "topic")
    copy.commit("Work", work="x")
    copy.do("push", "--quiet", "origin", "topic", "topic:twin")
    request, twin = opened(forge, project, "topic"), opened(forge, project, "twin")
    copy.do("checkout", "--quiet", "master")
    copy.commit("Elsewhere", elsewhere="x")
    copy.do("merge", "--quiet", "--no-ff", "topic")
    # One push may also delete the branch that it merges.
    copy.do("push", "--quiet", "origin", "master", ":twin")
    for each in (request, twin):
        merged = shown(forge, project, each)
        assert (merged["state"], merged["merge_commit_sha"]) == ("merged", None)
        assert merged["merged_by"]["username"] == "master"
        assert merged["merged_at"]
    kept = versions(forge, project, request)
    copy.do("push", "--quiet", "origin", "master:topic")
    assert versions(forge, project, request) == kept


def test_a_target_that_takes_some_commits_or_is_forced_makes_a_version(forge):
    project, copy = forge.filled("target")
    copy.do("push", "--quiet", "origin", "master:stable")
    start = copy.do("rev-parse", "master")
    copy.do("checkout", "--quiet", "-b", "topic")
    first = copy.commit("One", one="x")
    copy.commit("Two", two="x")
    copy.do("push", "--quiet", "origin", "topic")
    request = opened(forge, project, "topic", "stable")
    copy.do("push", "--quiet", "origin", f"{first}:stable")
    newest = versions(forge, project, request)[0]
    assert (newest["base_commit_sha"], newest["start_commit_sha"]) == (first, first)
    copy.do("push", "--quiet", "--force", "origin", f"{start}:stable")
    assert versions(forge, project, request)[0]["base_commit_sha"] == start
    assert len(versions(forge, project, request)) == 3
    copy.do("push", "--quiet", "origin", ":stable")
    broken = shown(forge, project, request)
    assert (broken["state"], broken["changes_count"]) == ("opened", None)


def remarks(said):
    """What the server says, line by line."""
    lines = [line.removeprefix("remote:").strip() for line in said.text.splitlines() if line.startswith("remote:")]
    return [line for line in lines if line]


@on_sqlite
def test_a_push_says_where_to_ask_for_a_merge(forge):
    project, copy = forge.filled("announced")
    web = project["web_url"]
    new = f"{web}/merge_requests/new?merge_request%5Bsource_branch%5D="
    copy.commit("Work", work="x")
    assert remarks(copy.git("push", "origin", "HEAD:topic")) == [
        "To create a merge request for topic, visit:", f"{new}topic",
    ]  # fmt: skip
    request = opened(forge, project, "topic")
    said = remarks(copy.git("push", "origin", "HEAD:a/b", "HEAD:x#1", "HEAD^:topic", "--force"))
    assert dict(zip(said[::2], said[1::2], strict=True)) == {
        "To create a merge request for a/b, visit:": f"{new}a%2Fb",
        "View merge request for topic:": f"{web}/merge_requests/{request['iid']}",
        "To create a merge request for x#1, visit:": f"{new}x%231",
    }
    said = copy.git("push", "origin", "HEAD:printed").text.splitlines()
    start = next(n for n, line in enumerate(said) if "To create" in line)
    texts = [line.removeprefix("remote:").rstrip() for line in said[start - 1 : start + 3]]
    assert texts == ["", " To create a merge request for printed, visit:", f"   {new}printed", ""]
    # Neither the default branch, nor a tag, nor a deletion.
    assert remarks(copy.git("push", "origin", "HEAD:master", "HEAD:refs/tags/v1", ":printed")) == []
    forge.api("PUT", f"/projects/{project['id']}", merge_requests_enabled=False)
    assert remarks(copy.git("push", "origin", "HEAD:off")) == []
    silent = forge.project("silent", printing_merge_request_link_enabled=False)
    url = forge.url(f"{silent['path_with_namespace']}.git", "master")
    assert remarks(copy.git("push", url, "HEAD:master", "HEAD:other")) == []
    copy.commit("More", more="x")
    assert remarks(copy.git("push", url, "HEAD:other")) == []


def test_the_head_of_a_request_in_a_private_project_is_fetched_by_its_readers(forge):
    project, copy = forge.filled("hidden requests")
    copy.do("checkout", "--quiet", "-b", "topic")
    head = copy.commit("Work", work="x")
    copy.do("push", "--quiet", "origin", "topic")
    opened(forge, project, "topic")
    for who, allowed in (("reporter", True), ("guest", False), ("stranger", False), (None, False)):
        url = forge.url(f"{project['path_with_namespace']}.git", who)
        said = copy.git("ls-remote", url, "refs/merge-requests/*/head")
        assert (said.ok and said.text.startswith(head)) == allowed, who
