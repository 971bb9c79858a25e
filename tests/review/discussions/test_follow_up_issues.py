"""POST /projects/:id/issues with `merge_request_to_resolve_discussions_of`."""

import pytest


@pytest.fixture
def discussed(cast, code):
    """A request with two open discussions, the second with a reply, a resolved one, and a plain comment."""
    request = f"{code.requests}/{code.open().json['iid']}"
    code.issues = f"{code.path}/issues"
    code.request = request
    code.discussions = [
        cast.reporter.post(f"{request}/discussions", body=body).json
        for body in ("Why?\n/cc @x", ">>>\nOld\n\nwords\n>>>\nNew", "Done")
    ]
    cast.guest.post(f"{request}/discussions/{code.discussions[1]['id']}/notes", body="Indeed")
    cast.developer.put(f"{request}/discussions/{code.discussions[2]['id']}", resolved=True)
    cast.reporter.post(f"{request}/notes", body="Plain")
    return code


def follow_up(person, code, **params):
    answer = person.post(code.issues, title="Later", merge_request_to_resolve_discussions_of=1, **params)
    assert answer.status == 201, answer
    return answer.json


def resolved(code, person=None):
    """Whether each discussion is resolved, and its system notes."""
    found = (person or code.cast.developer).get(f"{code.request}/discussions").json
    by_id = {discussion["id"]: discussion["notes"] for discussion in found}
    return [
        (by_id[made["id"]][0]["resolved"], [note["body"] for note in by_id[made["id"]] if note["system"]])
        for made in code.discussions
    ]


def announced(code):
    notes = code.cast.developer.get(f"{code.request}/notes").json
    return [note["body"] for note in notes if note["body"] == "resolved all discussions"]


def item(code, number, words):
    note = code.discussions[number]["notes"][0]["id"]
    address = f"http://mujina.test/{code.project['path_with_namespace']}/merge_requests/1#note_{note}"
    return f"- [ ] @reporter started a [discussion]({address}): {words}"


def test_an_issue_continues_every_open_discussion(cast, discussed):
    code = discussed
    assert announced(code) == []
    issue = follow_up(cast.developer, code, labels="later")
    assert issue["description"] == "\n\n".join(
        [
            "The following discussions from !1 should be addressed:",
            item(code, 0, "\n\n    > Why?\n    > /cc @x"),
            item(code, 1, " (+1 comment)\n\n    > > Old\n    > >\n    > > words\n    > New"),
        ]
    )
    assert issue["labels"] == ["later"]
    note = "created #1 to continue this discussion"
    assert resolved(code) == [(True, [note]), (True, [note]), (True, [])]
    assert announced(code) == ["resolved all discussions"]
    assert follow_up(cast.developer, code)["description"] == (
        "There are no unresolved discussions. Review the conversation in !1"
    )
    assert announced(code) == ["resolved all discussions"]


def test_an_issue_continues_one_discussion(cast, discussed):
    code = discussed
    one = code.discussions[0]["id"]
    issue = follow_up(cast.developer, code, discussion_to_resolve=one)
    assert issue["description"].startswith(
        "The following discussion from !1 should be addressed:\n\n- [ ] @reporter started"
    )
    assert [state for state, _ in resolved(code)] == [True, False, True]
    assert announced(code) == []
    done = follow_up(cast.developer, code, discussion_to_resolve=code.discussions[2]["id"])
    assert done["description"].endswith("    > Done")
    foreign = follow_up(cast.developer, code, discussion_to_resolve="0" * 40)
    assert foreign["description"] == "There are no unresolved discussions. Review the conversation in !1"
    assert [state for state, _ in resolved(code)] == [True, False, True]
    # The first comment is resolved by itself, the reply is open.
    path = f"{code.request}/discussions/{code.discussions[1]['id']}"
    cast.developer.put(f"{path}/notes/{code.discussions[1]['notes'][0]['id']}", resolved=True)
    issue = follow_up(cast.developer, code, discussion_to_resolve=code.discussions[1]["id"])
    assert "- [ ] @guest commented on a [discussion](" in issue["description"]
    assert announced(code) == ["resolved all discussions"]


def test_a_description_of_its_own_stays(cast, discussed):
    assert follow_up(cast.developer, discussed, description="Mine")["description"] == "Mine"
    assert [state for state, _ in resolved(discussed)] == [True, True, True]


def test_those_who_may_not_resolve_only_describe(cast, discussed):
    issue = follow_up(cast.reporter, discussed)
    assert issue["description"].startswith("The following discussions from !1")
    assert resolved(discussed) == [(False, []), (False, []), (True, [])]


def test_a_request_that_is_missing_or_unreadable_is_ignored(cast, discussed):
    code = discussed
    missing = cast.developer.post(code.issues, title="x", merge_request_to_resolve_discussions_of=99)
    assert (missing.status, missing.json["description"]) == (201, None)
    assert cast.developer.post(code.issues, title="x", merge_request_to_resolve_discussions_of="x").status == 400
    assert cast.developer.post(code.issues, merge_request_to_resolve_discussions_of=1).status == 400
    cast.owner.put(code.path, visibility="private")
    assert follow_up(cast.guest, code)["description"] is None
    assert resolved(code)[0] == (False, [])


def test_a_confidential_issue_is_named_only_to_those_who_may_read_it(cast, discussed):
    follow_up(cast.developer, discussed, confidential=True)
    assert resolved(discussed, cast.guest) == [(True, []), (True, []), (True, [])]
    assert resolved(discussed)[0] == (True, ["created #1 to continue this discussion"])
