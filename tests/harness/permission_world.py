"""At least one of every resource in each project of the cast, so that every route has something to find.

For the tests that walk all routes. Each resource is created by the request of the product that creates it, sent by one
of the cast. A new route that finds nothing fails "every row has a success": add what it needs here.
"""

import hashlib
import re
from io import BytesIO
from pathlib import Path
from typing import Any, NamedTuple
from zipfile import ZipFile

import pygit2

from mujina.adapters.git.storage import RepositoryStorage
from mujina.ci.jobs import operations as jobs
from mujina.kernel.http.routing import is_capture
from mujina.kernel.secrets import Vault, instance_key
from tests.harness.cast import Cast, Person
from tests.harness.client import Answer, File, Raw
from tests.harness.pipeline_jobs import start_job
from tests.harness.public_keys import gpg_key, ssh_key
from tests.harness.visitor import Visitor

Ids = dict[str, Any]
"""What a capture is filled with, by the shape of the path up to it: `/projects/:/issues/:` → 1."""

VISIBILITIES = ("private", "internal", "public")


class Resource(NamedTuple):
    request: str
    by: str
    params: dict[str, Any] = {}  # noqa: RUF012 - a named tuple, and nothing changes it
    """A text may name the cast (`{guest.id}`) or, if it starts with a slash, an id (`/projects/:/labels/:`)."""
    at: str = ""
    """The key of its id. Empty: what the request creates (POST) or changes (PUT), by the shape of its path."""
    key: str = "id"
    """The field of the response that is its id; of the first element if the response or the list below the path has it."""


def _commit(branch: str, file_path: str, **more: str) -> dict[str, Any]:
    action = {"action": "create", "file_path": file_path, "content": "hello\n"}
    return {"branch": branch, "commit_message": f"Add {file_path}", "actions": [action], **more}


_CI_FILE = {
    "action": "create",
    "file_path": ".gitlab-ci.yml",
    "content": "a:\n  script: b\n  when: manual\nc:\n  script: d\n",
}

_REVIEW_FILE = {**_CI_FILE, "content": "review:\n  script: b\n  only:\n    - merge_requests\n"}


def _happened(nouns: str, by: str, *fields: str) -> list[Resource]:
    """Labels, a milestone and a weight come and go, the state changes: each is an event."""
    here, milestone = f"/projects/:id/{nouns}/:iid", "/projects/:/milestones/:"
    changes: list[dict[str, Any]] = [
        {"labels": "A label", "weight": 3, "milestone_id": milestone, "state_event": "close"},
        {"labels": "", "weight": None, "milestone_id": 0, "state_event": "reopen"},
    ]
    return [
        *(Resource(f"PUT {here}", by, change, key="iid") for change in changes),
        *(
            Resource(f"GET {here}/resource_{field}_events", by, at=f"/projects/:/{nouns}/:/resource_{field}_events/:")
            for field in fields
        ),
    ]


def npm_document(version: str, tag: str) -> dict[str, Any]:
    """What npm sends to publish a package of one empty file."""
    return {
        "name": "@company/tool", "versions": {version: {}}, "dist-tags": {tag: version},
        "_attachments": {f"@company/tool-{version}.tgz": {"data": ""}},
    }  # fmt: skip


