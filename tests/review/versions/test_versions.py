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


def test_large_patches_are_left_out_and_said_to_be(cast, code):
    code.commit("topic", message="Large", large="line of text\n" * 20_000, small="x\n")
    path = f"{code.requests}/{code.open().json['iid']}"
    changes = {change["new_path"]: change for change in cast.anonymous.get(f"{path}/changes").json["changes"]}
    assert (changes["large"]["too_large"], changes["large"]["diff"]) == (True, "")
    assert (changes["small"]["too_large"], bool(changes["small"]["diff"])) == (False, True)


def test_more_than_a_thousand_files_overflow(cast, code):
    code.commit("topic", message="Many", **{f"file{n:04}": f"{n}\n" for n in range(1_000)})
    made = code.open().json
    assert made["changes_count"] == "1000+"
    path = f"{code.requests}/{made['iid']}"
    shown = cast.anonymous.get(f"{path}/changes").json
    assert (len(shown["changes"]), shown["overflow"]) == (1_000, True)
    assert cast.reporter.get(f"{path}/versions").json[0]["state"] == "overflow"


def test_a_request_without_branches_has_nothing_to_show(cast, code):
    path = f"{code.requests}/{code.open(source_branch='nowhere').json['iid']}"
    assert cast.anonymous.get(f"{path}/commits").json == []
    assert cast.anonymous.get(f"{path}/changes").json["changes"] == []
    assert cast.anonymous.get(f"{path}/diffs").json == []
    assert cast.reporter.get(f"{path}/versions").json[0]["state"] == "empty"
