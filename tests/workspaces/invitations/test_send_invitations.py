"""POST, GET, PUT and DELETE of /groups/:id/invitations and /projects/:id/invitations."""

from tests.harness.cases import Case, Has, cases
from tests.workspaces.members.sources import at, both

PROJECT, GROUP = "POST /projects/{private.id}/invitations", "POST /groups/{team.id}/invitations"
NEW = {"email": "new@example.org", "access_level": 30}
SENT = {"status": "success"}


@cases([
    Case("anonymous", PROJECT, 401, params=NEW),
    Case("stranger", PROJECT, 404, {"message": "404 Project Not Found"}, NEW),
    Case("developer", PROJECT, 403, {"message": "403 Forbidden"}, NEW, events=[]),
    Case("inherited", GROUP, 403, {"message": "403 Forbidden"}, NEW, events=[]),
    Case("master", PROJECT, 201, SENT, NEW, events=["invitation.created"]),
    Case("owner", GROUP, 201, SENT, NEW, events=["invitation.created"]),
    Case("master", PROJECT, 400, Has(error="access_level is missing"), {"email": "new@example.org"}),
    Case("master", PROJECT, 400, Has(error="email, user_id are missing, at least one parameter must be provided"),
         {"access_level": 30}),
    Case("master", PROJECT, 400, Has(error="email, user_id are missing, at least one parameter must be provided"),
         {"email": [], "access_level": 30}),
    Case("master", PROJECT, 400, Has(message={"access_level": ["is not included in the list"]}),
         {**NEW, "access_level": 50}, events=[]),
    Case("owner", PROJECT, 400, Has(message={"expires_at": ["must be a date in the future"]}), {**NEW, "expires_at": "2001-01-01"}),
])  # fmt: skip
def test_inviting_requires_permission_and_valid_parameters(case, cast):
    case.holds(cast)


@both
def test_several_addresses_are_invited_at_once(cast, inbox, place):
    here = at(cast, place)
    known = f"{cast.stranger.username}@example.org"
    answer = cast.owner.post(
        f"{here}/invitations", email=f"One@example.org, two@example.org,{known},no address", user_id=cast.guest.id,
        access_level=20, expires_at="2999-01-01",
    )  # fmt: skip
    assert (answer.status, answer.json) == (201, {"status": "error", "message": {"no address": "Email is invalid"}})
    # The users who have an account are members at once.
    members = {each["id"]: each["expires_at"] for each in cast.owner.get(f"{here}/members").json}
    assert (members[cast.stranger.id], members[cast.guest.id]) == ("2999-01-01", "2999-01-01")
    found = cast.owner.get(f"{here}/invitations")
    assert [each["invite_email"] for each in found.json] == ["one@example.org", "two@example.org"]
    assert found.headers["X-Total"] == "2"
    assert found.json[0] == {
        **found.json[0], "access_level": 20, "expires_at": "2999-01-01", "created_by_name": found.json[0]["created_by_name"],
        "user_name": None,
    }  # fmt: skip
    assert [each["invite_email"] for each in cast.owner.get(f"{here}/invitations", query="two@").json] == [
        "two@example.org"
    ]
    assert [len(inbox.to(f"{name}@example.org")) for name in ("one", "two", cast.stranger.username)] == [1, 1, 0]
    again = cast.owner.post(
        f"{here}/invitations", email=f"ONE@example.org,{known}", user_id=999999, access_level=20
    ).json
    assert again["message"] == {
        "ONE@example.org": "Invite email has already been taken",
        known: "Member already exists",
        "999999": "User can't be blank",
    }
    many = ",".join(f"a{number}@example.org" for number in range(101))
    assert cast.owner.post(f"{here}/invitations", email=many, access_level=20).status == 400


