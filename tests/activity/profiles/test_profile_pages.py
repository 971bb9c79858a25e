"""The page of a user."""

import re


def contributions(page):
    return int(re.search(r"<h2>([0-9,]+) contributions? in the last year", page)[1])


def test_a_profile_counts_and_lists_what_its_reader_may_see(browse, cast):
    place = f"/{cast.developer.username}"
    cast.developer.post(f"/projects/{cast.private.id}/issues", title="qxqsecret", confidential=True)
    cast.developer.post("/projects", name="Workbench", visibility="private")
    cast.developer.post("/projects", name="Shop window", visibility="public")
    cast.developer.post("/snippets", title="Trick", file_name="a.py", content="x", visibility="public")
    cast.developer.post("/snippets", title="Hidden trick", file_name="a.py", content="x", visibility="private")
    own, guest, anonymous = (browse(name) for name in ("developer", "guest", "anonymous"))
    seen = [contributions(visitor.open(place).text) for visitor in (own, guest, anonymous)]
    assert seen[0] > seen[1] > seen[2] >= 1
    assert "qxqsecret" in own.open(place).text
    assert not any("qxqsecret" in visitor.open(place).text for visitor in (guest, anonymous))
    below = f"/users{place}"
    expected = {
        "projects": ("Shop window", "Workbench"), "contributed": ("Shop window", "Workbench"),
        "snippets": ("Trick", "Hidden trick"),
    }  # fmt: skip
    for tab, (shown, hidden) in expected.items():
        assert [text in own.open(f"{below}/{tab}").text for text in (shown, hidden)] == [True, True], tab
        assert [text in guest.open(f"{below}/{tab}").text for text in (shown, hidden)] == [True, False], tab
    assert "No groups to show." in own.open(f"{below}/groups").text
    cast.developer.post("/groups", name="Band", path="band", visibility="private")
    assert ["Band" in visitor.open(f"{below}/groups").text for visitor in (own, guest, anonymous)] == [
        True,
        False,
        False,
    ]
    today = own.open(f"{below}/calendar", date=own.call("GET", "/user").json["created_at"][:10]).text
    assert "Show" in today
    for wrong in ("9999-12-31", "0001-01-01"):
        assert "No contributions to show on this day." in own.open(f"{below}/calendar", date=wrong).text
    assert anonymous.open(f"/u{place}").headers["Location"] == place
    assert anonymous.open("/nobody-here").status == 302
    assert own.open("/users/nobody-here/groups").status == 404


def test_the_profile_of_a_blocked_user_shows_only_the_name(browse, cast):
    place = f"/{cast.blocked.username}"
    name = cast.root.get(f"/users/{cast.blocked.id}").json["name"]
    page = browse("guest").open(place).text
    assert (name in page, "This user is blocked." in page, f"@{cast.blocked.username}" in page) == (True, True, False)
    assert "contributions" not in page
    assert browse("anonymous").open(place).status == 302
    assert browse("guest").open(f"{place}.atom").status == 404


def test_a_former_username_leads_to_those_whose_page_its_visitor_may_see(browse, cast):
    for person, now in ((cast.blocked, "badger"), (cast.guest, "weasel")):
        assert cast.root.put(f"/users/{person.id}", username=now).status == 200
    reader, anonymous = browse("reporter"), browse("anonymous")
    hidden, shown = f"/{cast.blocked.username}", f"/{cast.guest.username}"
    assert [reader.open(path).headers["Location"] for path in (hidden, shown)] == ["/badger", "/weasel"]
    sign_in = "/users/sign_in?target="
    assert [anonymous.open(path).headers["Location"] for path in (hidden, shown)] == [sign_in + hidden, "/weasel"]
    assert cast.root.put("/application/settings", restricted_visibility_levels=["public"]).status == 200
    assert anonymous.open(shown).headers["Location"] == sign_in + shown


def test_the_status_of_a_user_is_shown_until_it_ends(browse, cast):
    cast.developer.put("/user/status", emoji="palm_tree", message="Away <b>until</b> Monday", availability="busy")
    page = browse("guest").open("/developer").text
    assert all(text in page for text in ("\N{PALM TREE}", "Away &lt;b&gt;until&lt;/b&gt; Monday", "Busy"))
    cast.run("UPDATE user_statuses SET clear_at = '2018-01-01T00:00:00.000Z'")
    assert "Away" not in browse("guest").open("/developer").text