RESOURCES = [
    Resource("POST /broadcast_messages", "root", {"message": "A message"}),
    Resource("POST /features/a_feature", "root", {"value": "true"}, at="/features/:", key="name"),
    Resource("POST /applications", "root", {"name": "An app", "redirect_uri": "https://example.org/", "scopes": "api"}),
    Resource("POST /user/keys", "reporter", {"title": "A key", "key": ssh_key("one")}),
    Resource("POST /user/gpg_keys", "reporter", {"key": gpg_key("one")}),
    Resource("POST /user/emails", "reporter", {"email": "further@example.org"}),
    Resource("POST /users/:id/keys", "root", {"title": "A key", "key": ssh_key("two")}),
    Resource("POST /users/:id/gpg_keys", "root", {"key": gpg_key("two")}),
    Resource("POST /users/:id/emails", "root", {"email": "another@example.org", "skip_confirmation": True}),
    Resource("POST /users/:id/impersonation_tokens", "root", {"name": "A token", "scopes": ["api"]}),
    Resource("PUT /users/:id/custom_attributes/color", "root", {"value": "x"}, key="key"),
    Resource("POST /snippets", "reporter", {"title": "x", "file_name": "x", "content": "x", "visibility": "internal"}),
    Resource("POST /groups", "root", {"name": "Club", "path": "club", "visibility": "public"}, at="/groups/another"),
    Resource("POST /groups", "root", {"name": "Choir", "path": "choir"}, at="/groups/:/share/:"),
    # Expired: it can be ended as any other, and gives none of the cast access.
    Resource(
        "POST /groups/:id/share", "root",
        {"group_id": "/groups/:/share/:", "group_access": 10, "expires_at": "2018-01-01"}, at="/groups/shared",
    ),
    Resource("POST /projects", "root", {"name": "elsewhere", "visibility": "public"}, at="/projects/another"),
    Resource("POST /hooks", "root", {"url": "http://{refusing}/system"}),
    Resource("POST /topics", "root", {"name": "knitting", "title": "Knitting"}, at="/topics/neighbor"),
    Resource("POST /topics", "root", {"name": "sewing", "title": "Sewing"}),
    Resource("POST /admin/ci/variables", "root", {"key": "A_KEY", "value": "x"}, key="key"),
    Resource("POST /groups/:id/variables", "owner", {"key": "A_KEY", "value": "x"}, key="key"),
    Resource("POST /groups/:id/access_tokens", "owner", {"name": "Bot", "scopes": ["api"]}),
    Resource("POST /groups/:id/deploy_tokens", "owner", {"name": "Reader", "scopes": ["read_repository"]}),
    Resource("POST /groups/:id/badges", "owner", {"link_url": "https://example.org", "image_url": "https://example.org/x"}),
    Resource("POST /groups/:id/hooks", "owner", {"url": "http://{refusing}/group", "push_events": False}),
    Resource("PUT /groups/:id", "owner", {"request_access_enabled": True}),
    Resource("POST /groups/:id/access_requests", "left"),
    Resource("PUT /groups/:id/custom_attributes/color", "root", {"value": "x"}, key="key"),
    Resource("POST /groups/:id/members", "owner", {"user_id": "{blocked.id}", "access_level": 10}),
    Resource(
        "POST /groups/:id/invitations", "owner", {"email": "invited@example.org", "access_level": 10},
        key="invite_email",
    ),
    Resource("POST /groups/:id/labels", "owner", {"name": "A group label", "color": "red"}),
    Resource("POST /groups/:id/labels/:id/subscribe", "reporter"),
    Resource("POST /groups/:id/milestones", "owner",
             {"title": "A group milestone", "start_date": "2018-01-01", "due_date": "2018-02-01"}),
    Resource("POST /groups/:id/labels", "owner", {"name": "A spare label", "color": "blue"}, at="/labels/spare"),
    Resource("POST /groups/:id/boards", "owner", {"name": "A group board"}),
    Resource("POST /groups/:id/boards/:id/lists", "owner", {"label_id": "/groups/:/labels/:"}),
    Resource("POST /groups/:id/-/epics", "owner", {"title": "An epic"}, key="iid"),
    # A new issue is added by its own id, and found again by the id of its link.
    Resource("GET /groups/:id/issues", "owner", at="POST /groups/:/-/epics/:/issues/:"),
    Resource("GET /groups/:id/issues", "owner", at="/groups/:/-/epics/:/issues/:"),
    Resource("POST /groups/:id/-/epics/:iid/issues/:id", "owner", at="/epics/neighbor"),
    Resource("GET /groups/:id/issues", "owner", {"sort": "asc"}, at="/groups/:/-/epics/:/issues/:"),
    Resource("POST /groups/:id/-/epics/:iid/issues/:id", "owner", at="/groups/:/-/epics/:/issues/:"),
    Resource("POST /groups/:id/-/epics/:iid/notes", "reporter", {"body": "A note"}),
    Resource("POST /groups/:id/-/epics/:iid/discussions", "reporter", {"body": "A question"}),
    Resource("POST /groups/:id/-/epics/:iid/discussions/:id/notes", "reporter", {"body": "An answer"}),
    Resource("POST /groups/:id/-/epics/:iid/award_emoji", "developer", {"name": "thumbsup"}),
    Resource("POST /groups/:id/-/epics/:iid/notes/:id/award_emoji", "developer", {"name": "thumbsup"}),
    Resource("GET /groups/:id/issues", "owner", at="/issues/:"),
    Resource("POST /runners/reset_registration_token", "root", at="/runners/registration", key="token"),
    Resource("POST /user/runners", "root", {"runner_type": "instance_type"}, at="/runners/token", key="token"),
    Resource("POST /user/runners", "master", {"runner_type": "project_type", "project_id": "{private.id}"}, at="/runners/:"),
    Resource("POST /user/runners", "master", {"runner_type": "project_type", "project_id": "{public.id}"}, at="/runners/public"),
    Resource("POST /user/runners", "root", {"runner_type": "project_type", "project_id": "/projects/another"}, at="/runners/spare"),
    # A person who may not see the private project has asked for access while it was public.
    Resource("PUT /projects/:id", "owner", {"request_access_enabled": True, "visibility": "public"}),
    Resource("POST /projects/:id/access_requests", "left"),
    Resource("PUT /projects/:id", "owner", {"visibility": "{visibility}"}),
    Resource("PUT /projects/:id/custom_attributes/color", "root", {"value": "x"}, key="key"),
    Resource(
        "POST /projects/:id/invitations", "master", {"email": "invited@example.org", "access_level": 10},
        key="invite_email",
    ),
    Resource("POST /projects/:id/uploads", "reporter", {"file": File("a.txt", b"hello")}, key="url"),
    Resource("POST /projects/:id/labels", "reporter", {"name": "A label", "color": "red"}),
    Resource("POST /projects/:id/labels/:id/subscribe", "reporter"),
    Resource("POST /projects/:id/star", "reporter"),
    Resource("POST /projects/:id/milestones", "developer",
             {"title": "A milestone", "start_date": "2018-01-01", "due_date": "2018-02-01"}),
    *_happened("issues", "reporter", "label", "milestone", "state", "weight"),
    Resource("GET /projects/:id/issues", "reporter", {"iids": ["{confidential}"]}, at="/issues/neighbor"),
    Resource("POST /projects/:id/issues/:iid/todo", "reporter", at="/todos/:"),
    Resource("POST /projects/:id/issues/:iid/notes", "reporter", {"body": "A note"}),
    Resource("POST /projects/:id/issues/:iid/discussions", "reporter", {"body": "A question"}),
    Resource("POST /projects/:id/issues/:iid/discussions/:id/notes", "developer", {"body": "An answer"}),
    Resource("POST /projects/:id/issues/:iid/award_emoji", "developer", {"name": "thumbsup"}),
    Resource("POST /projects/:id/issues/:iid/notes/:id/award_emoji", "developer", {"name": "thumbsup"}),
    Resource(
        "POST /projects/:id/issues/:iid/links", "reporter",
        {"target_project_id": "/projects/:", "target_issue_iid": "{farewell}"}, key="issue_link_id",
    ),
    Resource(
        "POST /projects/:id/snippets", "reporter",
        {"title": "x", "file_name": "x", "code": "x", "visibility": "private"},
    ),
    Resource("POST /projects/:id/snippets/:id/notes", "reporter", {"body": "A note"}),
    Resource("POST /projects/:id/snippets/:id/discussions", "reporter", {"body": "A question"}),
    Resource("POST /projects/:id/snippets/:id/discussions/:id/notes", "developer", {"body": "An answer"}),
    Resource("POST /projects/:id/snippets/:id/award_emoji", "developer", {"name": "thumbsup"}),
    Resource("POST /projects/:id/snippets/:id/notes/:id/award_emoji", "developer", {"name": "thumbsup"}),
    Resource("POST /projects/:id/boards", "master", {"name": "A board"}),
    Resource("POST /projects/:id/boards/:id/lists", "master", {"label_id": "/projects/:/labels/:"}),
    Resource("POST /projects/:id/wikis", "developer", {"title": "home", "content": "x"}, key="slug"),
    Resource("POST /projects/:id/variables", "master", {"key": "A_KEY", "value": "x"}, key="key"),
    Resource(
        "POST /projects/:id/job_token_scope/allowlist", "root", {"target_project_id": "/projects/another"},
        key="target_project_id",
    ),
    Resource(
        "POST /projects/:id/job_token_scope/groups_allowlist", "root", {"target_group_id": "/groups/another"},
        key="target_group_id",
    ),
    Resource("POST /projects/:id/triggers", "master", {"description": "One"}, at="/triggers/token", key="token"),
    Resource("POST /projects/:id/triggers", "master", {"description": "A trigger"}),
    # An enabled one would be pushed to after every change of the repository.
    Resource(
        "POST /projects/:id/remote_mirrors", "master",
        {"url": "ssh://git@{refusing}/x.git", "auth_method": "ssh_public_key", "enabled": False,
         "host_keys": [ssh_key("mirror")]},
    ),
    Resource(
        "POST /projects/:id/pipeline_schedules", "developer",
        {"description": "Nightly", "ref": "ci", "cron": "0 4 * * *"},
    ),
    Resource(
        "POST /projects/:id/pipeline_schedules/:id/variables", "developer", {"key": "A_KEY", "value": "x"}, key="key"
    ),
    Resource("POST /projects/:id/access_tokens", "master", {"name": "Bot", "scopes": ["api"]}),
    Resource("POST /projects/:id/badges", "master", {"link_url": "https://example.org", "image_url": "https://example.org/x"}),
    Resource("POST /projects/:id/deploy_tokens", "master", {"name": "Reader", "scopes": ["read_repository"]}),
    Resource("POST /projects/:id/hooks", "master", {"url": "http://{refusing}/project", "push_events": False}),
    Resource("POST /projects/:id/deploy_keys", "master", {"title": "A key", "key": "{deploy_key}"}),
    Resource("POST /projects/:id/runners", "root", {"runner_id": "/runners/spare"}),
    Resource("POST /projects/:id/protected_tags", "master", {"name": "stable"}, key="name"),
    Resource("POST /projects/:id/protected_branches", "master", {"name": "stable"}, key="name"),
    Resource("POST /projects/:id/repository/commits", "master", _commit("master", "README.md")),
    Resource(
        "POST /projects/:id/repository/commits", "developer", _commit("topic", "topic.txt", start_branch="master")
    ),
    Resource(
        "POST /projects/:id/repository/commits", "developer",
        {"branch": "topic", "commit_message": "Review", "actions": [_REVIEW_FILE]},
    ),
    Resource(
        "POST /projects/:id/merge_requests", "developer",
        {"title": "A request", "source_branch": "topic", "target_branch": "master"}, key="iid",
    ),
    *_happened("merge_requests", "developer", "label", "milestone", "state"),
    Resource("POST /projects/:id/merge_requests/:iid/notes", "reporter", {"body": "A note"}),
    Resource("POST /projects/:id/merge_requests/:iid/discussions", "reporter", {"body": "A question"}),
    Resource("POST /projects/:id/merge_requests/:iid/discussions/:id/notes", "developer", {"body": "An answer"}),
    Resource("POST /projects/:id/merge_requests/:iid/draft_notes", "reporter", {"note": "A draft"}),
    Resource("POST /projects/:id/merge_requests/:iid/award_emoji", "reporter", {"name": "thumbsup"}),
    Resource("POST /projects/:id/merge_requests/:iid/notes/:id/award_emoji", "developer", {"name": "thumbsup"}),
    Resource(
        "GET /projects/:id/merge_requests/:iid/versions", "developer", at="/projects/:/merge_requests/:/versions/:"
    ),
    Resource(
        "POST /projects/:id/repository/branches", "developer", {"branch": "spare", "ref": "master"}, key="name"
    ),
    Resource(
        "POST /projects/:id/repository/tags", "developer", {"tag_name": "bare", "ref": "master"},
        at="POST /projects/:/repository/tags/:", key="name",
    ),
    Resource(
        "POST /projects/:id/repository/tags", "developer",
        {"tag_name": "v1", "ref": "master", "message": "One", "release_description": "Notes"}, key="name",
    ),
    Resource(
        "POST /projects/:id/releases/:tag/assets/links", "developer",
        {"name": "tool", "url": "https://files.example.org/tool", "filepath": "/tool"},
    ),
    Resource("POST /projects/:id/export", "master", at="/export/made", key="message"),
    Resource("PUT /projects/:id/packages/generic/tool/1/file.txt", "developer", at="/packages/made", key="message"),
    Resource("GET /projects/:id/packages", "reporter", at="/projects/:/packages/:"),
    Resource("GET /projects/:id/packages/:id/package_files", "reporter", at="/projects/:/packages/:/package_files/:"),
    Resource(
        "POST /projects/:id/packages/pypi", "developer",
        {"name": "tool", "version": "1", "content": File("tool-1.tar.gz", b"x")}, at="/packages/pypi", key="message",
    ),
    Resource(
        "PUT /projects/:id/packages/npm/@company%2ftool", "developer", npm_document("1.0.0", "next"), at="/packages/npm",
        key="success",
    ),
    Resource(
        "GET /projects/:id/packages/npm/@company%2ftool", "reporter", at="/projects/:/packages/npm/:/-rev/:", key="_rev"
    ),
    Resource("POST /projects/:id/repository/commits/:sha/comments", "reporter", {"note": "A comment"}, key="note"),
    Resource("POST /projects/:id/repository/commits/:sha/discussions", "reporter", {"body": "A question"}),
    Resource("POST /projects/:id/repository/commits/:sha/discussions/:id/notes", "developer", {"body": "An answer"}),
    Resource(
        "GET /projects/:id/repository/commits/:sha/discussions/:id/notes/:id", "developer",
        at="/projects/:/repository/commits/:/notes/:",
    ),
    Resource("GET /projects/:id/repository/commits/:sha", "reporter", at="/projects/:/statuses/:"),
    Resource("POST /projects/:id/statuses/:sha", "developer", {"state": "success"}),
    Resource("POST /projects/:id/statuses/:sha", "developer", {"state": "running", "name": "slow"}),
    Resource(
        "POST /projects/:id/repository/commits", "developer",
        {"branch": "ci", "start_branch": "master", "commit_message": "Build", "actions": [_CI_FILE]}, at="/commits/ci",
    ),
    Resource("POST /projects/:id/pages/domains", "master", {"domain": "{visibility}.example.org"}, key="domain"),
    *(
        Resource(f"PUT /projects/:id/services/{slug}", "master", {"token": "a-token-of-a-chat"}, at=f"/services/{slug}")
        for slug in ("mattermost-slash-commands", "slack-slash-commands")
    ),
    Resource(
        "PUT /projects/:id/services/emails-on-push", "master", {"recipients": "team@example.org"}, at="/services/saved"
    ),
    Resource(
        "PUT /projects/:id/services/external-wiki", "master", {"external_wiki_url": "https://wiki.example.org/"},
        at="/services/wiki",
    ),
    Resource("POST /projects/:id/environments", "developer", {"name": "production"}),
    Resource("POST /projects/:id/feature_flags", "developer", {"name": "flag", "strategies": [{"name": "default"}]}, key="name"),
    Resource("GET /projects/:id", "developer", at="/feature_flags/unleash/:"),
    Resource("POST /projects/:id/feature_flags_user_lists", "developer", {"name": "Some", "user_xids": "a"}, key="iid"),
    Resource(
        "POST /projects/:id/deployments", "developer",
        {"environment": "production", "sha": "ci", "ref": "ci", "tag": False, "status": "success"},
    ),
    Resource("POST /projects/:id/pipeline", "developer", {"ref": "ci", "variables": {"A": "b"}}, at="/projects/:/pipelines/:"),
    # A manual job that was canceled can be canceled, retried and played.
    Resource("GET /projects/:id/jobs", "developer", {"scope": "manual"}, at="/projects/:/jobs/:"),
    Resource("POST /projects/:id/jobs/:id/cancel", "developer"),
    Resource("POST /projects/:id/approvals", "master", {"approvals_before_merge": 1}, key="approvals_before_merge"),
    Resource("POST /projects/:id/merge_requests/:iid/approve", "master"),
    # It waits for a pipeline that does not end.
    Resource("PUT /projects/:id/merge_requests/:iid/merge", "master", {"merge_when_pipeline_succeeds": True}),
    Resource("GET /projects/:id/repository/tree", "reporter", at="/projects/:/repository/blobs/:"),
    Resource(
        "POST /groups/:id/ldap_group_links", "owner", {"cn": "dev", "group_access": 30, "provider": "dev"}, key="cn"
    ),
    Resource("PUT /users/:id", "root", {"provider": "ldapmain", "extern_uid": "uid=x"}, at="/users/identified"),
    Resource("GET /audit_events", "root", at="/audit_events/:"),
    Resource("GET /personal_access_tokens", "reporter", at="/personal_access_tokens/:"),
    Resource("GET /groups/:id/audit_events", "owner", at="/groups/:/audit_events/:"),
    Resource("GET /projects/:id/audit_events", "owner", at="/projects/:/audit_events/:"),
    # Reading a merge request computes its status, and lists show what was computed.
    Resource("GET /projects/:id/merge_requests/:iid", "developer", at="/projects/:/merge_requests/read"),
    Resource(
        "PUT /projects/:id", "owner",
        {"import_url": "ssh://git@{refusing}/x.git", "import_host_keys": [ssh_key("mirror")], "mirror": True},
    ),
]  # fmt: skip
"""In the order in which they are created."""


