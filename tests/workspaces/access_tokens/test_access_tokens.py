"""Access tokens of projects and groups, and their bots."""

import re

import pytest

from tests.accounts.credentials.test_rotate_tokens import person_with
from tests.harness.public_keys import gpg_key, ssh_key
from tests.workspaces.deploy_tokens.test_deploy_tokens import refs


@pytest.fixture
def tokens(cast):
    return f"/projects/{cast.private.id}/access_tokens"


@pytest.fixture
def made(cast, tokens):
    answer = cast.master.post(tokens, name="Builder", scopes=["api"], access_level=30, expires_at="2999-01-01")
    assert answer.status == 201, answer
    return answer.json


@pytest.fixture
def bot(cast, made):
    return person_with(cast.guest, made["token"])


def test_a_bot_may_do_what_its_role_allows(cast, bot, made, tokens):
    assert (made["access_level"], made["expires_at"], made["active"]) == (30, "2999-01-01", True)
    me = bot.get("/user").json
    assert re.fullmatch(rf"project_{cast.private.id}_bot_\w+", me["username"])
    assert (me["id"], me["name"]) == (made["user_id"], "Builder")
    commit = bot.post(
        f"/projects/{cast.private.id}/repository/commits", branch="topic", commit_message="x",
        actions=[{"action": "create", "file_path": "a", "content": "x"}],
    )  # fmt: skip
    assert commit.status in (201, 400), commit  # a developer may not start an empty repository everywhere
    assert bot.post(f"/projects/{cast.private.id}/issues", title="Made by a bot").status == 201
    assert bot.post(f"/projects/{cast.private.id}/members", user_id=cast.stranger.id, access_level=10).status == 403
    assert bot.get("/application/settings").status == 403
    assert bot.get(f"/projects/{cast.internal.id}").status == 404
    assert bot.get(tokens).status == 401


def test_a_revoked_token_leaves_what_its_bot_wrote_to_the_ghost(cast, bot, made, tokens):
    issue = bot.post(f"/projects/{cast.private.id}/issues", title="Made by a bot").json["iid"]
    assert cast.master.delete(f"{tokens}/{made['id']}").status == 204
    assert bot.get("/user").status == 401
    shown = cast.guest.get(f"/projects/{cast.private.id}/issues/{issue}").json
    assert shown["author"]["username"] == "ghost"
    members = cast.master.get(f"/projects/{cast.private.id}/members").json
    assert made["user_id"] not in {member["id"] for member in members}
    missing = cast.master.get(f"{tokens}/{made['id']}")
    assert (missing.status, missing.json) == (404, {"message": "404 project Access Token Not Found"})


def test_tokens_are_listed_and_shown_without_their_value(cast, made, tokens):
    [shown] = cast.master.get(tokens, state="active").json
    assert (shown["name"], "token" in shown) == ("Builder", False)
    assert cast.master.get(tokens, revoked=True).json == []
    assert cast.master.get(f"{tokens}/{made['id']}").json == shown
    assert cast.developer.get(tokens).status == 401
    assert cast.stranger.get(tokens).status == 404
    assert cast.developer.get(f"{tokens}/{made['id']}").status == 403


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"name": "", "scopes": ["api"]}, {"name": ["can't be blank"]}),
        ({"name": "x", "scopes": []}, {"scopes": ["can't be blank"]}),
        ({"name": "x", "scopes": ["sudo"]}, {"scopes": ["can only contain available scopes"]}),
        ({"name": "x", "scopes": ["api"], "access_level": 50}, "Access level of the token can't be greater than your own"),
        ({"name": "x", "scopes": ["api"], "expires_at": "2001-01-01"}, {"expiration_date": ["must be in the future"]}),
    ],
)  # fmt: skip
def test_a_token_that_cannot_be_is_refused(cast, tokens, change, message):
    refused = cast.master.post(tokens, **change)
    assert (refused.status, refused.json["message"]) == (400, message)
    assert cast.master.get(tokens).json == []


def test_a_bot_replaces_its_own_token_and_no_other(cast, bot, made, tokens):
    other = cast.master.post(tokens, name="Other", scopes=["api"]).json
    assert bot.post(f"{tokens}/{other['id']}/rotate").status == 403
    assert bot.post("/personal_access_tokens/self/rotate").status == 405
    new = bot.post(f"{tokens}/self/rotate")
    assert (new.status, new.json["user_id"], new.json["access_level"]) == (200, made["user_id"], 30)
    assert bot.get("/user").status == 401
    replaced = cast.master.post(f"{tokens}/{new.json['id']}/rotate")
    assert (replaced.status, replaced.json["name"]) == (200, "Builder")
    assert person_with(bot, replaced.json["token"]).get("/user").status == 200


