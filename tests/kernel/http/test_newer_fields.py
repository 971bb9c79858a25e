"""Fields of newer API versions: bodies that the specification shows have them while the instance announces such a version."""

from dataclasses import replace

import jsonschema_rs
import pytest

from mujina.app import build, build_services
from mujina.settings import Settings
from tests.harness.public_keys import ssh_key

TEXT, INTEGER, FLAG = {"type": "string"}, {"type": "integer"}, {"type": "boolean"}
MAYBE_TEXT, MAYBE_INTEGER, NOTHING = {"type": ["string", "null"]}, {"type": ["integer", "null"]}, {"type": "null"}
LEVEL = {"enum": ["disabled", "private", "enabled"]}


def fields(**properties):
    return {"type": "object", "required": list(properties), "properties": properties}


DEEPER = ("shared_with_groups", "namespace")
"""Objects inside others that have newer fields themselves."""
NAMESPACE = fields(web_url=TEXT, avatar_url=MAYBE_TEXT)
USER = fields(
    public_email=TEXT, job_title=TEXT, pronouns=MAYBE_TEXT, work_information=MAYBE_TEXT, bot=FLAG, followers=INTEGER,
    following=INTEGER, local_time=MAYBE_TEXT, locked=FLAG, private_profile=FLAG,
)  # fmt: skip
OWN_USER = fields(commit_email=TEXT, namespace_id=INTEGER)
PROJECT = fields(
    merge_method=TEXT, squash_option=TEXT, remove_source_branch_after_merge=FLAG, repository_access_level=LEVEL,
    merge_requests_access_level=LEVEL, issues_access_level=LEVEL, wiki_access_level=LEVEL, snippets_access_level=LEVEL,
    builds_access_level=LEVEL, forking_access_level=LEVEL, releases_access_level=LEVEL,
    container_registry_access_level=LEVEL, package_registry_access_level=LEVEL, can_create_merge_request_in=FLAG,
    packages_enabled=FLAG, emails_disabled=FLAG, autoclose_referenced_issues=FLAG, import_type=MAYBE_TEXT,
    import_url=NOTHING, marked_for_deletion_on=NOTHING,
    shared_with_groups={"type": "array", "items": fields(group_full_path=TEXT, expires_at=MAYBE_TEXT)},
    namespace=NAMESPACE,
)  # fmt: skip
SINGLE_PROJECT = fields(readme_url=MAYBE_TEXT)
ISSUE = fields(
    references=fields(short=TEXT, relative=TEXT, full=TEXT), issue_type={"const": "issue"}, type={"const": "ISSUE"},
    closed_by={"type": ["object", "null"]}, merge_requests_count=INTEGER, has_tasks=FLAG, moved_to_id=MAYBE_INTEGER,
    task_completion_status=fields(count=INTEGER, completed_count=INTEGER), severity={"const": "UNKNOWN"}, imported=FLAG,
)  # fmt: skip
GROUP = fields(
    created_at=TEXT, project_creation_level=TEXT, subgroup_creation_level=TEXT, default_branch=MAYBE_TEXT,
    emails_disabled=FLAG, require_two_factor_authentication=FLAG,
)  # fmt: skip
MEMBER = fields(membership_state={"const": "active"}, locked=FLAG)
CREATED_MEMBER = {"properties": {"created_by": fields(id=INTEGER, username=TEXT)}}
NOTE = fields(type=MAYBE_TEXT, resolvable=FLAG, internal=FLAG, confidential=FLAG)


@pytest.fixture
def today(stage, database):
    """Gives a person an application that announces a version of today."""
    before = database.settings
    settings = Settings(
        data=stage.folder, jobs="inline", external_url="http://mujina.test", password_kilobytes=64,
        api_version_text="17.11.0-ee",
    )  # fmt: skip
    app = build(build_services(settings, database))
    yield lambda person: replace(person, app=app)
    database.settings = before


def differences(person, today, path, **params):
    """The body of a response without and with fields of newer API versions, and the names of those fields."""
    before, after = person.get(path, **params).json, today(person).get(path, **params).json
    olds, news = (before, after) if isinstance(before, list) else ([before], [after])
    assert len(olds) == len(news) > 0
    return olds, news, [new.keys() - old.keys() for old, new in zip(olds, news, strict=True)]