PEOPLE = {
    "/groups/:/members/all/:": "inherited",
    "/projects/:/members/:": "guest",
    "/projects/:/members/all/:": "inherited",
    "/projects/user/:": "reporter",
    "/users/:": "reporter",
}
"""Captures that are one of the cast, by the shape of the path up to them."""

NAMES = {
    "/groups/:/hooks/:/events/:": 0,
    "/groups/:/hooks/:/test/:": "issues_events",
    "/projects/:/hooks/:/events/:": 0,
    "/projects/:/hooks/:/test/:": "issues_events",
    "/projects/:/ref/:": "ci",
    "/projects/:/packages/generic/:": "tool",
    "/projects/:/packages/generic/:/:": "1",
    "/projects/:/packages/generic/:/:/:": "file.txt",
    "/projects/:/packages/pypi/simple/:": "tool",
    "/projects/:/packages/pypi/files/:": hashlib.sha256(b"x").hexdigest(),
    "/projects/:/packages/pypi/files/:/:": "tool-1.tar.gz",
    "/groups/:/-/packages/pypi/simple/:": "tool",
    "/projects/:/packages/npm/:": "@company%2ftool",
    "/projects/:/packages/npm/:/-/:": "tool-1.0.0.tgz",
    "/projects/:/packages/npm/:/-/:/-rev/:": "1",
    "/projects/:/packages/npm/-/package/:": "@company%2ftool",
    "/projects/:/packages/npm/-/package/:/dist-tags/:": "next",
    "/groups/:/-/packages/npm/:": "@company%2ftool",
    "/groups/:/-/packages/npm/-/package/:": "@company%2ftool",
    "/packages/npm/:": "@company%2ftool",
    "/packages/npm/-/package/:": "@company%2ftool",
    "/projects/:/releases/:": "v1",
    "/projects/:/releases/:/downloads/:": "tool",
    "/projects/:/releases/permalink/latest/:": "assets",
    "/projects/:/repository/:": "archive.tar.gz",
    "/users/:/identities/:": "ldapmain",
    "/groups/:/ldap_group_links/:/:": "dev",
    "/ldap/:": "ldapmain",
    "/projects/:/repository/files/:": "README.md",
    "POST /projects/:/repository/files/:": "new.txt",
    "/projects/:/integrations/:": "emails-on-push",
    "/projects/:/services/:": "emails-on-push",
    **{f"{at}snippets/:/files/:": "main" for at in ("/", "/projects/:/")},
    **{f"{at}snippets/:/files/:/:": "x" for at in ("/", "/projects/:/")},
    "/projects/:/templates/:": "licenses",
    "/projects/:/templates/:/:": "mit",
    "/templates/dockerfiles/:": "Golang",
    "/templates/gitignores/:": "Go",
    "/templates/gitlab_ci_ymls/:": "Go",
    "/templates/licenses/:": "mit",
}
"""Captures that are the same everywhere. A verb before the shape limits it to the routes of this verb."""


