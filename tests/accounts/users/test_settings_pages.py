"""The pages of an account: preferences, username, deletion, GPG keys, notifications, the sign-in log."""

import re

from tests.harness.creation import make_group


def test_a_user_chooses_a_theme_and_turns_shortcuts_off(browse, cast):
    guest = browse("guest")
    assert "data-theme" not in guest.open("/profile/preferences").text
    chosen = {"theme": "dark", "keyboard_shortcuts": "false"}
    assert guest.send("/profile/preferences", preferences=chosen).status == 303
    page = guest.open("/profile/preferences").text
    assert '<html lang="en" data-theme="dark">' in page
    assert re.search('<body[^>]* data-shortcuts="off">', page)
    assert cast.guest.get("/user").json["theme_id"] == 2
    assert guest.send("/profile/preferences", preferences={"theme": "pink"}).status == 422
    assert guest.send("/profile/preferences", preferences={"start_page": "moon"}).status == 422
    assert (
        guest.send("/profile/preferences", preferences={"start_page": "todos", "project_view": "readme"}).status == 303
    )
    assert guest.open("/").headers["Location"] == "/dashboard/todos"
    assert guest.open(f"/{cast.public.path}").status == 200
    assert guest.send("/profile/preferences", preferences={"project_view": "activity"}).status == 303
    line = f"/{cast.public.path}/issues/{cast.open}"
    page = guest.open(f"/{cast.public.path}").text
    assert (f'<a href="{line}">' in page, "Nothing has been pushed yet." in page) == (True, True)
    assert line not in browse("stranger").open(f"/{cast.public.path}").text
    assert guest.send("/profile/preferences", preferences={"theme": "auto", "keyboard_shortcuts": "true"}).status == 303
    page = guest.open("/profile").text
    assert ("data-theme" in page, "data-shortcuts" in page) == (False, False)


def test_a_user_shows_an_address_and_private_contributions(browse, cast):
    guest, stranger = browse("guest"), browse("stranger")
    cast.guest.post(f"/projects/{cast.private.id}/issues", title="Hidden from strangers")
    address = cast.guest.get("/user").json["email"]
    cast.guest.post("/user/emails", email="unconfirmed@example.org")
    page = guest.open("/profile").text
    assert (f'value="{address}"' in page, "unconfirmed@example.org" in page) == (True, False)
    visible = contributions(stranger, cast.guest)
    assert visible < contributions(guest, cast.guest)
    for email in ("unconfirmed@example.org", "root@example.org"):
        refused = guest.send("/profile", user={"name": "Other", "public_email": email})
        assert (refused.status, 'id="user_public_email-problem"' in refused.text) == (422, True), email
    assert cast.guest.get("/user").json["name"] != "Other"
    shown = {"public_email": address, "private_contributions": "true"}
    assert guest.send("/profile", user={"name": "Guest", **shown}).status == 303
    page = stranger.open(f"/{cast.guest.username}").text
    assert (address in page, "Hidden from strangers" in page) == (True, False)
    assert contributions(stranger, cast.guest) == contributions(guest, cast.guest)
    assert address not in browse("anonymous").open(f"/{cast.guest.username}").text
    assert guest.send("/profile", user={"public_email": "", "private_contributions": "false"}).status == 303
    assert address not in stranger.open(f"/{cast.guest.username}").text
    assert contributions(stranger, cast.guest) == visible


def contributions(browser, person):
    """How many the page of this person counts."""
    return int(re.search(r"<h2>(\d+) contributions? in the last year", browser.open(f"/{person.username}").text)[1])


def test_notification_levels_are_chosen_for_everything_and_for_single_places(browse, cast):
    guest = browse("guest")
    page = guest.open("/profile/notifications").text
    assert cast.private.path in page
    custom = {"level": "custom", "new_note": "true", "new_issue": "false"}
    assert guest.send("/profile/notifications", notifications=custom).status == 303
    found = cast.guest.get("/notification_settings").json
    assert (found["level"], found["events"]["new_note"], found["events"]["new_issue"]) == ("custom", True, False)
    assert guest.send("/profile/notifications", notifications={"notification_email": "x@else.org"}).status == 422
    assert guest.send(f"/profile/notifications/project/{cast.private.id}", level="watch").status == 303
    assert cast.guest.get(f"/projects/{cast.private.id}/notification_settings").json["level"] == "watch"
    hidden = make_group(cast.owner, "band", name="Band", visibility="private")
    assert guest.send(f"/profile/notifications/group/{hidden['id']}", level="watch").status == 404
    assert guest.send(f"/profile/notifications/planet/{cast.private.id}", level="watch").status == 404
    # What the user may no longer read is not named, though a level is stored.
    cast.owner.delete(f"/projects/{cast.private.id}/members/{cast.guest.id}")
    assert cast.private.path not in guest.open("/profile/notifications").text


def test_the_log_shows_sign_ins_and_changes_of_security(browse, cast):
    guest = browse("guest")
    cast.guest.post("/user/emails", email="second@example.org")
    page = guest.open("/profile/audit_log").text
    assert ("Signed in" in page, "127.0.0.1" in page, "Email address added" in page) == (True, True, True)
    assert "Email address added" not in browse("stranger").open("/profile/audit_log").text


def test_an_account_that_an_administrator_changes_has_the_entry_in_its_own_log(browse, cast):
    changed = cast.root.put(f"/users/{cast.guest.id}", password="another horse battery")
    cast.run("UPDATE users SET password_expires_at = NULL WHERE id = :id", id=cast.guest.id)
    logs = [browse(name).open("/profile/audit_log").text for name in ("root", "guest")]
    assert (changed.status, ["Password changed" in log for log in logs]) == (200, [False, True])
