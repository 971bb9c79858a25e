"""The pages of invitations: the link in the mail, and the list of those that wait for an answer."""

import asyncio
from datetime import timedelta

import pytest

from mujina.kernel import clock
from tests.harness.browsers import browser_of
from tests.harness.client import Raw
from tests.harness.encoding import form_text
from tests.workspaces.members.sources import at, both

NEW = "new@example.org"


@pytest.fixture
def invite(cast):
    def send(here, email=NEW, by=None, **more):
        return (by or cast.owner).post(f"{here}/invitations", email=email, access_level=30, **more)

    return send


@both
def test_an_invited_person_signs_up_and_accepts(cast, inbox, invite, sign_up, browse, place):
    here = at(cast, place)
    cast.owner.put(here, visibility="private")
    invite(here, expires_at="2999-01-01")
    [mail] = inbox.to(NEW)
    assert "invites you to place" in mail["Subject"].lower()
    path = inbox.link(NEW)
    # Whether the link is valid or not, an anonymous visitor signs in first.
    for link in (path, "/invites/unknown"):
        assert browse("anonymous").open(link).headers["Location"] == f"/users/sign_in?target={link}"
    # For anybody else the page names neither the place nor the address.
    stranger = browse("stranger")
    page = stranger.open(path)
    assert (page.status, "invites you" in page.text, NEW in page.text) == (403, False, False)
    assert stranger.send(f"{path}/accept").status == 403
    assert stranger.send(f"{path}/decline").status == 403
    person, browser = sign_up(NEW)
    seen = len(cast.events())
    page = browser.open(path)
    assert (page.status, "Developer" in page.text, "Accept" in page.text, "Decline" in page.text) == (200,) + (
        True,
    ) * 3
    assert cast.events()[seen:] == []
    accepted = browser.send(f"{path}/accept")
    assert accepted.status == 303
    assert browser.open(accepted.headers["Location"]).status == 200
    assert cast.events()[seen:] == ["member.added"]
    member = cast.owner.get(f"{here}/members/{person.id}").json
    assert (member["access_level"], member["expires_at"]) == (30, "2999-01-01")
    assert cast.owner.get(f"{here}/invitations").json == []
    page = browser.open(path)
    assert (page.status, "no longer valid" in page.text, "invites you" in page.text) == (410, True, False)
    browser.open("/")
    assert browser.send(f"{path}/accept").status == 422


def test_an_invitation_is_declined(cast, inbox, invite, sign_up):
    here = f"/projects/{cast.private.id}"
    invite(here)
    _, browser = sign_up(NEW)
    path = inbox.link(NEW)
    browser.open(path)
    assert browser.send(f"{path}/decline").status == 303
    assert cast.events()[-1] == "invitation.declined"
    assert cast.owner.get(f"{here}/invitations").json == []
    assert browser.open(path).status == 410


def test_an_address_counts_once_it_is_confirmed(cast, inbox, invite, sign_up):
    invite(f"/projects/{cast.private.id}")
    _, browser = sign_up("other@example.org")
    path = inbox.link(NEW)
    browser.open("/profile/emails")
    browser.send("/profile/emails", email={"email": NEW})
    assert browser.open(path).status == 403
    cast.run("UPDATE emails SET confirmed_at = :now WHERE email = :email", now=clock.now(), email=NEW)
    assert browser.open(path).status == 200


@pytest.mark.parametrize(
    "reason", ["withdrawn", "expired", "late", "deleted", "demoted", "blocked", "locked", "erased"]
)
def test_a_link_ends_with_what_it_stands_on(cast, inbox, invite, sign_up, reason):
    here = f"/projects/{cast.private.id}"
    invite(here, by=cast.master)
    _, browser = sign_up(NEW)
    path = inbox.link(NEW)
    assert browser.open(path).status == 200
    match reason:
        case "withdrawn":
            cast.owner.delete(f"{here}/invitations/new%40example.org")
        case "expired":
            cast.run("UPDATE invitations SET sent_at = '2001-01-01T00:00:00.000Z'")
        case "late":
            cast.run("UPDATE invitations SET expires_on = :today", today=clock.today())
        case "deleted":
            cast.owner.delete(here)
        case "demoted":
            cast.owner.put(f"{here}/members/{cast.master.id}", access_level=30)
        case "blocked":
            cast.root.post(f"/users/{cast.master.id}/block")
        case "locked":
            cast.owner.put(f"/groups/{cast.team.id}", membership_lock=True)
        case _:
            cast.root.delete(f"/users/{cast.master.id}")
    assert browser.open(path).status == 410
    browser.open("/")
    assert browser.send(f"{path}/accept").status == 422
    # Who changes an invitation answers for it from then on.
    if reason == "demoted":
        assert cast.owner.put(f"{here}/invitations/new%40example.org", access_level=20).status == 200
        assert browser.open(path).status == 200
        assert browser.send(f"{path}/accept").status == 303