def shape(path: str) -> str:
    """The path without the names of its captures, which differ from route to route."""
    return re.sub(r"[:*]\w+", ":", path)


def build_world(cast: Cast, data: Path, refusing: str) -> dict[str, Ids]:
    """Create everything. By visibility, the ids of the project that has it and of all that is around it.

    `data` is the data folder of the application.
    `refusing` is the host and port that hooks call: every connection is refused.
    """
    around: Ids = {path: getattr(cast, name).id for path, name in PEOPLE.items()}
    around |= {"/groups/:": cast.team.id, "/namespaces/:": cast.team.id, **NAMES}
    names = {**cast.names, "refusing": refusing}
    in_projects = [resource for resource in RESOURCES if " /projects/:" in resource.request]
    for resource in RESOURCES:
        if resource not in in_projects:
            _create(resource, names, around)
    around |= {
        "/keys/:": around["/user/keys/:"],
        "/groups/:/projects/:": around["/projects/another"],
        "/projects/:/fork/:": around["/projects/another"],
        "/projects/:/share/:": cast.guild.id,
    }
    around |= {at.replace("/-/epics", "/epics"): id for at, id in around.items() if "/-/epics" in at}
    around |= dict.fromkeys(("POST /users/:/approve", "POST /users/:/reject"), _sign_up(cast))
    _take_job(cast, around)
    _list_source(cast)
    found: dict[str, Ids] = {}
    for visibility in VISIBILITIES:
        found[visibility] = {
            **around,
            "/projects/:": getattr(cast, visibility).id,
            "/projects/:/issues/:": cast.open,
            "/projects/sibling": (cast.private if visibility == "public" else cast.public).id,
            "/runners/sibling": around["/runners/:" if visibility == "public" else "/runners/public"],
        }
        for resource in in_projects:
            own = {"visibility": visibility, "deploy_key": ssh_key(visibility)}
            _create(resource, {**names, **own}, found[visibility])
        _suggest(cast.reporter, found[visibility])
        _log_delivery(cast.master, "/projects/:", found[visibility])
        _sign_commit(cast.reporter, data, found[visibility])
        _store_files(cast, data, found[visibility])
    _log_delivery(cast.owner, "/groups/:", around)
    for ids in found.values():
        ids |= {at: around[at] for at in around.keys() - ids.keys()}
    return found


