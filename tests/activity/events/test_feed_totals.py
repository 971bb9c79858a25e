"""The totals of feeds come from kept counts: they are what can be listed, whatever changes."""

import asyncio

import pytest

from mujina.kernel.http import paging
from tests.review.conftest import create_code

LONG_AGO = {"before": "2002-02-02"}
SNIPPET = {"title": "s", "file_name": "f", "code": "c", "visibility": "private"}


@pytest.fixture
def code(cast, stage):
    stage.forget_stored()
    return create_code(cast)


def check(cast, *projects):
    """The total is the number of events that are listed, for every actor and every filter."""
    feeds = [f"/projects/{project}/events" for project in projects]
    for person in (cast.root, cast.guest, cast.stranger):
        for feed in (*feeds, f"/users/{cast.developer.id}/events"):
            for days in (
                {},
                {"after": "2001-01-01"},
                {"before": "2002-01-02"},
                {"after": "2001-12-31", "before": "2002-01-03"},
            ):
                told = person.get(feed, per_page=100, **days)
                if told.status == 200:
                    assert int(told.headers["X-Total"]) == len(told.json), (person.name, feed, days)


@pytest.fixture
def age(cast):
    """Lets all events have happened long ago, on three days."""
    return lambda: cast.run(
        "UPDATE events SET created_at = '2002-01-0' || CAST(1 + id % 3 AS text) || substr(created_at, 11)"
    )


@pytest.mark.commits
def test_totals_are_what_can_be_listed_after_every_kind_of_change(cast, code, age):
    issue = cast.guest.post(f"{code.path}/issues", title="by a guest", confidential=True).json["iid"]
    other = cast.developer.post(f"{code.path}/issues", title="by a developer").json["iid"]
    snippet = f"{code.path}/snippets/{cast.developer.post(f'{code.path}/snippets', **SNIPPET).json['id']}"
    request = f"{code.requests}/{code.open().json['iid']}"
    commit = f"{code.path}/repository/commits/{code.first}"
    about = [f"{code.path}/issues/{issue}", f"{code.path}/issues/{other}", snippet, request]
    notes = [cast.developer.post(f"{each}/notes", body="a note").json["id"] for each in about]
    cast.developer.post(f"{commit}/comments", note="a note")
    cast.guest.post(f"{about[1]}/notes", body="hidden at once\n/confidential")
    age()
    check(cast, code.id)
    changes = [
        lambda: cast.reporter.put(about[1], confidential=True, state_event="close"),
        lambda: cast.developer.post(f"{about[1]}/notes", body="seen by few\n/reopen"),
        lambda: cast.reporter.put(about[0], confidential=False),
        lambda: cast.developer.delete(f"{about[1]}/notes/{notes[1]}"),
        lambda: cast.owner.put(snippet, visibility="internal"),
        lambda: cast.owner.put(code.path, visibility="private", wiki_access_level="disabled", issues_enabled=False),
        lambda: cast.owner.put(code.path, visibility="public", issues_enabled=True),
        lambda: cast.owner.delete(about[0]),
        lambda: cast.owner.delete(snippet),
        lambda: cast.owner.delete(request),
    ]
    for change in changes:
        assert change().status < 300
        check(cast, code.id)


@pytest.mark.commits
def test_totals_leave_out_users_who_are_deleted(cast, code, age):
    notes = f"{code.path}/issues/{cast.developer.post(f'{code.path}/issues', title='x').json['iid']}/notes"
    for person in (cast.guest, cast.reporter, cast.inherited):
        assert person.post(notes, body="a note").status == 201
    feed = f"{code.path}/events"
    age()
    before = [int(cast.root.get(feed, **days).headers["X-Total"]) for days in ({}, LONG_AGO)]
    assert cast.root.delete(f"/users/{cast.inherited.id}").status == 204
    after = [int(cast.root.get(feed, **days).headers["X-Total"]) for days in ({}, LONG_AGO)]
    assert [n - m for n, m in zip(before, after, strict=True)] == [1, 1]
    assert cast.root.delete(f"/users/{cast.reporter.id}", hard_delete=True).status == 204
    for days in ({}, LONG_AGO):
        told = cast.root.get(feed, per_page=100, **days)
        assert int(told.headers["X-Total"]) == len(told.json)


