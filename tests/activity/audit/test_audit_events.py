"""The audit log: what is in it, who reads it, and what outlives its subject."""

import pytest

from tests.harness.cases import Case, cases
from tests.harness.client import Raw
from tests.harness.creation import make_group, make_project
from tests.harness.public_keys import ssh_key

PROJECT, GROUP = "/projects/{private.id}/audit_events", "/groups/{team.id}/audit_events"


@cases([
    Case("anonymous", "GET /audit_events", 401),
    Case("owner", "GET /audit_events", 403),
    Case("root", "GET /audit_events?entity_type=Project&created_before=2001-01-01", 200, []),
    Case("root", "GET /audit_events?entity_type=odd", 400, {"error": "entity_type does not have a valid value"}),
    Case("root", "GET /audit_events?created_after=never", 400, {"error": "created_after is invalid"}),
    Case("root", "GET /audit_events/0", 404, {"message": "404 Audit Event Not Found"}),
    Case("stranger", f"GET {PROJECT}", 404, {"message": "404 Project Not Found"}),
    Case("master", f"GET {PROJECT}", 403),
    Case("inherited", f"GET {GROUP}", 403),
    Case("owner", f"GET {PROJECT}?created_before=2001-01-01", 200, [], statements=5),
    Case("owner", f"GET {GROUP}?created_before=2001-01-01", 200, []),
])  # fmt: skip
def test_only_owners_and_administrators_read_the_log(case, cast):
    case.holds(cast)


@pytest.fixture
def log(cast):
    """The entries of an entity since the test began, oldest first: what was done, and to what."""
    newest = max((each["id"] for each in cast.root.get("/audit_events").json), default=0)

    def read(entity_type, entity_id, who=cast.root, path="/audit_events"):
        query = {"entity_type": entity_type, "entity_id": entity_id} if path == "/audit_events" else {}
        found = who.get(path, per_page=100, **query).json
        assert all((each["entity_type"], each["entity_id"]) == (entity_type, entity_id) for each in found)
        return [each for each in reversed(found) if each["id"] > newest]

    return read


def done(entries):
    """What each entry says was done."""
    names = ("add", "remove", "change", "custom_message", "as", "from", "to", "with")
    return [
        (
            *(value for name in names if (value := each["details"].get(name, "")) != ""),
            each["details"]["target_details"],
        )
        for each in entries
    ]


def test_a_project_logs_who_gets_access(cast, log):
    here, owner = f"/projects/{cast.private.id}", cast.owner
    owner.post(f"{here}/members", user_id=cast.stranger.id, access_level=30)
    owner.put(f"{here}/members/{cast.stranger.id}", access_level=40)
    owner.delete(f"{here}/members/{cast.stranger.id}")
    key = owner.post(f"{here}/deploy_keys", title="Robot", key=ssh_key("two"), can_push=True).json["id"]
    owner.delete(f"{here}/deploy_keys/{key}")
    club = make_group(cast.root, "club", name="Club", visibility="public")["id"]
    owner.post(f"{here}/share", group_id=club, group_access=20)
    entries = log("Project", cast.private.id, owner, f"{here}/audit_events")
    assert done(entries) == [
        ("user_access", "Developer", "stranger"),
        ("access_level", "Developer", "Master", "stranger"),
        ("user_access", "Master", "stranger"),
        ("deploy_key", "Robot"),
        ("deploy_key", "Robot"),
        ("group_access", "Reporter", "club"),
    ]
    assert {each["author_id"] for each in entries} == {owner.id}


def test_a_group_logs_the_groups_it_is_shared_with(cast, log):
    here, owner = f"/groups/{cast.team.id}", cast.owner
    club = make_group(cast.root, "club", name="Club", visibility="public")["id"]
    owner.post(f"{here}/share", group_id=club, group_access=20)
    owner.delete(f"{here}/share/{club}")
    entries = log("Group", cast.team.id, owner, f"{here}/audit_events")
    assert done(entries) == [("group_access", "Reporter", "club"), ("group_access", "club")]


def test_a_project_logs_its_settings_and_what_protects_it(cast, log):
    here, owner = f"/projects/{cast.private.id}", cast.owner
    owner.put(here, visibility="internal", issues_enabled=True, description="New")
    owner.put(here, path="renamed")
    hook = owner.post(f"{here}/hooks", url="https://u:p4ssw0rd@example.org/", token="s3cret-token").json["id"]
    owner.put(f"{here}/hooks/{hook}", url="https://example.org/other", issues_events=True, token="other-token")
    owner.put(f"{here}/hooks/{hook}", url="https://example.org/other", issues_events=True)
    owner.delete(f"{here}/hooks/{hook}")
    owner.post(f"{here}/protected_branches", name="stable", push_access_level=0)
    owner.delete(f"{here}/protected_branches/stable")
    owner.post(f"{here}/push_rule", max_file_size=5)
    owner.post(f"{here}/archive")
    path, renamed = cast.private.path, f"{cast.team.path}/renamed"
    assert done(log("Project", cast.private.id, owner, f"{here}/audit_events")) == [
        ("description", None, "New", path),
        ("visibility", "private", "internal", path),
        ("path", "private", "renamed", renamed),
        ("path_with_namespace", path, renamed, renamed),
        ("hook", {"push_events": True}, ""),
        ("issues_events", False, True, ""),
        ("url", "[REDACTED]", "[REDACTED], changed", ""),
        ("token", "[REDACTED]", "[REDACTED]", ""),
        ("hook", ""),
        ("protected_branch", {"push_access_levels": ["level 0"], "merge_access_levels": ["level 40"]}, "stable"),
        ("protected_branch", "stable"),
        ("push_rule", {"max_file_size": 5}, ""),
        ("project archived", renamed),
    ]


