import asyncio

import pytest

from tests.harness.cases import Case, Has, cases

AT = "POST /projects/{private.id}/issues/{open}/notes"
CONFIDENTIAL = "POST /projects/{private.id}/issues/{confidential}/notes"
PUBLIC = "POST /projects/{public.id}/issues/{open}/notes"
HELLO = {"body": "hello"}


@cases(
    [
        Case("anonymous", PUBLIC, 401, params=HELLO),
        Case("stranger", PUBLIC, 201, Has(body="hello", system=False), HELLO, events=["note.created"], statements=6),
        Case("stranger", AT, 404, {"message": "404 Project Not Found"}, HELLO, events=[]),
        Case("guest", AT, 201, Has(body="hello", noteable_type="Issue"), HELLO),
        Case("guest", CONFIDENTIAL, 404, {"message": "404 Issue Not Found"}, HELLO, events=[]),
        Case("developer", CONFIDENTIAL, 201, params=HELLO),
        Case("guest", AT, 400, {"message": {"note": ["can't be blank"]}}, {"body": " \n"}, events=[]),
        Case("guest", AT, 400, Has(message='400 (Bad request) "body" not given')),
    ]
)
def test_readers_of_an_issue_comment_on_it(case, cast):
    case.holds(cast)


def test_a_comment_has_its_limit(cast):
    answer = cast.guest.post(f"/projects/{cast.private.id}/issues/{cast.open}/notes", body="x" * 1_000_001)
    assert answer.json == {"message": {"note": ["is too long (maximum is 1000000 characters)"]}}


def test_only_members_comment_on_a_locked_issue(cast):
    issue = f"/projects/{cast.public.id}/issues/{cast.open}"
    mine = cast.stranger.post(f"{issue}/notes", body="before").json
    cast.reporter.put(issue, discussion_locked=True)
    assert cast.stranger.post(f"{issue}/notes", body="x").status == 403
    assert cast.stranger.put(f"{issue}/notes/{mine['id']}", body="x").status == 403
    assert cast.stranger.delete(f"{issue}/notes/{mine['id']}").status == 403
    for member in (cast.guest, cast.inherited, cast.shared, cast.root):
        assert member.post(f"{issue}/notes", body="x").status == 201
    cast.reporter.put(issue, discussion_locked=False)
    assert cast.stranger.post(f"{issue}/notes", body="x").status == 201


def test_comments_are_counted_and_what_the_instance_says_is_not(cast):
    issue = f"/projects/{cast.private.id}/issues/{cast.open}"
    cast.guest.post(f"{issue}/notes", body="one")
    cast.guest.post(f"{issue}/notes", body="two")
    cast.reporter.put(issue, state_event="close")
    assert cast.guest.get(issue).json["user_notes_count"] == 2


def test_a_comment_updates_its_issue(cast):
    issue = f"/projects/{cast.private.id}/issues/{cast.open}"
    before = cast.guest.get(issue).json["updated_at"]
    note = cast.guest.post(f"{issue}/notes", body="hello").json
    assert cast.guest.get(issue).json["updated_at"] >= note["created_at"] > before


@pytest.mark.parametrize(("who", "heeded"), [("root", True), ("owner", True), ("master", False), ("guest", False)])
def test_owners_may_date_a_comment_back(cast, who, heeded):
    notes = f"/projects/{cast.private.id}/issues/{cast.open}/notes"
    note = getattr(cast, who).post(notes, body="x", created_at="2016-03-11T03:45:40Z").json
    assert (note["created_at"] == "2016-03-11T03:45:40.000Z") is heeded


@pytest.mark.commits
def test_concurrent_comments_are_all_stored(cast, loop):
    issue = f"/projects/{cast.public.id}/issues/{cast.open}"
    people = [cast.guest, cast.reporter, cast.developer, cast.stranger] * 4

    async def all_at_once():
        return await asyncio.gather(
            *(person.exchange("POST", f"{issue}/notes", params={"body": str(n)}) for n, person in enumerate(people))
        )

    assert [answer.status for answer in loop.run_until_complete(all_at_once())] == [201] * 16
    assert {note["body"] for note in cast.guest.get(f"{issue}/notes").json} == {str(n) for n in range(16)}
    assert cast.guest.get(issue).json["user_notes_count"] == 16