@pytest.mark.commits
def test_changes_at_once_leave_exact_totals(cast):
    root, issues = cast.root, f"/projects/{cast.public.id}/issues"
    iids = [root.post(issues, title=f"{n}").json["iid"] for n in range(2)]

    async def change(n):
        issue = f"{issues}/{iids[n % 2]}"
        written = await asyncio.gather(
            *(root.exchange("POST", f"{issue}/notes", params={"body": f"{n}"}) for _ in range(3)),
            root.exchange("PUT", issue, params={"confidential": n % 3 == 0}),
        )
        note = written[0].json["id"]
        await asyncio.gather(
            root.exchange("DELETE", f"{issue}/notes/{note}"),
            root.exchange("PUT", issue, params={"confidential": n % 3 == 1}),
        )

    async def at_once():
        await asyncio.gather(*(change(n) for n in range(12)))

    root.loop.run_until_complete(at_once())
    feeds = [f"/projects/{cast.public.id}/events?per_page=100&target_type={kind}" for kind in ("note", "issue")]
    for person in (root, cast.stranger):
        for feed in feeds:
            told = person.get(feed)
            assert int(told.headers["X-Total"]) == len(told.json)
            # The last changes may have made both issues confidential.
            assert told.json or person is cast.stranger
    root.delete(f"{issues}/{iids[0]}")
    assert root.get(feeds[0]).headers["X-Total"] == str(len(root.get(feeds[0]).json))


def test_a_far_page_is_the_same_from_either_end(cast):
    notes = f"/projects/{cast.private.id}/issues/{cast.open}/notes"
    for n in range(6):
        cast.guest.post(notes, body=f"{n}")
    feed = f"/projects/{cast.private.id}/events"
    for sort in ("asc", "desc"):
        whole = cast.developer.get(feed, sort=sort, per_page=100).json
        pages = [cast.developer.get(feed, sort=sort, per_page=3, page=n).json for n in range(1, len(whole) // 3 + 3)]
        assert [event for page in pages for event in page] == whole


@pytest.mark.commits
def test_pages_of_a_feed_follow_each_other_whatever_changed(cast, database, monkeypatch, age):
    monkeypatch.setattr(paging, "_FAR", 0)
    project = f"/projects/{cast.internal.id}"
    notes = f"{project}/issues/{cast.open}/notes"
    written = [cast.guest.post(notes, body=f"{n}").json["id"] for n in range(12)]
    feed, member = f"{project}/events", f"{project}/members/{cast.developer.id}"
    age()
    for change in (
        lambda: cast.developer.get(feed),
        lambda: cast.guest.post(notes, body="new"),
        lambda: cast.owner.delete(f"{notes}/{written[4]}"),
        lambda: cast.owner.put(f"{project}/issues/{cast.confidential}", confidential=False),
        lambda: cast.owner.put(member, access_level=10),
        lambda: cast.owner.put(member, access_level=30),
        lambda: cast.owner.put(project, issues_enabled=False),
        lambda: cast.owner.put(project, issues_enabled=True),
        lambda: cast.root.delete(f"/users/{cast.guest.id}"),
    ):
        assert change().status < 300
        for who, sort in ((cast.developer, "desc"), (cast.root, "asc"), (cast.stranger, "desc")):
            whole = who.get(feed, sort=sort, per_page=100).json
            for number in (3, 4, 3, 2, 5, 1):
                told = who.get(feed, sort=sort, per_page=3, page=number)
                assert told.json == whole[(number - 1) * 3 : number * 3]
                assert told.headers["X-Total"] == str(len(whole))