@both
def test_an_invitation_is_changed_and_withdrawn(cast, inbox, place):
    here = at(cast, place)
    cast.owner.post(f"{here}/invitations", email="one@example.org", access_level=20)
    one = f"{here}/invitations/One%40example.org"
    assert cast.owner.put(one).status == 400
    assert cast.owner.put(one, access_level=15).status == 400
    changed = cast.owner.put(one, access_level=30, expires_at="2999-01-01")
    assert (changed.status, changed.json["access_level"], changed.json["expires_at"]) == (200, 30, "2999-01-01")
    assert cast.owner.put(one, expires_at="").json["expires_at"] is None
    for verb in ("GET", "PUT", "DELETE"):
        asked = f"{here}/invitations" if verb == "GET" else one
        assert cast.stranger.ask(verb, asked, params={} if verb == "DELETE" else {"access_level": 40}).status == 403
    assert cast.owner.delete(one).status == 204
    assert cast.owner.delete(one).status == cast.owner.put(one, access_level=20).status == 404
    assert cast.owner.get(f"{here}/invitations").json == []
    assert cast.events()[-4:] == [
        "invitation.created",
        "invitation.updated",
        "invitation.updated",
        "invitation.withdrawn",
    ]
    log = cast.owner.get(f"{here}/audit_events").json
    assert {each["details"]["target_details"] for each in log if each["details"]["target_type"] == "Invitation"} == {
        "one@example.org"
    }


def test_a_locked_group_and_a_flood_of_mail_are_refused(cast, inbox, loop, database):
    here = f"/projects/{cast.private.id}/invitations"
    for number in range(2):
        names = ",".join(f"a{number}-{each}@example.org" for each in range(50))
        assert cast.master.post(here, email=names, access_level=20).json == SENT
    refused = cast.master.post(here, email="last@example.org", access_level=20).json
    assert "within an hour" in refused["message"]["last@example.org"]
    assert cast.owner.post(here, email="last@example.org", access_level=20).json == SENT
    assert [each["invite_email"] for each in cast.owner.get(here, query="last@").json] == ["last@example.org"]
    assert len(cast.owner.get(here, page=6).json) == 1
    # Withdrawing and sending again is no way to mail the same person many times, whatever else happens in between.
    for _ in range(4):
        assert cast.owner.delete(f"{here}/last%40example.org").status == 204
        assert cast.owner.post(here, email="LAST@example.org", access_level=20).json == SENT
    cast.owner.delete(f"{here}/last%40example.org")
    assert cast.owner.post("/user/emails", email="last@example.org").status == 403
    there = f"/groups/{cast.team.id}/invitations"
    refused = cast.owner.post(there, email="last@example.org", access_level=20).json
    assert "to this address within an hour" in refused["message"]["last@example.org"]
    assert cast.owner.post(there, email="first@example.org", access_level=20).json == SENT
    assert len(inbox.to("last@example.org")) == 5
    cast.owner.put(f"/groups/{cast.team.id}", membership_lock=True)
    assert cast.owner.post(here, email="later@example.org", access_level=20).status == 405


def test_nothing_that_users_enter_changes_the_form_of_the_mail(cast, inbox):
    here = f"/projects/{cast.private.id}/invitations"
    cast.root.put(
        f"/users/{cast.owner.id}", name="Owner\n\nPay at once.\u2028-- \nhttps://bank.example/x www.bank.example"
    )
    assert cast.owner.post(here, email="one@example.org", access_level=20).json == SENT
    assert cast.owner.post("/user/emails", email="two@example.org").status == 201
    [invitation], [confirmation] = inbox.to("one@example.org"), inbox.to("two@example.org")
    # Nor is an address in it one that mail programs make a link of.
    name = "Owner Pay at once. -- https: //bank. example/x www. bank. example"
    assert invitation["Subject"].startswith(f"{name} invites you to")
    assert invitation.get_body(("plain",)).get_content().startswith(f"{name} invites you to the project")
    assert confirmation.get_body(("plain",)).get_content().startswith(f"Hello {name},\n")
    # Headers read these as another address, or as several.
    for address in (
        "(c)one@example.org",
        "to:one@example.org",
        "=?utf-8?q?one?=@example.org",
        "a@[127.0.0.1]",
        "a@b\x01c",
    ):
        refused = cast.owner.post(here, email=address, access_level=20).json
        assert refused == {"status": "error", "message": {address: "Email is invalid"}}


def test_links_that_confirm_an_address_are_no_flood_either(sign_up):
    _, browser = sign_up("me@example.org")
    browser.open("/profile/emails")
    said = {"email": "last@example.org", "current_password": "a long password"}
    for _ in range(5):
        assert browser.send("/profile/email", user=said).status == 303
    assert "to this address within an hour" in browser.send("/profile/email", user=said).text
