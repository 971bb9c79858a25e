"""GET /keys."""

import pytest

from mujina.accounts.keys.public_keys import parse
from tests.harness.cases import Case, cases
from tests.harness.public_keys import ssh_key


@cases([
    Case("owner", "GET /keys", 403, params={"fingerprint": "x"}),
    Case("root", "GET /keys", 404, {"message": "404 Key Not Found"}, {"fingerprint": "SHA256:x"}),
    Case("root", "GET /keys", 404, {"message": "404 Key Not Found"}, {"fingerprint": "aa:bb"}),
])  # fmt: skip
def test_only_administrators_find_keys(case, cast):
    case.holds(cast)


@pytest.fixture(params=["md5", "sha256"])
def find(cast, request):
    def find(key):
        parsed = parse(key)
        value = parsed.md5 if request.param == "md5" else f"SHA256:{parsed.sha256}="
        return cast.root.get("/keys", fingerprint=value).json

    return find


def test_a_key_is_found_with_its_user(cast, find):
    made = cast.guest.post("/user/keys", title="Mine", key=ssh_key("one")).json
    found = find(ssh_key("one"))
    assert (found["id"], found["title"], found["user"]["id"]) == (made["id"], "Mine", cast.guest.id)
    assert found["deploy_keys_projects"] == []


def test_a_deploy_key_is_found_with_its_projects(cast, find):
    cast.owner.post(f"/projects/{cast.private.id}/deploy_keys", title="CI", key=ssh_key("two"), can_push=True)
    found = find(ssh_key("two"))
    assert found["user"] is None
    assert found["deploy_keys_projects"] == [{"project_id": cast.private.id, "can_push": True}]