def check(person, today, path, *schemas, **params):
    """Each object satisfies the schemas, has no other new field, and its other fields are unchanged."""
    olds, news, added = differences(person, today, path, **params)
    known = {name for schema in schemas for name in schema["properties"]}
    for old, new, names in zip(olds, news, added, strict=True):
        for schema in schemas:
            jsonschema_rs.validate(schema, new)
        assert names <= known
        assert {name: new[name] for name in old if name not in DEEPER} == {
            name: value for name, value in old.items() if name not in DEEPER
        }
        assert not old.keys() & (known - {"merge_method", *DEEPER})
    return news


def test_namespaces_have_their_newer_fields(cast, today):
    check(cast.owner, today, "/namespaces", NAMESPACE)
    [group] = check(cast.owner, today, f"/namespaces/{cast.team.encoded}", NAMESPACE)
    [own] = check(cast.owner, today, f"/namespaces/{cast.owner.username}", NAMESPACE)
    assert group["web_url"] == f"http://mujina.test/groups/{cast.team.path}"
    assert (own["web_url"], own["avatar_url"]) == (f"http://mujina.test/{cast.owner.username}", None)


def test_keys_say_that_they_never_expire(cast, today):
    deploy_keys = f"/projects/{cast.private.id}/deploy_keys"
    cast.master.post("/user/keys", title="Laptop", key=ssh_key("one"))
    cast.master.post(deploy_keys, title="Server", key=ssh_key("two"))
    for path in ("/user/keys", deploy_keys):
        [key] = check(cast.master, today, path, fields(expires_at=NOTHING))
        check(cast.root, today, f"/keys/{key['id']}", fields(expires_at=NOTHING))


def test_groups_and_members(cast, today):
    path = f"/groups/{cast.team.id}"
    check(cast.owner, today, "/groups", GROUP)
    [one] = check(cast.owner, today, path, GROUP)
    assert one["project_creation_level"] == "maintainer"
    assert today(cast.owner).put(path, project_creation_level="developer").json["project_creation_level"] == "developer"
    check(cast.owner, today, f"/projects/{cast.private.id}/members/all", MEMBER, CREATED_MEMBER)
    check(cast.owner, today, f"{path}/members/all/{cast.owner.id}", MEMBER, CREATED_MEMBER)


def test_members_have_the_user_who_added_them(cast, today):
    master, project, stranger = today(cast.master), f"/projects/{cast.private.id}", cast.stranger.id

    def creators(*paths):
        found = [today(cast.owner).get(path) for path in paths]
        shown = [each for answer in found for each in (answer.json if isinstance(answer.json, list) else [answer.json])]
        return {each.get("created_by", {}).get("username") for each in shown if each["id"] == stranger}

    added = master.post(f"{project}/members", user_id=stranger, access_level=20).json
    assert added["created_by"] == cast.owner.get(f"/users?username={cast.master.username}").json[0]
    lists = [f"{project}/members", f"{project}/members/all", f"{project}/members/all?query={cast.stranger.username}"]
    paths = [*lists, f"{project}/members/{stranger}", f"{project}/members/all/{stranger}"]
    assert creators(*paths) == {cast.master.username}
    cast.run("UPDATE members SET expires_on = '2018-01-01' WHERE user_id = :id", id=stranger)
    today(cast.owner).post(f"{project}/members", user_id=stranger, access_level=20)
    assert creators(*paths) == {cast.owner.username}
    cast.owner.delete(f"{project}/members/{stranger}")
    master.post(f"{project}/members", user_id=stranger, access_level=20)
    assert cast.root.delete(f"/users/{cast.master.id}").status == 204
    assert creators(*paths) == {None}


def test_members_do_not_name_the_user_who_added_them_by_default(cast):
    added = cast.master.post(f"/projects/{cast.private.id}/members", user_id=cast.stranger.id, access_level=20).json
    assert "created_by" not in added


def test_members_of_groups_and_shares_have_the_user_who_added_them(cast, today):
    root, stranger = today(cast.root), cast.stranger.id
    root.post(f"/groups/{cast.company.id}/members", user_id=stranger, access_level=10)
    for path in (f"/groups/{cast.team.id}", f"/projects/{cast.private.id}"):
        assert root.get(f"{path}/members/all/{stranger}").json["created_by"]["username"] == cast.root.username
    root.delete(f"/groups/{cast.company.id}/members/{stranger}")
    root.post(f"/groups/{cast.guild.id}/members", user_id=stranger, access_level=10)
    shared = root.get(f"/projects/{cast.private.id}/members/all/{stranger}").json
    assert shared["created_by"]["username"] == cast.root.username
    own = today(cast.stranger).post("/projects", name="own").json["id"]
    [owner] = today(cast.stranger).get(f"/projects/{own}/members/all").json
    assert "created_by" not in owner