def test_a_bot_stays_a_member_as_long_as_its_newest_token_is_valid(cast, tokens):
    old = cast.master.post(tokens, name="Builder", scopes=["api"], access_level=30, expires_at="2998-01-01").json
    new = cast.master.post(f"{tokens}/{old['id']}/rotate", expires_at="2999-01-01").json
    newest = person_with(cast.guest, new["token"]).post(f"{tokens}/self/rotate", expires_at="2999-06-01").json
    member = cast.master.get(f"/projects/{cast.private.id}/members/{old['user_id']}").json
    assert (newest["expires_at"], member["expires_at"]) == ("2999-06-01", "2999-06-01")


def test_a_token_of_a_group_opens_the_projects_below(cast):
    tokens = f"/groups/{cast.team.id}/access_tokens"
    assert cast.master.post(tokens, name="x", scopes=["api"]).status == 403
    made = cast.owner.post(tokens, name="Reader", scopes=["read_api"], access_level=20).json
    reader = person_with(cast.guest, made["token"])
    assert reader.get("/user").json["username"].startswith(f"group_{cast.team.id}_bot_")
    assert reader.get(f"/projects/{cast.private.id}").status == 200
    assert reader.post(f"/projects/{cast.private.id}/issues", title="x").status == 403


def test_a_bot_is_no_person(cast, made):
    def listed(**query):
        return {user["id"] for user in cast.root.get("/users", per_page=100, **query).json}

    everyone, bot = listed(), {made["user_id"]}
    assert bot <= everyone
    assert listed(without_project_bots=True) == everyone - bot
    assert listed(exclude_internal=True) - listed(humans=True) == bot
    assert listed(search="project_", without_project_bots=True) == set()
    assert cast.root.put(f"/users/{made['user_id']}", name="x").status == 403
    assert cast.root.post(f"/users/{made['user_id']}/impersonation_tokens", name="x", scopes=["api"]).status == 403


@pytest.mark.parametrize(
    ("path", "params"),
    [
        ("keys", {"title": "x", "key": ssh_key("bot")}),
        ("gpg_keys", {"key": gpg_key("one")}),
        ("emails", {"email": "bot@example.org"}),
        ("personal_access_tokens", {"name": "x", "scopes": ["k8s_proxy"]}),
    ],
)
def test_a_bot_gets_no_credential_that_would_outlive_its_token(cast, bot, path, params):
    refused = bot.post(f"/user/{path}", **params)
    assert (refused.status, refused.json) == (403, {"message": "403 Forbidden - This user is a bot"})
    assert cast.guest.post(f"/user/{path}", **params).status == 201


@pytest.mark.parametrize("by", ["itself", "a master"])
def test_a_replayed_token_ends_the_newest_and_leaves_the_bot_no_way_in(cast, bot, made, tokens, by):
    new = bot.post(f"{tokens}/self/rotate").json
    newest = person_with(bot, new["token"]).post(f"{tokens}/self/rotate").json
    heir = person_with(bot, newest["token"])
    assert heir.get(f"/projects/{cast.private.id}").status == 200
    replayed = (
        bot.post(f"{tokens}/self/rotate") if by == "itself" else cast.master.post(f"{tokens}/{made['id']}/rotate")
    )
    assert replayed.status == 401
    assert [heir.get(path).status for path in ("/user", f"/projects/{cast.private.id}")] == [401, 401]
    assert [refs(cast, "x", newest["token"], service) for service in ("upload", "receive")] == [401, 401]


def test_tokens_are_created_and_revoked_on_a_page(browse, cast):
    page = f"/{cast.private.path}/settings/access_tokens"
    master = browse("master")
    assert browse("developer").open(page).status == 403
    assert "Deploy tokens" in master.open(page).text
    assert master.send(page, access_token={"name": "", "access_level": "30"}).status == 422
    shown = master.send(page, access_token={"name": "Builder", "access_level": "30", "scopes": ["api"]})
    assert (shown.status, "Copy it now" in shown.text) == (200, True)
    [token] = cast.master.get(f"/projects/{cast.private.id}/access_tokens").json
    assert master.send(f"{page}/revoke", id=str(token["id"])).status == 303
    assert cast.master.get(f"/projects/{cast.private.id}/access_tokens").json == []
    shown = master.send(f"{page}/deploy", deploy_token={"name": "Reader", "scopes": ["read_repository"]})
    assert (shown.status, "gldt-" in shown.text) == (200, True)
    [token] = cast.master.get(f"/projects/{cast.private.id}/deploy_tokens").json
    assert master.send(f"{page}/deploy/revoke", id=str(token["id"])).status == 303
    assert cast.master.get(f"/projects/{cast.private.id}/deploy_tokens").json == []


def test_a_token_is_replaced_on_the_page(browse, cast, bot, made):
    page, master = f"/{cast.private.path}/settings/access_tokens", browse("master")
    assert "Rotate" in master.open(page).text
    shown = master.send(f"{page}/rotate", id=made["id"])
    [value] = re.findall(r'id="created-access-token"[^>]* value="([^"]+)"', shown.text)
    assert bot.get("/user").status == 401
    assert person_with(bot, value).get("/user").status == 200
    master.open(page)
    assert master.send(f"{page}/rotate", id=made["id"]).status == 422
    assert person_with(bot, value).get("/user").status == 401
