import resource
import subprocess

import pytest


def test_a_request_has_commits_the_newest_first(cast, code):
    second = code.commit("topic", message="Second", again="x\n")
    path = f"{code.requests}/{code.open().json['iid']}/commits"
    commits = cast.anonymous.get(path)
    assert [commit["id"] for commit in commits.json] == [second, code.topic]
    assert commits.json[0]["parent_ids"] == [code.topic]
    assert [commit["id"] for commit in cast.anonymous.get(path, page=2, per_page=1).json] == [code.topic]
    assert commits.headers["x-total"] == "2"


def test_changes_have_the_patch_of_each_file(cast, code):
    code.commit("topic", message="Edit", action="update", README="hello\nworld\n")
    path = f"{code.requests}/{code.open().json['iid']}"
    shown = cast.anonymous.get(f"{path}/changes").json
    assert shown["iid"] == 1
    assert shown["changes_count"] == "2"
    assert shown["overflow"] is False
    readme, topic = shown["changes"]
    assert readme == {
        "old_path": "README", "new_path": "README", "a_mode": "100644", "b_mode": "100644", "new_file": False,
        "renamed_file": False, "deleted_file": False, "too_large": False, "collapsed": False, "generated_file": False,
        "diff": "--- a/README\n+++ b/README\n@@ -1 +1,2 @@\n hello\n+world\n",
    }  # fmt: skip
    assert (topic["new_file"], topic["a_mode"]) == (True, "0")
    assert topic["diff"].startswith("--- /dev/null\n+++ b/topic\n")
    assert cast.anonymous.get(f"{path}/diffs", per_page=1, page=2).json == [topic]
    raw = cast.anonymous.get(f"{path}/raw_diffs")
    assert raw.headers["content-type"].startswith("text/plain")
    assert raw.body.decode().startswith("diff --git a/README b/README\n")
    assert readme["diff"] in raw.body.decode()


def test_versions_follow_retargeting(cast, code):
    code.branch("stable", stable="x")
    path = f"{code.requests}/{code.open().json['iid']}"
    cast.developer.put(path, target_branch="stable")
    newest, first = cast.reporter.get(f"{path}/versions").json
    assert first["start_commit_sha"] == first["base_commit_sha"] == code.first
    assert newest["start_commit_sha"] == code.tip("stable")
    assert newest["head_commit_sha"] == code.topic
    assert (newest["state"], newest["real_size"]) == ("collected", "1")
    whole = cast.reporter.get(f"{path}/versions/{first['id']}").json
    assert whole.items() >= first.items()
    assert [commit["id"] for commit in whole["commits"]] == [code.topic]
    assert [diff["new_path"] for diff in whole["diffs"]] == ["topic"]
    other = code.open(title="Another").json["iid"]
    assert cast.reporter.get(f"{code.requests}/{other}/versions/{first['id']}").json == {
        "message": "404 Version Not Found"
    }
    assert cast.anonymous.get(f"{path}/versions").status == 401


def test_large_patches_are_omitted_and_marked(cast, code):
    code.commit("topic", message="Large", large="line of text\n" * 20_000, small="x\n")
    path = f"{code.requests}/{code.open().json['iid']}"
    changes = {change["new_path"]: change for change in cast.anonymous.get(f"{path}/changes").json["changes"]}
    assert (changes["large"]["too_large"], changes["large"]["diff"]) == (True, "")
    assert (changes["small"]["too_large"], bool(changes["small"]["diff"])) == (False, True)


def test_a_request_without_branches_has_nothing_to_show(cast, code):
    path = f"{code.requests}/{code.open(source_branch='nowhere').json['iid']}"
    assert cast.anonymous.get(f"{path}/commits").json == []
    assert cast.anonymous.get(f"{path}/changes").json["changes"] == []
    assert cast.anonymous.get(f"{path}/diffs").json == []
    assert cast.reporter.get(f"{path}/versions").json[0]["state"] == "empty"


