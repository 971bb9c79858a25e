"""What administrators see and do on pages."""

import pytest

from mujina.integrations.sidekiq.samples import measure
from mujina.kernel import clock
from mujina.kernel.jobs.queue import enqueue
from tests.harness.composed import PAGES
from tests.harness.creation import make_group, make_project
from tests.harness.public_keys import ssh_key
from tests.harness.statements import statements

BUDGETS = {"/admin": 12, "/admin/users": 8, "/admin/background_jobs": 9, "/admin/geo_nodes": 8, "/admin/hooks": 9}
"""How many statements a page may cost."""
one_engine = pytest.mark.parametrize("engine", ["sqlite"], indirect=True)


@one_engine
def test_only_administrators_learn_that_pages_of_the_administration_exist(browse):
    owner = browse("owner")
    missing = owner.open("/admin/nothing")
    for page in PAGES:
        if page.path.startswith("/admin"):
            assert page.admin, page.path
    hidden = owner.open("/admin")
    assert hidden.status == missing.status == 404
    assert "/admin/users" not in hidden.text
    assert browse("anonymous").open("/admin").headers["Location"].startswith("/users/sign_in")


def test_new_projects_start_with_the_push_rule_of_the_instance(browse, cast, set_edition):
    root, here = browse("root"), "/admin/push_rule"
    assert "New projects start with a copy" in root.open(here).text
    refused = root.send(here, commit_message_regex="(", max_file_size="0")
    assert (refused.status, 'id="commit_message_regex-problem"' in refused.text) == (422, True)
    for size in ("7", "8"):
        root.open(here)
        assert root.send(here, commit_message_regex="JIRA", member_check="true", max_file_size=size).status == 303
    project = make_project(cast.owner, "Ruled")
    rule = cast.owner.get(f"/projects/{project['id']}/push_rule").json
    assert (rule["commit_message_regex"], rule["member_check"], rule["max_file_size"]) == ("JIRA", True, 8)
    assert cast.owner.get(f"/projects/{cast.private.id}/push_rule").json is None
    assert cast.owner.delete(f"/projects/{project['id']}/push_rule").status == 204
    assert 'value="JIRA"' in root.open(here).text
    assert root.send(f"{here}/delete").status == 303
    assert cast.owner.get(f"/projects/{make_project(cast.owner, 'Free')['id']}/push_rule").json is None
    assert "standard error" in root.open("/admin/logs").text
    set_edition("core")
    assert root.open(here).status == 404
    assert here not in root.open("/admin").text


def test_the_overview_shows_figures_health_and_charts(browse, cast):
    root = browse("root")
    page = root.open("/admin").text
    users = cast.root.get("/users", per_page=1).headers["X-Total"]
    assert f"<b>{int(users) - 1}</b>" in page or f"<b>{users}</b>" in page
    assert "Nothing waits" in page
    assert "No mail server" in page
    assert ("SQLite 3" if cast.database.engine == "sqlite" else "PostgreSQL 1") in page

    async def fail(tx):
        await enqueue(tx, "projects.copy", "7")
        await measure(tx)
        await tx.run(
            "UPDATE jobs SET last_error = 'OSError: full', parked_at = :now, attempts = 16 WHERE key = '7'",
            now=clock.now(),
        )

    cast.transact(fail)
    for path, most in BUDGETS.items():
        with statements(cast.database) as used:
            root.open(path)
        assert used.count <= most, path
    page = root.open("/admin").text
    assert "1 failed for good" in page
    assert 'aria-label="At most 1 job waited at a time in the last 24 hours"' in page
    assert "This instance is ready." in root.open("/admin/health_check").text


def test_a_failed_job_is_retried_or_given_up(browse, cast):
    async def fail(tx):
        for key in ("7", "8"):
            await enqueue(tx, "projects.copy", key)
        await tx.run(
            "UPDATE jobs SET last_error = 'OSError: <full>', parked_at = :now, attempts = 16 WHERE task = 'projects.copy'",
            now=clock.now(),
        )

    cast.transact(fail)
    root, job = browse("root"), {"task": "projects.copy"}
    assert "OSError: &lt;full&gt;" in root.open("/admin/background_jobs").text
    assert root.send("/admin/background_jobs/retry", **job, key="7").status == 303
    assert root.send("/admin/background_jobs/delete", **job, key="8").status == 303
    assert "No job has failed." in root.open("/admin/background_jobs").text
    refused = root.send("/admin/background_jobs/delete", **job, key="8")
    assert (refused.status, "is not waiting" in refused.text) == (409, True)
    assert browse("owner").send("/admin/background_jobs/delete", **job, key="7").status in (404, 422)