def _sign_up(cast: Cast) -> int:
    """The id of a user who signed up on the page and waits for approval."""
    assert cast.root.put("/application/settings", signup_enabled=True).status == 200
    visitor = Visitor(cast.anonymous)
    visitor.open("/users/sign_up")
    fields = {"name": "Newt", "username": "newt", "email": "newt@example.org", "password": "a-password-of-newt"}
    assert visitor.send("/users/sign_up", **{f"user[{name}]": value for name, value in fields.items()}).status == 303
    assert cast.root.put("/application/settings", signup_enabled=False).status == 200
    return cast.root.get("/users", username="newt").json[0]["id"]


def _take_job(cast: Cast, around: Ids) -> None:
    """A job that a runner executes: its id, and the token with which the runner reports."""
    now = "2018-01-01T00:00:00.000Z"
    cast.run(
        """INSERT INTO pipelines (project_id, iid, ref, sha, source, created_at, updated_at)
           VALUES (:project_id, 9999, 'master', :sha, 'push', :now, :now)""",
        project_id=cast.private.id, sha="0" * 40, now=now,
    )  # fmt: skip
    cast.run(
        """INSERT INTO pipeline_jobs
               (project_id, pipeline_id, name, stage, stage_index, status, user_id, options, created_at, updated_at)
           SELECT pl.project_id, pl.id, 'rspec', 'test', 0, 'pending', :user_id, :options, :now, :now
           FROM pipelines pl WHERE pl.iid = 9999""",
        user_id=cast.developer.id, options='{"name": "rspec", "base_name": "rspec"}', now=now,
    )  # fmt: skip
    answer = cast.anonymous.post("/jobs/request", token=around["/runners/token"])
    assert answer.status == 201, answer
    around |= dict.fromkeys(("/jobs/:", "PUT /jobs/:"), answer.json["id"]) | {"/jobs/token": answer.json["token"]}