def test_an_entry_says_who_did_it_from_where_and_is_found_in_its_entity_alone(cast, log):
    here, owner = f"/projects/{cast.private.id}", cast.owner
    owner.post(f"{here}/members", user_id=cast.stranger.id, access_level=30)
    owner.delete(f"{here}/members/{cast.stranger.id}")
    entries = log("Project", cast.private.id, owner, f"{here}/audit_events")
    first = entries[0]["details"]
    assert (first["author_name"], first["ip_address"], first["event_name"]) == ("Owner", "127.0.0.1", "member.added")
    target = (first["target_type"], first["target_id"], first["entity_path"])
    assert target == ("User", cast.stranger.id, cast.private.path)
    assert set(entries[0]) == {"id", "author_id", "entity_id", "entity_type", "details", "created_at"}
    shown = owner.get(f"{here}/audit_events/{entries[0]['id']}")
    assert shown.json == entries[0]
    assert owner.get(f"/groups/{cast.team.id}/audit_events/{entries[0]['id']}").status == 404
    pages = [owner.get(f"{here}/audit_events", per_page=1, page=page) for page in (1, 2)]
    assert [page.json[0]["id"] for page in pages] == [entries[-1]["id"], entries[-2]["id"]]
    after = owner.get(f"{here}/audit_events", created_after="2999-01-01")
    assert (after.json, after.headers["X-Total"]) == ([], "0")


def test_a_group_and_a_user_log_what_changes_their_access(cast, log):
    here, root = f"/groups/{cast.team.id}", cast.root
    cast.owner.post(f"{here}/members", user_id=cast.stranger.id, access_level=20)
    cast.owner.put(here, description="A team")
    root.put(here, shared_runners_minutes_limit=7)
    assert done(log("Group", cast.team.id, cast.owner, f"{here}/audit_events")) == [
        ("user_access", "Reporter", "stranger"),
        ("description", "A team", cast.team.path),
    ]
    assert ("shared_runners_minutes_limit", None, 7, cast.team.path) in done(log("Instance", 1))
    user = cast.stranger
    token = root.post(f"/users/{user.id}/impersonation_tokens", name="Robot", scopes=["api"]).json["token"]
    key = user.post("/user/keys", title="Laptop", key=ssh_key("one")).json["id"]
    user.delete(f"/user/keys/{key}")
    root.put(f"/users/{user.id}", admin=True, bio="Nobody")
    root.put(f"/users/{user.id}", admin=False)
    root.post(f"/users/{user.id}/block")
    root.put(f"/users/{user.id}", password="a-new-pa55word")
    entries = log("User", user.id)
    assert done(entries) == [
        ("impersonation_token", "Robot"),
        ("key", "Laptop"),
        ("key", "Laptop"),
        ("admin", False, True, "stranger"),
        ("admin", True, False, "stranger"),
        ("user blocked", "stranger"),
        ("user password changed", "stranger"),
    ]
    assert token not in str(entries)
    assert [each["author_id"] for each in entries[:2]] == [root.id, user.id]
    root.put("/application/settings", signup_enabled=True, max_attachment_size=11)
    assert done(log("Instance", 1))[-2:] == [("signup_enabled", False, True, ""), ("max_attachment_size", 10, 11, "")]


def test_the_instance_logs_messages_and_custom_attributes(cast, log):
    root = cast.root
    message = root.post(
        "/broadcast_messages", message="Down at noon", starts_at="2030-01-01", ends_at="2030-01-02"
    ).json
    root.put(f"/broadcast_messages/{message['id']}", message="Down at one")
    root.delete(f"/broadcast_messages/{message['id']}")
    places = [f"/users/{cast.guest.id}", f"/groups/{cast.team.id}", f"/projects/{cast.private.id}"]
    for place in places:
        for value in ("red", "red", "blue"):
            assert root.put(f"{place}/custom_attributes/bio", value=value).status == 200
        root.delete(f"{place}/custom_attributes/bio")
    root.put(f"{places[0]}/custom_attributes/token", value="s3cret-of-a-robot")
    period = {"starts_at": "2030-01-01T00:00:00.000Z", "ends_at": "2030-01-02T00:00:00.000Z"}
    named = [(path, change) for path in ("guest", cast.team.path, cast.private.path) for change in (
        (None, "red"), ("red", "blue"), ("blue", None),
    )]  # fmt: skip
    entries = log("Instance", 1)
    assert done(entries) == [
        ("broadcast_message", period, "Down at noon"),
        ("message", "Down at noon", "Down at one", "Down at one"),
        ("broadcast_message", "Down at one"),
        *(("custom_attributes[bio]", *change, path) for path, change in named),
        ("custom_attributes[token]", None, "[REDACTED]", "guest"),
    ]
    assert {each["details"]["target_type"] for each in entries} == {"BroadcastMessage", "User", "Group", "Project"}
    assert log("Project", cast.private.id, cast.owner, f"{places[2]}/audit_events") == [], (
        "owners do not see attributes"
    )


def test_an_entry_outlives_its_subject_and_its_author(cast, log):
    person = cast.developer
    project = make_project(person, "Short")["id"]
    person.put(f"/projects/{project}", visibility="public")
    sudo = Raw(headers={"Sudo": person.username})
    cast.root.put(f"/projects/{project}", sudo, name="Renamed")
    assert cast.root.delete(f"/users/{person.id}").status == 204
    entries = log("Project", project)
    assert [each["details"].get("change") for each in entries] == [None, "visibility", "name", None]
    assert [each["author_id"] for each in entries] == [person.id, person.id, person.id, -1]
    assert entries[2]["details"]["impersonator_id"] == cast.root.id
    assert entries[1]["details"]["author_username"] == "developer"
    assert done(log("User", person.id))[-1] == ("user", "developer")