def test_the_life_of_an_account(browse, cast):
    root = browse("root")
    root.open("/admin/users/new")
    fields = {"name": "Nina <b>", "username": "nina", "email": "nina@example.org", "projects_limit": "3"}
    refused = root.send("/admin/users", user={**fields, "username": "owner", "password": ""})
    assert (refused.status, 'value="Nina &lt;b&gt;"' in refused.text) == (409, True)
    refused = root.send("/admin/users", user={**fields, "name": "", "password": ""})
    assert (refused.status, 'id="user_name-problem"' in refused.text) == (422, True)
    assert root.send("/admin/users", user={**fields, "password": ""}).headers["Location"] == "/admin/users/nina"
    assert "nina@example.org" in root.open("/admin/users", search="nina").text
    assert "No users match." in root.open("/admin/users", search="nobody-at-all").text
    assert "nina" not in root.open("/admin/users", filter="admins").text
    here = "/admin/users/nina"
    assert "Not set" in root.open(here).text
    assert (
        root.send(here, user={"username": "nino", "admin": "true", "password": ""}).headers["Location"]
        == "/admin/users/nino"
    )
    here = "/admin/users/nino"
    assert "administrator" in root.open(here).text
    for verb, word in (("block", "blocked"), ("unblock", "Block user"), ("reset", "nina@example.org")):
        assert root.send(f"{here}/{verb}").status == 303, verb
        assert word in root.open(here).text
    assert root.open(here).status == 200
    assert root.send(f"{here}/delete", hard_delete="false").headers["Location"] == "/admin/users"
    assert root.open(here).status == 404


def test_the_last_administrator_stays(browse, cast):
    root = browse("root")
    root.open("/admin/users/root")
    refused = root.send("/admin/users/root/block")
    assert (refused.status, "last administrator" in refused.text) == (422, True)


def test_keys_identities_and_impersonation_tokens_of_a_user(browse, cast):
    root, here = browse("root"), "/admin/users/guest"
    root.open(f"{here}/keys")
    refused = root.send(f"{here}/keys", key={"title": "Laptop", "key": "nonsense"})
    assert (refused.status, 'id="key_key-problem"' in refused.text) == (422, True)
    assert root.send(f"{here}/keys", key={"title": "Laptop", "key": ssh_key("laptop")}).status == 303
    [key] = cast.root.get(f"/users/{cast.guest.id}/keys").json
    assert root.send(f"{here}/keys/{key['id']}/delete").status == 303
    root.open(f"{here}/identities")
    assert root.send(f"{here}/identities", identity={"provider": "saml", "extern_uid": "g-1"}).status == 303
    assert "g-1" in root.open(f"{here}/identities").text
    assert root.send(f"{here}/identities/saml/delete").status == 303
    root.open(f"{here}/impersonation_tokens")
    made = root.send(f"{here}/impersonation_tokens", personal_access_token={"name": "bot", "scopes": ["api"]})
    [token] = cast.root.get(f"/users/{cast.guest.id}/impersonation_tokens").json
    assert token["token"] in made.text
    assert token["token"] not in root.open(f"{here}/impersonation_tokens").text
    assert root.send(f"{here}/impersonation_tokens/{token['id']}/revoke").status == 303
    assert "Revoked" in root.open(f"{here}/impersonation_tokens").text


def test_the_password_of_a_user_of_a_directory_is_kept_there(browse, cast):
    root, here = browse("root"), "/admin/users/guest"
    assert "Send reset link" in root.open(here).text
    cast.root.put(f"/users/{cast.guest.id}", provider="ldapmain", extern_uid="uid=guest,dc=example")
    shown = root.open(here).text
    assert "A directory keeps the password of this user." in shown
    assert "Send reset link" not in shown
    assert root.send(f"{here}/reset").status == 422
    assert 'name="user[password]"' not in root.open(f"{here}/edit").text
    assert root.send(here, user={"name": "Gus"}).status == 303


