"""What follows from a push to a branch of a merge request: notes about commits, and discussions on lines that move."""

import random
import re

import pytest

HUNK = re.compile(r"@@ -(\d+)(?:,\d+)? \+(\d+)(?:,\d+)? @@")


def bodies(person, path):
    return [note["body"] for note in person.get(f"{path}/notes", sort="asc").json if note["system"]]


def edit(code, text, branch="topic", person=None):
    return code.commit(branch, person=person, action="update", message="Edit", file=text)


def shown_lines(diff):
    """Text → (old number, new number) of every line that the diff shows."""
    found, old, new = {}, 0, 0
    for line in diff.splitlines():
        if hunk := HUNK.match(line):
            old, new = int(hunk[1]), int(hunk[2])
        elif line[0] == "+" and new:
            found[line[1:]], new = (None, new), new + 1
        elif line[0] == "-" and new:
            found[line[1:]], old = (old, None), old + 1
        elif line[0] == " ":
            found[line[1:]], old, new = (old, new), old + 1, new + 1
    return found


def discuss(person, path, refs, old, new, file="file"):
    position = {"position_type": "text", **refs, "new_path": file, "old_path": file, "old_line": old, "new_line": new}
    made = person.post(f"{path}/discussions", body="here", position=position)
    assert made.status == 201, made
    return made.json["id"]


def test_pushed_commits_are_noted(cast, code):
    path = f"{code.requests}/{code.open().json['iid']}"
    first = code.commit("topic", person=cast.developer, message="Add <b>\n\nmore", one="1")
    version = cast.developer.get(f"{path}/versions").json[0]["id"]
    web = cast.developer.get(path).json["web_url"]
    compared = f"[Compare with previous version]({web}/diffs?diff_id={version}&start_sha={code.topic})"
    assert bodies(cast.guest, path) == [
        f"added 1 commit\n\n<ul><li>{first[:8]} - Add &lt;b&gt;</li></ul>\n\n{compared}"
    ]
    assert cast.guest.get(f"{path}/notes").json[0]["author"]["id"] == cast.developer.id
    # Commits that come from the target branch are counted, not listed.
    target = [code.commit(message="Elsewhere", **{name: "x"}) for name in ("two", "three")]
    merged = code.open(source_branch="master", target_branch="topic", title="Update").json
    assert cast.owner.put(f"{code.requests}/{merged['iid']}/merge").status == 200
    tip = code.tip("topic")
    assert (
        f"added 3 commits\n\n<ul><li>{first[:8]}...{target[1][:8]} - 2 commits from branch <code>master</code></li>"
        f"<li>{tip[:8]} - Merge branch" in bodies(cast.guest, path)[-1]
    )
    fixup = code.commit("topic", message="fixup! Edit", four="4")
    assert cast.guest.get(path).json["title"] == "WIP: Merge me"
    assert bodies(cast.guest, path)[-1] == f"marked as a **Work In Progress** from {fixup}"
    assert cast.guest.get(path).json["work_in_progress"] is True


class RandomFile:
    """A file whose lines are all different, on the branch `random` and in a request to merge it."""

    def __init__(self, code):
        self.code = code
        self.dice = random.Random(4)
        self.names = iter(f"text {n}" for n in range(1000))
        self.base = [next(self.names) for _ in range(40)]
        code.commit(file=joined(self.base))
        code.branch("random", other="x")
        self.lines = self.base
        self.edit()

    def edit(self):
        """Eight lines are added, removed or replaced."""
        lines = list(self.lines)
        for _ in range(8):
            at, action = self.dice.randrange(2, len(lines)), self.dice.choice("+-=")
            lines[at : at + (action != "+")] = [] if action == "-" else [next(self.names)]
        self.lines = lines
        edit(self.code, joined(lines), "random")

    def take_target(self):
        """The target changes and is merged into the branch: the request is compared with it from then on."""
        self.code.commit(action="update", file=joined(["new top", *self.base]))
        made = self.code.open(source_branch="master", target_branch="random", title="Update").json
        merged = self.code.cast.owner.put(f"{self.code.requests}/{made['iid']}/merge")
        if merged.status != 200:
            pytest.fail(f"the seed makes a conflict: {merged}")
        raw = self.code.cast.guest.get(f"{self.code.path}/repository/files/file/raw", ref="random")
        self.lines = raw.text.splitlines()


def joined(lines):
    return "".join(f"{line}\n" for line in lines)


