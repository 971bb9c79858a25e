"""Deploy tokens of projects and groups."""

import base64
import json
from itertools import product

import pytest

from mujina.workspaces.deploy_tokens.operations import DEPLOY_SCOPES
from tests.harness.client import Raw


@pytest.fixture
def tokens(cast):
    return f"/projects/{cast.private.id}/deploy_tokens"


def create(person, tokens, **change):
    made = person.post(tokens, **{"name": "Reader", "scopes": ["read_repository"], **change})
    assert made.status == 201, made
    return made.json


def refs(cast, username, token, service="upload"):
    """The status of what git asks for first."""
    login = {"Authorization": "Basic " + base64.b64encode(f"{username}:{token}".encode()).decode()}
    path = f"//{cast.private.path}.git/info/refs"
    return cast.anonymous.get(path, Raw(query=f"service=git-{service}-pack", headers=login)).status


def test_a_deploy_token_fetches_and_pushes_nothing(cast, tokens):
    made = create(cast.master, tokens)
    assert made["username"] == f"gitlab+deploy-token-{made['id']}"
    assert (made["revoked"], made["expired"], made["expires_at"]) == (False, False, None)
    assert refs(cast, made["username"], made["token"]) == 200
    assert refs(cast, "another", made["token"]) == 401
    assert refs(cast, made["username"], made["token"], "receive") == 403
    for header, project in product(("Private-Token", "Deploy-Token"), (cast.private, cast.public)):
        answer = cast.anonymous.get(f"/projects/{project.id}", Raw(headers={header: made["token"]}))
        assert (answer.status, answer.json) == (401, {"message": "401 Unauthorized"})
    sent = Raw(headers={"Deploy-Token": made["token"], "Private-Token": cast.reporter.token})
    assert cast.anonymous.get(f"/projects/{cast.private.id}", sent).status == 200
    assert cast.anonymous.get(f"/projects/{cast.public.id}", Raw(headers={"Deploy-Token": ""})).status == 200
    assert cast.master.delete(f"{tokens}/{made['id']}").status == 204
    assert refs(cast, made["username"], made["token"]) == 401


@pytest.mark.parametrize("username", ["x:y", "a b", "ü"])
def test_a_user_name_that_git_could_not_send_is_refused(cast, tokens, username):
    refused = cast.master.post(tokens, name="Reader", scopes=["read_repository"], username=username)
    sentence = "can contain only letters, digits, '_', '-', '+', and '.'"
    assert (refused.status, refused.json) == (400, {"message": {"username": [sentence]}})


def test_a_deploy_token_with_every_scope_writes_nothing_but_packages(cast, tokens):
    made = create(cast.master, tokens, scopes=list(DEPLOY_SCOPES))
    login, token = base64.b64encode(f"{made['username']}:{made['token']}".encode()).decode(), made["token"]
    basic = {"Authorization": f"Basic {login}"}
    assert refs(cast, made["username"], token, "receive") == 403
    project, repository = f"/projects/{cast.private.id}", f"//{cast.private.path}.git"
    lfs = {"operation": "upload", "objects": [{"oid": "a" * 64, "size": 1}]}
    headers = {**basic, "Content-Type": "application/vnd.git-lfs+json", "Accept": "application/vnd.git-lfs+json"}
    for path, body in (("objects/batch", lfs), ("locks", {"path": "a"})):
        sent = Raw(headers=headers, body=json.dumps(body).encode())
        assert cast.anonymous.post(f"{repository}/info/lfs/{path}", sent).status == 403, path
    assert (
        cast.anonymous.put(f"{repository}/gitlab-lfs/objects/{'a' * 64}/1", Raw(headers=basic, body=b"x")).status == 403
    )
    for name, value in {
        "Deploy-Token": token,
        "Private-Token": token,
        "Job-Token": token,
        "Authorization": f"Bearer {token}",
    }.items():
        for way in ("issues", "repository/commits", "repository/branches", "packages/1/delete", "releases"):
            sent = Raw(headers={name: value}, query="title=x&branch=x&ref=master&tag_name=x")
            assert cast.anonymous.post(f"{project}/{way}", sent).status in (400, 401, 403, 404, 405), (name, way)
        assert cast.anonymous.get("/user", Raw(headers={name: value})).status == 401, name
    assert cast.owner.get(f"{project}/issues", search="x").json == []
    published = f"{project}/packages/generic/tool/1/file"
    assert cast.anonymous.put(published, Raw(headers={"Deploy-Token": token}, body=b"x")).status == 201


def test_a_token_without_the_scope_fetches_nothing(cast, tokens):
    made = create(cast.master, tokens, scopes=["read_package_registry"], username="installer")
    assert (made["username"], refs(cast, "installer", made["token"])) == ("installer", 401)


def test_a_token_of_a_group_fetches_from_a_project_below(cast):
    group = cast.root.get(f"/groups/{cast.team.id}").json
    above = f"/groups/{group['parent_id']}/deploy_tokens"
    made = create(cast.root, above)
    assert refs(cast, made["username"], made["token"]) == 200
    assert [each["id"] for each in cast.root.get("/deploy_tokens", active=True).json] == [made["id"]]


def test_an_expired_token_fetches_nothing(cast, tokens):
    made = create(cast.master, tokens, expires_at="2999-01-01")
    assert made["expires_at"] == "2999-01-01T00:00:00.000Z"
    cast.run("UPDATE deploy_tokens SET expires_at = '2001-01-01T00:00:00.000Z'")
    assert refs(cast, made["username"], made["token"]) == 401
    assert cast.master.get(f"{tokens}/{made['id']}").json["expired"] is True
    assert cast.root.get("/deploy_tokens", active=True).json == []


def test_who_manages_deploy_tokens(cast, tokens):
    made = create(cast.master, tokens)
    [shown] = cast.master.get(tokens).json
    assert (shown["id"], "token" in shown) == (made["id"], False)
    assert cast.developer.get(tokens).status == 403
    assert cast.developer.post(tokens, name="x", scopes=["read_repository"]).status == 403
    assert cast.master.get("/deploy_tokens").status == 403
    refused = cast.master.post(tokens, name="x", scopes=["api"])
    assert (refused.status, refused.json) == (400, {"message": {"scopes": ["can only contain available scopes"]}})
    assert cast.master.get(f"{tokens}/9999").json == {"message": "404 Deploy Token Not Found"}


def test_the_bot_of_a_deploy_token_is_no_member_that_people_see(browse, cast, tokens):
    places = [f"/projects/{cast.private.id}/members", f"/groups/{cast.team.id}/members"]
    lists = [*places, *(f"{place}/all" for place in places), f"/projects/{cast.private.id}/users"]

    def seen():
        answers = [cast.owner.get(place, per_page=100) for place in lists]
        return [([each["id"] for each in answer.json], answer.headers["X-Total"]) for answer in answers]

    before = seen()
    create(cast.master, tokens)
    create(cast.owner, f"/groups/{cast.team.id}/deploy_tokens", name="Of the group")
    assert seen() == before
    page = browse("owner").open(f"/{cast.private.path}/project_members").text
    assert "_bot_" not in page
