"""PUT /suggestions/:id/apply and PUT /suggestions/batch_apply, and the suggestions of notes."""

import asyncio

import pytest

TEXT = "".join(f"line {n}\n" for n in range(1, 11))


@pytest.fixture
def review(cast, code):
    """A request that adds a file of ten lines."""
    code.branch("lines", text=TEXT)
    return Review(cast, code, code.open(source_branch="lines").json)


class Review:
    def __init__(self, cast, code, request):
        self.cast, self.code, self.request = cast, code, request
        self.path = f"/projects/{request['project_id']}/merge_requests/{request['iid']}"

    def suggest(self, line, content, person=None, info="suggestion", body=None, path="text"):
        """The suggestions of a new comment on the line."""
        position = {"position_type": "text", **self.request["diff_refs"], "new_path": path, "new_line": line}
        text = f"Better:\n\n```{info}\n{content}```\n" if body is None else body
        made = (person or self.cast.guest).post(f"{self.path}/discussions", body=text, position=position)
        assert made.status == 201, made
        return made.json["notes"][0]["suggestions"]

    def text(self, path="text"):
        answer = self.cast.owner.get(f"{self.code.path}/repository/files/{path}/raw", ref="lines")
        assert answer.status == 200, answer
        return answer.body.decode()

    def notes(self):
        return [note for each in self.cast.guest.get(f"{self.path}/discussions").json for note in each["notes"]]


def test_a_suggestion_is_shown_and_applied(cast, review):
    [made] = review.suggest(3, "three\n")
    assert made == {
        "id": made["id"], "from_line": 3, "to_line": 3, "appliable": True, "applied": False,
        "from_content": "line 3\n", "to_content": "three\n",
    }  # fmt: skip
    answer = cast.developer.put(f"/suggestions/{made['id']}/apply")
    assert answer.status == 200, answer
    assert answer.json == {**made, "appliable": False, "applied": True}
    assert review.text() == TEXT.replace("line 3\n", "three\n")
    commit = cast.owner.get(f"{review.code.path}/repository/commits/lines").json
    assert commit["message"] == f"Apply 1 suggestion to 1 file\n\nSuggested-by: @{cast.guest.username}"
    assert commit["author_name"] == "Developer"
    note = next(note for note in review.notes() if "suggestions" in note)
    assert note["suggestions"] == [answer.json]
    assert (note["resolved"], note["resolved_by"]["id"]) == (True, cast.developer.id)
    assert cast.guest.get(review.path).json["sha"] == commit["id"]
    again = cast.developer.put(f"/suggestions/{made['id']}/apply")
    assert (again.status, again.json) == (400, {"message": "The suggestion is applied already"})


def test_lines_around_the_commented_one_are_replaced(cast, review):
    [made] = review.suggest(5, "four to seven\n", info="suggestion:-1+2")
    assert (made["from_line"], made["to_line"]) == (4, 7)
    assert made["from_content"] == "line 4\nline 5\nline 6\nline 7\n"
    sent = cast.developer.put(f"/suggestions/{made['id']}/apply", commit_message="Shorten")
    assert sent.status == 200, sent
    assert review.text() == TEXT.replace(made["from_content"], "four to seven\n")
    assert cast.owner.get(f"{review.code.path}/repository/commits/lines").json["message"] == "Shorten"


def test_a_range_ends_with_the_file_and_an_empty_block_removes_lines(cast, review):
    [made] = review.suggest(2, "", info="suggestion:-100+0")
    assert (made["from_line"], made["to_line"], made["to_content"]) == (1, 2, "")
    assert cast.developer.put(f"/suggestions/{made['id']}/apply").status == 200
    assert review.text() == TEXT.removeprefix("line 1\nline 2\n")


def test_only_fenced_blocks_of_their_own_suggest_something(review):
    nested = "````text\n```suggestion\nno\n```\n````\n~~~suggestion:-1+0\nyes\n~~~\n```suggestion:+1\nno\n```"
    assert [each["to_content"] for each in review.suggest(3, "", body=nested)] == ["yes\n"]
    assert review.suggest(3, "", body="a suggestion") == []
    assert [each["appliable"] for each in review.suggest(3, "line 3\n")] == [False]