def test_discussions_follow_their_lines(cast, code):
    """Random edits of lines that are all different, compared with what the newest diff shows."""
    file = RandomFile(code)
    request = code.open(source_branch="random").json
    path = f"{code.requests}/{request['iid']}"

    def shown():
        changes = cast.guest.get(f"{path}/changes").json["changes"]
        return shown_lines(next(change["diff"] for change in changes if change["new_path"] == "file"))

    at = shown()
    texts = {discuss(cast.guest, path, request["diff_refs"], *place): text for text, place in at.items()}
    where = {id_: at[text] for id_, text in texts.items()}
    outdated = set()
    for step, change in enumerate((file.edit, file.take_target, file.edit)):
        change()
        at = shown()
        listed = cast.guest.get(f"{path}/discussions", per_page=100).json
        found = {discussion["id"]: discussion["notes"] for discussion in listed if discussion["id"] in texts}
        head = cast.guest.get(path).json["sha"]
        for id_, text in texts.items():
            position = found[id_][0]["position"]
            if id_ not in outdated and text in at:
                where[id_] = at[text]
                assert position["head_sha"] == head
            elif id_ not in outdated:
                outdated.add(id_)
                assert found[id_][-1]["body"].startswith(f"changed this line in [version {step + 2} of the diff](")
            assert (position["old_line"], position["new_line"]) == where[id_], (step, text)
        assert all(len(found[id_]) == 2 for id_ in outdated)
    assert 0 < len(outdated) < len(texts)


def test_a_changed_line_resolves_its_discussion_if_the_project_says_so(cast, code):
    cast.owner.put(code.path, resolve_outdated_diff_discussions=True)
    code.commit("topic", file="one\ntwo\n")
    request = code.open().json
    path = f"{code.requests}/{request['iid']}"
    first = discuss(cast.guest, path, request["diff_refs"], None, 1)
    image = {
        "position_type": "image",
        "width": 1,
        "height": 1,
        "x": 0,
        "y": 0,
        "new_path": "file",
        **request["diff_refs"],
    }
    second = cast.guest.post(f"{path}/discussions", body="there", position=image).json["id"]
    edit(code, "eins\ntwo\n", person=cast.developer)
    changed = cast.guest.get(f"{path}/discussions/{first}").json["notes"]
    version = cast.guest.get(f"{path}/versions").json[0]["id"]
    assert [note["system"] for note in changed] == [False, True]
    assert (changed[0]["resolved"], changed[0]["resolved_by"]["id"]) == (True, cast.developer.id)
    assert f"/diffs?diff_id={version}#" in changed[1]["body"]
    assert changed[0]["position"]["head_sha"] == request["sha"]
    moved = cast.guest.get(f"{path}/discussions/{second}").json["notes"][0]
    assert (moved["resolved"], moved["position"]["head_sha"]) == (False, code.tip("topic"))
    assert "resolved all discussions" not in bodies(cast.guest, path)
    # A reply to a discussion on an old line takes its position.
    assert cast.guest.post(f"{path}/discussions/{first}/notes", body="so?").json["position"] == changed[0]["position"]
    cast.developer.put(f"{path}/discussions/{first}", resolved=True)
    code.commit("topic", person=cast.developer, action="delete", file="")
    assert cast.guest.get(f"{path}/discussions/{second}").json["notes"][0]["resolved"] is True
    assert bodies(cast.guest, path)[-1] == "resolved all discussions"


def test_discussions_follow_renames_and_other_targets(cast, code):
    text = "".join(f"{n}\n" for n in range(20))
    code.commit(file=text)
    cast.owner.post(f"{code.path}/repository/branches", branch="other", ref="master")
    code.branch("rename", more="x")
    edit(code, text + "last\n", "rename")
    request = code.open(source_branch="rename").json
    path = f"{code.requests}/{request['iid']}"
    made = discuss(cast.guest, path, request["diff_refs"], None, 21)
    actions = [{"action": "move", "file_path": "renamed", "previous_path": "file", "content": f"first\n{text}last\n"}]
    cast.owner.post(f"{code.path}/repository/commits", branch="rename", commit_message="Move", actions=actions)
    position = cast.guest.get(f"{path}/discussions/{made}").json["notes"][0]["position"]
    assert (position["old_path"], position["new_path"], position["new_line"]) == ("file", "renamed", 22)
    cast.developer.put(path, target_branch="other")
    notes = cast.guest.get(f"{path}/discussions/{made}").json["notes"]
    assert (len(notes), notes[0]["position"]["new_line"]) == (1, 22)
