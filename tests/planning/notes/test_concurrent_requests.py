"""Many people at one issue: nothing is lost, and nobody is told that something broke."""

import asyncio

import pytest


@pytest.mark.commits
def test_many_at_one_issue_at_once(cast, loop):
    issue = f"/projects/{cast.private.id}/issues/{cast.open}"
    other = f"/projects/{cast.private.id}/issues/{cast.confidential}"
    people = [cast.reporter, cast.developer, cast.master, cast.owner]

    async def at_it(person, turn):
        asked = [
            ("POST", f"{issue}/notes", {"body": f"see #{cast.confidential}, @guest and @developer"}),
            ("POST", f"{other}/notes", {"body": f"see #{cast.open}\n/subscribe"}),
            ("PUT", issue, {"title": f"{person.username} {turn}", "labels": f"a{turn},b", "assignee_ids": [person.id]}),
            ("POST", f"{issue}/notes", {"body": "/close" if turn % 2 else "/reopen\n/todo"}),
            ("POST", f"{issue}/award_emoji", {"name": "tada"}),
            ("POST", f"{issue}/unsubscribe", {}),
            ("POST", f"{issue}/subscribe", {}),
            ("POST", f"{issue}/todo", {}),
            ("POST", "/todos/mark_as_done", {}),
            ("POST", f"{issue}/links", {"target_project_id": cast.private.id, "target_issue_iid": cast.confidential}),
        ]
        return [(await person.exchange(verb, path, params=params)).status for verb, path, params in asked]

    async def everybody():
        return await asyncio.gather(*(at_it(person, turn) for turn in range(4) for person in people))

    statuses = loop.run_until_complete(everybody())
    assert {status for each in statuses for status in each} <= {200, 201, 202, 204, 304, 404, 409}
    assert [each[0] for each in statuses] == [each[1] for each in statuses] == [201] * 16
    assert cast.reporter.get(issue).json["user_notes_count"] == 16
    said = cast.reporter.get(f"{issue}/notes", per_page=100)
    assert said.headers["X-Total"] == str(len(said.json)) or len(said.json) == 100
    assert [note["body"] for note in said.json].count(f"mentioned in issue #{cast.confidential}") == 1
    assert len(cast.reporter.get(f"{issue}/award_emoji").json) == len(people)
    assert len(cast.reporter.get(f"{issue}/links").json) == 1
    assert len(cast.guest.get("/todos").json) == 1