def test_a_request_is_shown_within_limits(cast, code):
    files = {f"f{n:04}": "x\n" for n in range(1_000)}
    code.branch("many", **files)
    path = f"{code.requests}/{code.open(source_branch='many').json['iid']}"
    shown = cast.anonymous.get(f"{path}/changes").json
    assert (shown["changes_count"], len(shown["changes"]), shown["overflow"]) == ("1000", 1_000, False)
    code.commit("many", last="x\n")
    shown = cast.anonymous.get(f"{path}/changes").json
    assert (shown["changes_count"], len(shown["changes"]), shown["overflow"]) == ("1000+", 1_000, True)
    diffs = cast.anonymous.get(f"{path}/diffs", per_page=100, page=10)
    assert (len(diffs.json), diffs.headers["x-total"]) == (100, "1000")
    newest = cast.reporter.get(f"{path}/versions").json[0]
    assert (newest["state"], newest["real_size"]) == ("overflow", "1000+")


def test_lines_and_bytes_are_limited(cast, code):
    code.branch("long", a="\n" * 49_000, b="\n" * 2_000, c="x\n")
    code.branch("large", a="x\n" * 60_000, b="large file " * 500_000)
    long, large = (f"{code.requests}/{code.open(source_branch=name).json['iid']}/changes" for name in ("long", "large"))
    shown = cast.anonymous.get(long).json
    # The file that crosses the limit and all after it are left out.
    assert ([file["new_path"] for file in shown["changes"]], shown["changes_count"]) == (["a"], "1+")
    shown = cast.anonymous.get(large).json
    assert [(file["new_path"], file["diff"], file["too_large"]) for file in shown["changes"]] == [
        ("a", "", True), ("b", "", True),
    ]  # fmt: skip
    assert (shown["changes_count"], shown["overflow"]) == ("2", False)


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_much_is_shown_in_bounded_memory(cast, code, stage):
    """10,000 commits, and a difference of 20 MB in 250 files. Written by git itself, as one stream."""
    text = f"{'a long line ' * 23}\n" * 300
    files = "".join(f"M 644 inline f{n:03}\ndata {len(text)}\n{text}\n" for n in range(250))
    stream = "".join(
        f"commit refs/heads/history\ncommitter A <a@example.org> {n + 1_700_000_000} +0000\ndata {len(str(n))}\n{n}\n"
        + (f"from {code.first}\n" if n == 0 else "")
        for n in range(9_999)
    )
    [place] = {head.parents[2] for head in (stage.folder / "repositories").rglob("refs/heads/topic")}
    subprocess.run(["git", "-C", place, "fast-import", "--quiet"], input=(stream + files).encode(), check=True)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    code.commit("history", message="9999", last="x")
    path = f"{code.requests}/{code.open(source_branch='history').json['iid']}"
    page = cast.anonymous.get(f"{path}/commits", per_page=2, page=5_000)
    assert [commit["title"] for commit in page.json] == ["1", "0"]
    assert page.headers["x-total"] == "10000"
    version = cast.reporter.get(f"{path}/versions").json[0]
    assert len(cast.reporter.get(f"{path}/versions/{version['id']}").json["commits"]) == 10_000
    shown = cast.anonymous.get(f"{path}/changes").json
    # As many files as fit into five megabytes.
    assert 50 <= len(shown["changes"]) <= 62
    assert (shown["overflow"], shown["changes_count"]) == (True, f"{len(shown['changes'])}+")
    assert (resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before) < 100 * 1024


def test_a_version_with_only_empty_commits_is_empty_and_can_be_merged(cast, code):
    head = code.commit("hollow", start_branch="master", message="Add", passing="x")
    reverted = cast.owner.post(f"{code.path}/repository/commits/{head}/revert", branch="hollow")
    assert reverted.status == 201, reverted
    path = f"{code.requests}/{code.open(source_branch='hollow').json['iid']}"
    [version] = cast.owner.get(f"{path}/versions").json
    assert (version["state"], version["real_size"]) == ("empty", "0")
    assert cast.owner.get(path).json["merge_status"] == "can_be_merged"
    merged = cast.owner.put(f"{path}/merge")
    assert (merged.status, merged.json["state"]) == (200, "merged")