def test_notes_have_their_newer_fields(cast, today):
    issue = f"/projects/{cast.private.id}/issues/{cast.open}"
    cast.owner.post(f"{issue}/notes", body="A note")
    check(cast.owner, today, f"{issue}/notes", NOTE)
    [discussion] = today(cast.owner).get(f"{issue}/discussions").json
    assert discussion["notes"] == today(cast.owner).get(f"{issue}/notes").json


def test_lists_of_notes_on_merge_requests_name_their_types(cast, today):
    path = f"/projects/{cast.owner.post('/projects', name='reviewed', initialize_with_readme=True).json['id']}"
    [branch] = [each["name"] for each in cast.owner.get(f"{path}/repository/branches").json]
    action = {"action": "create", "file_path": "a.txt", "content": "one\n"}
    cast.owner.post(
        f"{path}/repository/commits", branch="topic", start_branch=branch, commit_message="Add", actions=[action]
    )
    opened = cast.owner.post(f"{path}/merge_requests", title="Merge", source_branch="topic", target_branch=branch).json
    request = f"{path}/merge_requests/{opened['iid']}"
    position = {**opened["diff_refs"], "position_type": "text", "new_path": "a.txt", "new_line": 1}
    cast.owner.post(f"{request}/notes", body="Find me plain")
    asked = cast.owner.post(f"{request}/discussions", body="Find me asked").json
    cast.owner.post(f"{request}/discussions", body="Find me in a line", position=position)
    cast.owner.put(f"{request}/discussions/{asked['id']}", resolved=True)
    searched = today(cast.owner).get(f"{path}/search", scope="notes", search="Find").json
    listed = today(cast.owner).get(f"{request}/notes").json
    for notes in (listed, searched):
        assert [(note["type"], note.get("resolved")) for note in notes if not note["system"]] == [
            ("DiffNote", False), ("DiscussionNote", True), (None, None)
        ]  # fmt: skip
    alone = today(cast.owner).get(f"{request}/notes/{listed[0]['id']}").json
    assert listed[0] == searched[0] == alone
    assert alone["position"]["new_line"] == 1


def test_what_a_search_finds_has_the_fields_of_its_own_kind(cast, today):
    cast.master.post(f"/projects/{cast.private.id}/issues", title="Secret")
    path = f"/projects/{cast.owner.post('/projects', name='open', visibility='public', initialize_with_readme=True).json['id']}"
    cast.owner.post(f"{path}/repository/branches", branch="topic", ref="master")
    cast.owner.post(f"{path}/merge_requests", title="Find me", source_branch="topic", target_branch="master")
    issue = cast.owner.post(f"{path}/issues", title="Find me", description="- [ ] Task").json
    cast.owner.post(f"{path}/milestones", title="Find me")
    for _ in range(9):
        cast.owner.post(f"{path}/issues/{issue['iid']}/notes", body="Find me")
    stranger, found = today(cast.stranger), {"search": "Find"}
    for scope in ("milestones", "users", "snippet_titles", "projects"):
        assert stranger.get("/search", scope=scope, **found).status == 200
    [shown] = stranger.get("/search", scope="issues", **found).json
    assert shown == stranger.get(f"{path}/issues").json[0]
    [request] = stranger.get("/search", scope="merge_requests", **found).json
    assert request == stranger.get(f"{path}/merge_requests").json[0]
    notes = stranger.get("/search", scope="notes", **found).json
    assert notes == stranger.get(f"{path}/issues/{issue['iid']}/notes").json
    for scope in ("blobs", "commits"):
        [found_there] = stranger.get(
            f"{path}/search", scope=scope, search="initial" if scope == "commits" else "open"
        ).json
        assert "severity" not in found_there


def test_users_have_their_newer_fields(cast, today):
    [own] = check(cast.owner, today, "/user", USER, OWN_USER)
    assert own["commit_email"] == own["email"]
    [other] = check(cast.stranger, today, f"/users/{cast.owner.id}", USER)
    assert (other["bot"], other["locked"], other["public_email"]) == (False, False, "")
    [seen] = check(cast.root, today, f"/users/{cast.owner.id}", USER, fields(namespace_id=INTEGER))
    assert seen["namespace_id"] == own["namespace_id"]
    check(cast.anonymous, today, f"/users/{cast.owner.id}", USER)


def test_lists_of_users_have_references(cast, today):
    _, _, added = differences(cast.stranger, today, "/users")
    assert not any(added)