def _suggest(person: Person, ids: Ids) -> None:
    """Suggest another line in the merge request."""
    here = fill("/projects/:id/merge_requests/:iid", ids)
    refs = person.get(here).json["diff_refs"]
    position = {"position_type": "text", **refs, "new_path": "topic.txt", "new_line": 1}
    answer = person.post(f"{here}/discussions", body="```suggestion\nhi\n```", position=position)
    assert answer.status == 201, answer
    ids["/suggestions/:"] = answer.json["notes"][0]["suggestions"][0]["id"]


def _log_delivery(person: Person, owner: str, ids: Ids) -> None:
    """Test the hook, so that pages have an attempt to show: its receiver refuses every connection."""
    place = fill(f"{owner}id/hooks/:hook_id", ids)
    answer = person.post(f"{place}/test/push_events")
    assert answer.status == 422, answer
    ids[f"{owner}/hooks/:/hook_logs/:"] = person.get(f"{place}/events").json[0]["id"]


def _sign_commit(person: Person, data: Path, ids: Ids) -> None:
    """Add a signed commit, which no request creates: git signs. Its signature is read, and with that stored."""
    repository = pygit2.Repository(str(RepositoryStorage.of(data).repo_path(ids["/projects/:"])))
    head = repository[str(ids["/projects/:/repository/commits/:"])].peel(pygit2.Commit)
    by = "A <a@example.org> 1767225600 +0000"
    text = f"tree {head.tree_id}\nauthor {by}\ncommitter {by}\n\nSigned\n"
    signed = str(repository.create_commit_with_signature(text, "-----BEGIN PGP SIGNATURE-----", "gpgsig"))
    ids["GET /projects/:/repository/commits/:/signature"] = ids["/projects/:/commits/:"] = signed  # and its history
    answer = person.get(f"/projects/{ids['/projects/:']}/repository/commits/{signed}/signature")
    assert answer.status == 200, answer


