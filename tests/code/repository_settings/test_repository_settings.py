"""The settings of a repository: protected branches, deploy keys, the push rule, the mirror."""

import pytest

from tests.harness.creation import make_project
from tests.harness.public_keys import ssh_key


@pytest.fixture
def here(cast):
    return f"/{cast.private.path}"


@pytest.fixture
def api(cast):
    return f"/projects/{cast.private.id}"


def test_a_branch_is_protected_and_unprotected(browse, cast, here, api):
    master = browse("master")
    assert "No branch is protected." in master.open(f"{here}/settings/repository").text
    protected = master.send(
        f"{here}/protected_branches", name="release/*", push_access_level="0", merge_access_level="30",
        allow_force_push="true",
    )  # fmt: skip
    assert (protected.status, protected.headers["Location"]) == (303, f"{here}/settings/repository")
    page = master.open(f"{here}/settings/repository").text
    assert "Developers + Masters" in page
    assert "may force push" in page
    assert master.send(f"{here}/protected_branches", name="release/*").status == 409
    assert master.send(f"{here}/protected_branches/release/%2A/unprotect").status == 303
    assert cast.master.get(f"{api}/protected_branches").json == []


def test_a_deploy_key_is_added_changed_and_shared(browse, cast, here, api):
    master = browse("master")
    master.open(f"{here}/settings/repository")
    refused = master.send(f"{here}/deploy_keys", title="kept words", key="nonsense")
    assert (refused.status, "kept words" in refused.text) == (422, True)
    given = {"title": "Robot", "key": ssh_key("ed25519"), "can_push": "false", "expires_at": "2999-01-01"}
    assert master.send(f"{here}/deploy_keys", **given).status == 303
    [key] = cast.master.get(f"{api}/deploy_keys").json
    assert key["expires_at"] == "2999-01-01T00:00:00.000Z"
    assert 'Expires <time datetime="2999-01-01">' in master.open(f"{here}/settings/repository").text
    assert master.send(f"{here}/deploy_keys/{key['id']}", can_push="true").status == 303
    assert "Write access" in master.open(f"{here}/settings/repository").text
    other = make_project(cast.master, "other")
    there = f"/{other['path_with_namespace']}"
    assert "Keys of your other projects" in master.open(f"{there}/settings/repository").text
    assert master.send(f"{there}/deploy_keys/{key['id']}/enable").status == 303
    assert "Keys of your other projects" not in master.open(f"{there}/settings/repository").text
    assert master.send(f"{here}/deploy_keys/{key['id']}/disable").status == 303
    assert cast.master.get(f"{api}/deploy_keys").json == []


def test_a_push_rule_is_set_and_deleted(browse, cast, here, api):
    master = browse("master")
    master.open(f"{here}/settings/repository")
    wrong = master.send(f"{here}/push_rule", commit_message_regex="(", max_file_size="0")
    assert (wrong.status, 'id="commit_message_regex-problem"' in wrong.text) == (422, True)
    assert master.send(f"{here}/push_rule", commit_message_regex="^Fix", max_file_size="5").status == 303
    assert master.send(f"{here}/push_rule", commit_message_regex="", max_file_size="6").status == 303
    assert cast.master.get(f"{api}/push_rule").json["max_file_size"] == 6
    assert master.send(f"{here}/push_rule/delete").status == 303
    assert cast.master.get(f"{api}/push_rule").json is None


def test_a_mirror_is_set_up_by_masters_and_its_password_is_not_shown(browse, here):
    master = browse("master")
    assert "This project was not imported." in master.open(f"{here}/import").text
    assert master.send(f"{here}/mirror", mirror="true").status == 422
    bad = master.send(f"{here}/mirror", mirror="true", import_url="http://127.0.0.1/x.git")
    assert (bad.status, "imports are not allowed" in bad.text) == (422, True)
    url = "http://someone:qxqpassword@example.org/x.git"
    assert master.send(f"{here}/mirror", mirror="false", import_url=url).status == 303
    page = master.open(f"{here}/settings/repository").text
    assert "Set. Leave empty to keep it." in page
    assert "qxqpassword" not in page
    assert browse("developer").open(f"{here}/settings/repository").status == 403


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_an_edition_without_push_rules_shows_none(browse, cast, set_edition):
    here, master = f"/{cast.private.path}", browse("master")
    set_edition("core")
    assert "Push rule" not in master.open(f"{here}/settings/repository").text
    assert master.send(f"{here}/push_rule", max_file_size="5").status == 404


def test_tags_are_protected_and_unprotected(browse, cast):
    here, master = f"/{cast.private.path}", browse("master")
    page = f"{here}/settings/repository"
    assert "No tag is protected." in master.open(page).text
    assert master.send(f"{here}/protected_tags", tag_name="v*", create_access_level=30).status == 303
    assert "Developers + Masters" in master.open(page).text
    [protected] = cast.master.get(f"/projects/{cast.private.id}/protected_tags").json
    assert (protected["name"], protected["create_access_levels"][0]["access_level"]) == ("v*", 30)
    assert master.send(f"{here}/protected_tags", tag_name="v*").status == 422
    master.open(page)
    assert master.send(f"{here}/protected_tags/v*/unprotect").status == 303
    assert cast.master.get(f"/projects/{cast.private.id}/protected_tags").json == []
    developer = browse("developer")
    developer.open(here)
    assert developer.send(f"{here}/protected_tags", tag_name="v*").status == 403