def test_projects_have_their_newer_fields(cast, today):
    path = f"/projects/{cast.private.id}"
    [one] = check(cast.owner, today, path, PROJECT, SINGLE_PROJECT)
    assert (one["readme_url"], one["can_create_merge_request_in"], one["import_type"]) == (None, True, None)
    assert [share["expires_at"] for share in one["shared_with_groups"]] == [None]
    assert (
        one["shared_with_groups"][0]["group_full_path"] == cast.owner.get(f"/groups/{cast.guild.id}").json["full_path"]
    )
    group = today(cast.owner).get(f"/namespaces/{cast.team.encoded}").json
    assert {name: group[name] for name in one["namespace"]} == one["namespace"]
    assert "web_url" not in cast.owner.get(path).json["namespace"]
    check(cast.owner, today, "/projects", PROJECT, per_page=2)
    [seen] = check(cast.guest, today, path, PROJECT, SINGLE_PROJECT)
    assert seen["can_create_merge_request_in"] is False


def test_simple_projects_stay_as_they_are(cast, today):
    _, _, added = differences(cast.owner, today, "/projects", simple=True)
    assert not any(added)


def test_levels_are_those_of_the_features_and_settings_stay(cast, today):
    path, owner = f"/projects/{cast.private.id}", today(cast.owner)
    changed = owner.put(path, wiki_enabled=False, squash_option="always").json
    assert (changed["wiki_access_level"], changed["issues_access_level"]) == ("disabled", "enabled")
    assert changed["squash_option"] == owner.get(path).json["squash_option"] == "always"


def test_the_readme_of_a_single_project(cast, today):
    made = today(cast.owner).post("/projects", name="described", initialize_with_readme=True)
    assert (made.status, made.json["readme_url"]) == (
        201,
        f"{made.json['web_url']}/blob/{made.json['default_branch']}/README.md",
    )
    assert cast.owner.get(f"/projects/{made.json['id']}").json.keys().isdisjoint({"readme_url", "import_type"})


def test_issues_have_their_newer_fields(cast, today):
    path = f"/projects/{cast.private.id}/issues"
    made = cast.owner.post(path, title="Tasks", description="- [x] One\n- [ ] Two").json
    [one] = check(cast.owner, today, f"{path}/{made['iid']}", ISSUE)
    assert one["references"]["full"] == f"{cast.private.path}#{made['iid']}"
    assert (one["task_completion_status"], one["has_tasks"]) == ({"count": 2, "completed_count": 1}, True)
    assert (one["moved_to_id"], one["merge_requests_count"], one["closed_by"]) == (None, 0, None)
    for listed in (path, "/issues", f"/groups/{cast.team.id}/issues"):
        check(cast.owner, today, listed, ISSUE, scope="all")
    check(cast.owner, today, path, ISSUE, with_labels_details=True)
    check(cast.owner, today, path, ISSUE, pagination="keyset", order_by="id")
    closed = today(cast.master).put(f"{path}/{made['iid']}", state_event="close").json
    assert closed["closed_by"]["username"] == cast.master.username


def test_a_moved_issue_names_its_successor_to_those_who_may_read_it(cast, today):
    path = f"/projects/{cast.public.id}/issues"
    made = cast.owner.post(path, title="Leaves").json
    moved = cast.owner.post(f"{path}/{made['iid']}/move", to_project_id=cast.private.id).json
    assert today(cast.owner).get(f"{path}/{made['iid']}").json["moved_to_id"] == moved["id"]
    assert today(cast.stranger).get(f"{path}/{made['iid']}").json["moved_to_id"] is None


def test_errors_and_empty_lists_stay_as_they_are(cast, today):
    someone = today(cast.stranger)
    assert someone.get(f"/projects/{cast.private.id}").json == {"message": "404 Project Not Found"}
    assert someone.get("/projects", search="nothing is called so").json == []
    assert someone.get("/version").json["version"] == "17.11.0-ee"


def test_epics_and_links_stay_exact(cast, today):
    group, project = f"/groups/{cast.team.id}", f"/projects/{cast.private.id}"
    epic = cast.owner.post(f"{group}/epics", title="Whole").json
    first, second = (cast.owner.post(f"{project}/issues", title=title).json for title in ("One", "Two"))
    cast.owner.post(f"{group}/epics/{epic['iid']}/issues/{first['id']}")
    cast.owner.post(
        f"{project}/issues/{first['iid']}/links", target_project_id=cast.private.id, target_issue_iid=second["iid"]
    )
    for path in (f"{group}/epics", f"{group}/epics/{epic['iid']}/issues", f"{project}/issues/{first['iid']}/links"):
        olds, news, _ = differences(cast.owner, today, path)
        assert news == olds