def test_groups_and_projects_are_removed_only_if_their_path_is_typed(browse, cast):
    root = browse("root")
    project, group = cast.private.path, cast.team.path
    assert project in root.open("/admin/projects", search="private").text
    assert group in root.open("/admin/groups", search="team").text
    root.open(f"/admin/projects/{project}")
    refused = root.send(f"/admin/projects/{project}/-/delete", confirm_delete="private")
    assert (refused.status, "is not the path" in refused.text) == (422, True)
    made = make_group(cast.root, "attic", name="Attic")
    root.open(f"/admin/projects/{project}")
    refused = root.send(f"/admin/projects/{project}/-/transfer", group="atic", confirm_transfer=project)
    assert (refused.status, "does not exist" in refused.text, 'value="atic"' in refused.text) == (422, True, True)
    assert root.send("/admin/projects/moved/away/-/transfer", group="attic", confirm_transfer="x").status == 404
    moved = root.send(f"/admin/projects/{project}/-/transfer", group="attic", confirm_transfer=project)
    assert moved.headers["Location"] == f"/admin/projects/attic/{project.rpartition('/')[2]}"
    here = moved.headers["Location"]
    root.open(here)
    assert root.send(f"{here}/-/delete", confirm_delete=here.removeprefix("/admin/projects/")).status == 303
    root.open("/admin/groups/attic")
    assert root.send("/admin/groups/attic/-/delete", confirm_delete="attic").status == 303
    assert cast.root.get(f"/groups/{made['id']}").status == 404


def test_a_section_of_the_settings_changes_only_its_own(browse, cast):
    root, before = browse("root"), cast.root.get("/application/settings").json
    page = root.open("/admin/application_settings").text
    assert "Visibility of new projects, limited by that of their group." in page
    changes = {"default_projects_limit": "7", "restricted_visibility_levels": ["", "public"], "signup_enabled": "true"}
    assert root.send("/admin/application_settings", application_setting=changes).status == 303
    after = cast.root.get("/application/settings").json
    assert {name for name in after if after[name] != before[name]} == set(changes)
    refused = root.send("/admin/application_settings", application_setting={"default_projects_limit": "-7"})
    assert (refused.status, 'value="-7"' in refused.text) == (422, True)
    page = root.open("/admin/license").text
    assert ("no license key" in page, "LDAP groups" in page) == (True, True)


def test_broadcasts_applications_mail_and_the_audit_log(browse, cast):
    root = browse("root")
    root.open("/admin/broadcast_messages")
    assert root.send("/admin/broadcast_messages", broadcast_message={"message": "", "color": "red"}).status == 422
    assert root.send("/admin/broadcast_messages", broadcast_message={"message": "Maintenance at 8"}).status == 303
    [made] = [each for each in cast.root.get("/broadcast_messages").json if each["message"] == "Maintenance at 8"]
    here = f"/admin/broadcast_messages/{made['id']}"
    assert "Maintenance at 8" in root.open(f"{here}/edit").text
    assert root.send(here, broadcast_message={"message": "Maintenance at 9"}).status == 303
    assert "Maintenance at 9" in root.open("/admin/broadcast_messages").text
    assert root.send(f"{here}/delete").status == 303

    root.open("/admin/applications")
    fields = {"name": "Chat", "redirect_uri": "https://chat.example.org/back", "scopes": ["openid"], "trusted": "true"}
    made = root.send("/admin/applications", application=fields)
    assert made.status == 200
    assert 'id="application-secret"' in made.text
    page = root.open("/admin/applications")
    assert ("Chat" in page.text, 'id="application-secret"' in page.text) == (True, False)

    root.open("/admin/email")
    refused = root.send("/admin/email/test", mail={"email": "nonsense"})
    assert (refused.status, 'id="mail_email-problem"' in refused.text) == (422, True)
    assert root.send("/admin/email/test", mail={"email": "a@example.org"}).status == 303
    page = root.open("/admin/audit_events", entity_type="User").text
    assert "Audit events" in page
    assert root.open("/admin/deploy_keys").status == root.open("/admin/geo_nodes").status == 200