def test_ends_of_lines_stay_as_they_are(cast, review):
    code = review.code
    code.commit("lines", windows="one\r\ntwo\r\n", open="one\ntwo")
    review.request = cast.owner.get(review.path).json
    ids = [review.suggest(1, "1\n", path="windows")[0]["id"], review.suggest(2, "2\n", path="open")[0]["id"]]
    assert cast.developer.put("/suggestions/batch_apply", ids=ids).status == 200
    assert (review.text("windows"), review.text("open")) == ("1\r\ntwo\r\n", "one\n2")


def test_several_are_applied_in_one_commit(cast, review):
    first, second = (review.suggest(n, f"new {n}\n")[0] for n in (2, 8))
    before = cast.guest.get(review.path).json["sha"]
    answer = cast.developer.put("/suggestions/batch_apply", ids=[second["id"], first["id"]])
    assert [each["id"] for each in answer.json] == [second["id"], first["id"]]
    assert all(each["applied"] for each in answer.json)
    commit = cast.owner.get(f"{review.code.path}/repository/commits/lines").json
    assert (commit["title"], commit["parent_ids"]) == ("Apply 2 suggestions to 1 file", [before])
    assert review.text() == TEXT.replace("line 2\n", "new 2\n").replace("line 8\n", "new 8\n")


def test_all_are_applied_or_none(cast, review):
    first, second = review.suggest(2, "x\n")[0], review.suggest(3, "y\n", info="suggestion:-1+0")[0]

    def batch(*ids):
        answer = cast.developer.put("/suggestions/batch_apply", ids=list(ids))
        return answer.status, answer.json

    assert batch(first["id"], second["id"]) == (400, {"message": "Two of the suggestions change the same line"})
    assert batch(first["id"], 999_999) == (404, {"message": "404 Suggestion Not Found"})
    assert batch() == (400, {"error": "ids is empty"})
    assert batch(*range(1, 102)) == (400, {"message": "One commit applies at most 100 suggestions"})
    review.code.branch("other", other=TEXT)
    other = Review(cast, review.code, review.code.open(source_branch="other").json)
    [third] = other.suggest(1, "z\n", path="other")
    assert batch(first["id"], third["id"]) == (400, {"message": "The suggestions belong to different merge requests"})
    assert review.text() == TEXT
    assert not any(each["applied"] for note in review.notes() for each in note.get("suggestions", []))


def test_changed_lines_are_not_replaced_and_moved_ones_are(cast, review):
    [changed], [moved] = review.suggest(2, "x\n", info="suggestion:-0+1"), review.suggest(8, "eight\n")
    review.code.commit("lines", action="update", text="zero\n" + TEXT.replace("line 3\n", "three\n"))
    shown = {each["id"]: each for note in review.notes() for each in note.get("suggestions", [])}
    assert [shown[each["id"]]["appliable"] for each in (changed, moved)] == [False, True]
    answer = cast.developer.put(f"/suggestions/{changed['id']}/apply")
    assert answer.json == {"message": "The lines have changed since the suggestion was written"}
    assert cast.developer.put(f"/suggestions/{moved['id']}/apply").status == 200
    assert review.text() == "zero\n" + TEXT.replace("line 3\n", "three\n").replace("line 8\n", "eight\n")