def test_accepting_leaves_a_membership_made_meanwhile_as_it_is(cast, inbox, invite, sign_up):
    here = f"/projects/{cast.private.id}"
    invite(here)
    person, browser = sign_up(NEW)
    cast.owner.post(f"{here}/members", user_id=person.id, access_level=40)
    path = inbox.link(NEW)
    browser.open(path)
    assert browser.send(f"{path}/accept").status == 303
    assert cast.owner.get(f"{here}/members/{person.id}").json["access_level"] == 40
    assert cast.owner.get(f"{here}/invitations").json == []


@pytest.mark.commits
def test_accepting_twice_while_the_offer_is_lowered_gives_the_lower_level_once(cast, inbox, invite, sign_up):
    here = f"/projects/{cast.private.id}"
    invite(here)
    person, browser = sign_up(NEW)
    path = inbox.link(NEW)
    browser.open(path)
    headers = {"accept": "text/html", "cookie": f"_service_session={browser.cookie}"}
    body = form_text({"authenticity_token": browser.token}).encode()
    form = Raw(body=body, type="application/x-www-form-urlencoded", headers=headers)

    async def accept_meanwhile():
        async with cast.database.transaction() as tx:
            await tx.run("UPDATE invitations SET level = 10")
            both = [asyncio.ensure_future(browser.client.exchange("POST", f"/{path}/accept", form)) for _ in range(2)]
            await asyncio.sleep(0.2)
        return sorted([(await each).status for each in both])

    assert cast.root.loop.run_until_complete(accept_meanwhile()) == [303, 422]
    assert cast.owner.get(f"{here}/members/{person.id}").json["access_level"] == 10


def test_a_removed_user_leaves_no_invitation_behind(cast, inbox, invite, sign_up):
    here = f"/projects/{cast.private.id}"
    invite(here)
    person, _ = sign_up(NEW)
    assert cast.root.delete(f"/users/{person.id}").status == 204
    assert cast.owner.get(f"{here}/invitations").json == []


@both
def test_those_who_choose_members_see_and_change_what_they_sent(cast, inbox, browse, place):
    here = at(cast, place)
    page = f"/{cast.owner.username}/place/project_members" if place == "projects" else "/groups/place/-/group_members"
    owner, guest = browse("owner"), browse("guest")
    owner.open(page)
    sent = owner.send(page, user=" New@example.org ", access_level=20, expires_at="")
    assert sent.status == 303
    assert owner.send(page, user="new@example.org", access_level=20).status == 409
    assert "is not an email address" in owner.send(page, user="a@b@c", access_level=20).text
    shown = owner.open(page).text
    assert ("Pending invitations" in shown, "new@example.org" in shown) == (True, True)
    shown = guest.open(page).text
    assert ("Pending invitations" in shown, "new@example.org" in shown) == (False, False)
    [invitation] = cast.owner.get(f"{here}/invitations").json
    one = f"{page}/invitations/{invitation['id']}"
    assert guest.send(f"{one}/delete").status == 403
    owner.open(page)
    assert owner.send(one, access_level=40, expires_at="2999-01-01").status == 303
    [invitation] = cast.owner.get(f"{here}/invitations").json
    assert (invitation["access_level"], invitation["expires_at"]) == (40, "2999-01-01")
    assert "a moment ago" in owner.send(f"{one}/resend").text
    first = inbox.link("new@example.org")
    cast.run("UPDATE invitations SET sent_at = :at", at=clock.later(-timedelta(hours=1)))
    owner.open(page)
    assert owner.send(f"{one}/resend").status == 303
    assert inbox.link("new@example.org") != first
    assert len(inbox.to("new@example.org")) == 2
    assert browser_of(cast.stranger, cast.database, cast.anonymous).open(first).status == 410
    assert owner.send(f"{one}/delete").status == 303
    assert owner.send(f"{one}/delete").status == 404