def _store_files(cast: Cast, data: Path, ids: Ids) -> None:
    """Let a job succeed that leaves a trace and an archive, as only a runner does."""
    here = f"/projects/{ids['/projects/:']}"
    pipeline = cast.developer.post(f"{here}/pipeline", ref="ci").json["id"]
    [job] = [each["id"] for each in cast.developer.get(f"{here}/pipelines/{pipeline}/jobs").json if each["name"] == "c"]
    vault = Vault(instance_key(data))
    headers = {"JOB-TOKEN": start_job(cast, vault, job), "Content-Range": "0-5"}
    archive = BytesIO()
    with ZipFile(archive, "w") as files:
        files.writestr("README.md", "hello")
    upload = Raw.multipart({"file": ("a.zip", archive.getvalue())})
    stored = cast.anonymous.post(f"/jobs/{job}/artifacts", Raw(body=upload.body, type=upload.type, headers=headers))
    assert stored.status == 201, stored
    assert cast.anonymous.patch(f"/jobs/{job}/trace", Raw(body=b"hello", headers=headers)).status == 202
    cast.transact(lambda tx: jobs.finish(tx, job, "success"))
    cast.run("DELETE FROM jobs WHERE task = 'traces.archive'")  # what tests read does not change after ten minutes
    verbs = ("GET /projects/:/jobs/:", "POST /projects/:/jobs/:/erase", "POST /projects/:/jobs/:/artifacts/keep")
    ids |= dict.fromkeys((*verbs, "DELETE /projects/:/jobs/:/artifacts"), job)
    ids |= {"/projects/:/jobs/:/artifacts/:": "README.md", "/projects/:/jobs/artifacts/:": "ci"}
    ids["/projects/:/jobs/artifacts/:/raw/:"] = "README.md"