def test_replies_and_edits_suggest_too(cast, review):
    review.suggest(4, "", body="why?")
    [thread] = [each for each in cast.guest.get(f"{review.path}/discussions").json if not each["individual_note"]]
    here = f"{review.path}/discussions/{thread['id']}/notes"
    reply = cast.guest.post(here, body="```suggestion\none\n```").json
    assert [each["to_content"] for each in cast.guest.get(f"{here}/{reply['id']}").json["suggestions"]] == ["one\n"]
    cast.guest.put(f"{here}/{reply['id']}", body="```suggestion\ntwo\n```")
    [edited] = cast.guest.get(f"{here}/{reply['id']}").json["suggestions"]
    assert edited["to_content"] == "two\n"
    assert cast.developer.put(f"/suggestions/{edited['id']}/apply").status == 200
    assert review.text() == TEXT.replace("line 4\n", "two\n")
    [other] = review.suggest(6, "gone\n")
    note = next(note for note in review.notes() if other in note.get("suggestions", []))
    cast.guest.put(f"{review.path}/notes/{note['id']}", body="never mind")
    assert cast.developer.put(f"/suggestions/{other['id']}/apply").status == 404


def test_only_those_who_may_push_to_the_source_apply(cast, review):
    [made] = review.suggest(3, "three\n", person=cast.reporter)
    here = f"/suggestions/{made['id']}/apply"
    assert [person.put(here).status for person in (cast.anonymous, cast.reporter, cast.stranger)] == [401, 403, 403]
    cast.owner.post(f"{review.code.path}/protected_branches", name="lines")
    assert cast.developer.put(here).json == {"message": "403 Forbidden"}
    cast.owner.put(review.code.path, visibility="private")
    assert cast.stranger.put(here).json == {"message": "404 Suggestion Not Found"}
    assert cast.master.put(here).status == 200


def test_members_of_the_target_apply_to_a_fork_that_allows_it(cast, code, fork):
    sent = cast.stranger.post(
        f"{fork.path}/repository/commits", branch="offer", start_branch="master", commit_message="Add",
        actions=[{"action": "create", "file_path": "text", "content": TEXT}],
    )  # fmt: skip
    assert sent.status == 201, sent
    given = {"title": "Offer", "source_branch": "offer", "target_branch": "master", "target_project_id": code.id}
    request = cast.stranger.post(fork.requests, **given).json
    review = Review(cast, code, request)
    [made] = review.suggest(1, "one\n")
    here = f"/suggestions/{made['id']}/apply"
    assert cast.master.put(here).status == 403
    assert cast.stranger.put(review.path, allow_collaboration=True).status == 200
    assert cast.master.put(here).status == 200
    raw = cast.stranger.get(f"{fork.path}/repository/files/text/raw", ref="offer")
    assert raw.body.decode() == TEXT.replace("line 1\n", "one\n")


def test_a_request_that_is_not_open_takes_none(cast, review):
    [made] = review.suggest(3, "three\n")
    cast.owner.put(review.path, state_event="close")
    answer = cast.developer.put(f"/suggestions/{made['id']}/apply")
    assert (answer.status, answer.json) == (400, {"message": "The merge request is not open"})


def test_approvals_are_reset_and_a_refused_push_applies_nothing(cast, review):
    cast.owner.post(f"{review.code.path}/approvals", approvals_before_merge=1, reset_approvals_on_push=True)
    [made] = review.suggest(3, "three\n")
    here = f"/suggestions/{made['id']}/apply"
    assert cast.master.post(f"{review.path}/approve").status == 201
    cast.owner.post(f"{review.code.path}/push_rule", commit_message_regex="^Fix")
    refused = cast.developer.put(here)
    assert refused.status == 400, refused
    assert cast.guest.get(f"{review.path}/approvals").json["approvals_left"] == 0
    assert cast.developer.put(here, commit_message="Fix a line").json["applied"] is True
    assert cast.guest.get(f"{review.path}/approvals").json["approvals_left"] == 1


@pytest.mark.commits
def test_one_of_two_concurrent_requests_is_applied(cast, review):
    [made] = review.suggest(3, "three\n")

    async def both():
        here = f"/suggestions/{made['id']}/apply"
        return await asyncio.gather(*(person.exchange("PUT", here) for person in (cast.developer, cast.master)))

    assert sorted(answer.status for answer in cast.root.loop.run_until_complete(both())) == [200, 400]
    commits = cast.owner.get(f"{review.code.path}/repository/commits", ref_name="lines").json
    assert [commit["title"].startswith("Apply") for commit in commits].count(True) == 1
