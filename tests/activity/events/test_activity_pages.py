"""The pages and Atom feeds of contributions."""

import re
from dataclasses import replace
from xml.etree import ElementTree as ET

from mujina.activity.events import walks
from mujina.kernel.http.requests.log import record_of

ATOM = "{http://www.w3.org/2005/Atom}"


def test_activity_tells_readers_what_they_may_see(browse, cast):
    here = f"/projects/{cast.private.id}"
    cast.developer.post(f"{here}/issues/{cast.open}/notes", body="Have you tried\nturning it <off>?")
    cast.developer.post(f"{here}/issues/{cast.confidential}/notes", body="qxqsecret")
    cast.developer.put(f"{here}/issues/{cast.open}", state_event="close")
    cast.developer.post(f"{here}/milestones", title="First light")
    place = f"/{cast.private.path}/activity"
    guest, developer = browse("guest"), browse("developer")
    page = guest.open(place).text
    for words in ("commented on issue", "Have you tried turning it &lt;off&gt;?", "closed issue", "First light"):
        assert words in page, words
    assert "qxqsecret" not in page
    assert "qxqsecret" in developer.open(place).text
    for address in (f"/groups/{cast.team.path}/-/activity", "/dashboard/activity"):
        assert "qxqsecret" in developer.open(address).text
        page = guest.open(address).text
        assert "closed issue" in page
        assert "qxqsecret" not in page
    page = developer.open(place, action="commented").text
    assert ("qxqsecret" in page, "First light" in page) == (True, False)
    older = developer.open(place, per_page=1).text
    assert "Older" in older
    assert "Newer" in developer.open(place, per_page=1, page=2).text
    assert "No activity to show." in developer.open(place, page=999).text
    assert browse("stranger").open(place).status == 404


def test_feeds_of_many_projects_are_in_order_on_every_page(browse, cast, monkeypatch):
    for n in range(9):
        place = (cast.private, cast.internal, cast.public)[n * n % 3 if n < 5 else 0]
        assert cast.developer.post(f"/projects/{place.id}/issues/{cast.open}/notes", body=f"word {n};").status == 201
    developer = browse("developer")
    for address, merged in (
        (f"/groups/{cast.company.path}/-/activity", 1_000), ("/dashboard/activity", 1_000), ("/dashboard/activity", 0),
    ):  # fmt: skip
        monkeypatch.setattr(walks, "MAX_MERGED", merged)
        pages = [developer.open(address, per_page=2, page=n, action="commented").text for n in range(1, 6)]
        told = [int(n) for page in pages for n in re.findall(r"word (\d);", page)]
        assert told == [8, 7, 6, 5, 4, 3, 2, 1, 0]


def entries(answer):
    assert answer.headers["Content-Type"].startswith("application/atom+xml")
    feed = ET.fromstring(answer.text)
    for required in ("id", "title", "updated"):
        assert feed.findtext(f"{ATOM}{required}")
    found = feed.findall(f"{ATOM}entry")
    assert len({entry.findtext(f"{ATOM}id") for entry in found}) == len(found) <= 20
    return [f"{entry.findtext(f'{ATOM}title')} {entry.findtext(f'{ATOM}content')}" for entry in found]


def token_of(visitor):
    page = visitor.open("/profile/preferences").text
    return page.split('id="feed-token" value="')[1].split('"')[0]


def logged_user(visitor, path, **query):
    """The user that the access log names for a request."""
    users = []

    async def watched(scope, receive, send):
        await visitor.client.app(scope, receive, send)
        users.append(record_of(scope).user)

    replace(visitor, client=replace(visitor.client, app=watched)).open(path, **query)
    return users[0]


def test_feeds_open_with_a_token_that_opens_nothing_else(browse, cast):
    issues = f"/projects/{cast.private.id}/issues"
    cast.developer.post(issues, title="qxqsecret \x0b]]> <b>", confidential=True)
    assert cast.developer.put(f"{issues}/{cast.open}", assignee_ids=[cast.guest.id]).status == 200
    developer, guest, anonymous = browse("developer"), browse("guest"), browse("anonymous")
    feeds = [
        f"/{cast.private.path}.atom", f"/{cast.team.path}.atom", f"/{cast.developer.username}.atom",
        "/dashboard/projects.atom", f"/{cast.private.path}/issues.atom", f"/groups/{cast.team.path}/-/issues.atom",
    ]  # fmt: skip
    token = token_of(developer)
    for feed in feeds:
        secret = ["qxqsecret" in entry for entry in entries(anonymous.open(feed, feed_token=token))]
        assert any(secret), feed
        assert entries(developer.open(feed)) == entries(anonymous.open(feed, rss_token=token))
        assert not [entry for entry in entries(anonymous.open(feed, rss_token=token_of(guest))) if "qxqsecret" in entry]
        assert token not in anonymous.open(feed, rss_token=token).text
    assert "Open" in " ".join(entries(anonymous.open("/dashboard/issues.atom", rss_token=token_of(guest))))
    assert logged_user(anonymous, feeds[0], rss_token=token) == cast.developer.username
    answer = anonymous.send(f"{feeds[0]}?feed_token={token}")
    assert (answer.status, answer.headers["Location"]) == (303, "/users/sign_in?target=/")
    for page in ("/profile", f"/{cast.private.path}", f"/{cast.private.path}/raw/master/x.atom"):
        assert anonymous.open(page, feed_token=token).status == 302, page
    assert cast.anonymous.get(f"/projects/{cast.private.id}", feed_token=token).status == 404
    developer.open("/profile/preferences")
    assert developer.send("/profile/preferences/reset_feed_token").status == 303
    assert anonymous.open(feeds[0], rss_token=token).status == 302
    assert entries(anonymous.open(feeds[0], rss_token=token_of(developer)))
    for wrong in ("", "1", f"{cast.developer.id}-", "x-y", f"{'9' * 30}-x"):
        assert anonymous.open("/dashboard/projects.atom", rss_token=wrong).status == 302
    assert entries(anonymous.open(f"/{cast.public.path}.atom"))