def _list_source(cast: Cast) -> None:
    """A move for which the master may choose projects, as if a server had listed them."""
    bound = {"user_id": cast.master.id, "now": "2020-01-01T00:00:00.000Z"}
    cast.run(
        """INSERT INTO moves (user_id, address, status, created_at, updated_at)
           VALUES (:user_id, 'https://forge.example', 'listed', :now, :now)""",
        **bound,
    )
    cast.run(
        """INSERT INTO move_projects (move_id, path, path_folded, status)
           SELECT m.id, 'team/app', 'team/app', 'found' FROM moves m"""
    )


def _create(resource: Resource, names: dict[str, Any], ids: Ids) -> None:
    verb, path = resource.request.split(" ")
    person = names[resource.by]
    answer: Answer = person.ask(verb, fill(path, ids), params=bind(resource.params, names, ids))
    assert answer.status in {200, 201, 202}, (resource, answer)
    found = answer.json if resource.key in answer.json or verb == "GET" else person.get(fill(path, ids)).json
    at = resource.at or shape(path if verb == "POST" else path.rpartition("/")[0]) + "/:"
    ids[at] = (found[0] if isinstance(found, list) else found)[resource.key]


def bind(value: Any, names: dict[str, Any], ids: Ids) -> Any:
    """The value with everything in it that stands for one of the cast or for an id."""
    if isinstance(value, dict):
        return {key: bind(each, names, ids) for key, each in value.items()}
    if isinstance(value, list):
        return [bind(each, names, ids) for each in value]
    if not isinstance(value, str):
        return value
    return ids[value] if value in ids else value.format_map(names)


def fill(path: str, ids: Ids, verb: str = "") -> str:
    """The path with an id for each capture: the one for this verb, if there is one; for the last, one for this route."""
    done = here = ""
    segments = path.strip("/").split("/")
    last = max((n for n, segment in enumerate(segments) if is_capture(segment)), default=-1)
    for n, segment in enumerate(segments):
        here += "/" + shape(segment)
        keys = (f"{verb} {shape(path)}" if n == last else "", f"{verb} {here}")
        key = next((key for key in keys if key in ids), here)
        done += "/" + (str(ids[key]) if is_capture(segment) else segment)
    return done
