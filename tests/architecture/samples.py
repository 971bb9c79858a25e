"""The parameters with which each route is called, so that only the caller decides the status. A new route joins by
itself, with plain values; the values that must be better are here, and what its path finds is in
`tests/harness/permission_world.py`."""

import json
from collections.abc import Iterable, Iterator
from typing import Any

from mujina.accounts.keys.public_keys import parse
from mujina.kernel.http.params import fields_of
from mujina.kernel.http.routing import Route
from tests.harness.client import File, Raw
from tests.harness.permission_world import Ids, bind, npm_document
from tests.harness.public_keys import gpg_key, ssh_key

_NEW_FILE = {"action": "create", "file_path": "another.txt", "content": "x"}

PARAMS: dict[str, Any] = {
    "DELETE /groups/:id/labels name": "A group label",
    "DELETE /projects/:id/labels name": "A label",
    "DELETE /projects/:id/repository/files/:file_path branch": "topic",
    "GET /keys fingerprint": parse(ssh_key("one")).md5,
    "GET /projects/:id/repository/changelog from": "master",
    "GET /projects/:id/repository/changelog to": "topic",
    "GET /projects/:id/repository/compare to": "topic",
    "PUT /projects/:id/labels/promote name": "A label",
    "GET /projects/:id/repository/merge_base refs": ["master", "topic"],
    "POST /admin/ci/variables key": "ANOTHER_KEY",
    "POST /groups/:id/variables key": "ANOTHER_KEY",
    "POST /projects/:id/variables key": "ANOTHER_KEY",
    "POST /projects/:id/pipeline_schedules cron": "0 4 * * *",
    "POST /projects/:id/pipeline_schedules/:schedule_id/variables key": "ANOTHER_KEY",
    "POST /features/:name value": "true",
    "PUT /groups/:id/-/epics/:epic_iid/issues/:epic_issue_id move_before_id": "/epics/neighbor",
    "PUT /groups/:id/epics/:epic_iid/issues/:epic_issue_id move_before_id": "/epics/neighbor",
    "POST /groups/:id/-/epics/:noteable_id/award_emoji name": "heart",
    "POST /groups/:id/-/epics/:noteable_id/notes/:note_id/award_emoji name": "heart",
    "POST /groups/:id/epics/:noteable_id/award_emoji name": "heart",
    "POST /groups/:id/epics/:noteable_id/notes/:note_id/award_emoji name": "heart",
    "POST /groups/:id/members user_id": "{stranger.id}",
    "POST /projects/:id/issues/:issue_iid/links target_issue_iid": "{confidential}",
    "POST /projects/:id/issues/:issue_iid/links target_project_id": "{private.id}",
    "PUT /projects/:id/issues/:issue_iid/reorder move_before_id": "/issues/neighbor",
    "POST /projects/:id/issues/:issue_iid/clone to_project_id": "/projects/sibling",
    "POST /projects/:id/issues/:issue_iid/move to_project_id": "/projects/sibling",
    "POST /projects/:id/issues/:noteable_id/award_emoji name": "heart",
    "POST /projects/:id/issues/:noteable_id/notes/:note_id/award_emoji name": "heart",
    "POST /projects/:id/merge_requests/:noteable_id/award_emoji name": "heart",
    "POST /projects/:id/merge_requests/:noteable_id/notes/:note_id/award_emoji name": "heart",
    "POST /projects/:id/merge_requests/:merge_request_iid/approvals approvals_required": 2,
    "POST /projects/:id/merge_requests source_branch": "spare",
    "POST /projects/:id/merge_requests target_branch": "master",
    "POST /projects/:id/members user_id": "{stranger.id}",
    "PATCH /projects/:id/job_token_scope enabled": True,
    "POST /projects/:id/job_token_scope/allowlist target_project_id": "/projects/sibling",
    "POST /projects/:id/job_token_scope/groups_allowlist target_group_id": "{team.id}",
    "GET /projects/:id/jobs/artifacts/*ref_name/download job": "c",
    "GET /projects/:id/jobs/artifacts/*ref_name/raw/*artifact_path job": "c",
    "GET /projects/:id/pipelines/latest ref": "ci",
    "POST /projects/:id/deploy_tokens scopes": ["read_repository"],
    "POST /groups/:id/deploy_tokens scopes": ["read_repository"],
    "POST /topics/merge source_topic_id": "/topics/neighbor",
    "POST /topics/merge target_topic_id": "/topics/:",
    "POST /user/personal_access_tokens scopes": ["self_rotate"],
    "POST /projects/:id/releases tag_name": "v9",
    "POST /projects/:id/releases ref": "master",
    "POST /projects/:id/releases milestones": ["A milestone"],
    "POST /projects/:id/releases assets": {},
    "POST /projects/:id/releases/:tag_name/assets/links name": "another",
    "POST /projects/:id/releases/:tag_name/assets/links url": "https://files.example.org/another",
    "POST /projects/:id/releases/:tag_name/assets/links filepath": "/another",
    "POST /projects/:id/releases/:tag_name/assets/links direct_asset_path": "/another",
    "PUT /projects/:id/releases/:tag_name milestones": ["A milestone"],
    "PUT /projects/:id/releases/:tag_name/assets/links/:link_id url": "https://files.example.org/other",
    "POST /projects/:id/deployments sha": "ci",
    "POST /projects/:id/deployments tag": False,
    "POST /projects/:id/environments name": "staging",
    "POST /projects/:id/pipeline ref": "ci",
    "POST /projects/:id/trigger/pipeline ref": "ci",
    "POST /projects/:id/trigger/pipeline token": "/triggers/token",
    "POST /projects/:id/ref/:ref/trigger/pipeline token": "/triggers/token",
    "POST /projects/:id/pipeline variables": [],
    "POST /projects/:id/repository/commits actions": [_NEW_FILE],
    "POST /projects/:id/repository/commits branch": "topic",
    "POST /projects/:id/repository/commits/:sha/cherry_pick branch": "spare",
    "POST /projects/:id/repository/commits/:sha/revert branch": "topic",
    "POST /projects/:id/repository/files/:file_path branch": "topic",
    "POST /groups/:id/boards/:board_id/lists label_id": "/labels/spare",
    "DELETE /runners token": "/runners/token",
    "POST /jobs/request token": "/runners/token",
    "PUT /jobs/:id token": "/jobs/token",
    "POST /projects/:id/runners runner_id": "/runners/sibling",
    "POST /runners token": "/runners/registration",
    "POST /runners/reset_authentication_token token": "/runners/token",
    "POST /runners/verify token": "/runners/token",
    "POST /user/runners project_id": "{private.id}",
    "POST /user/runners runner_type": "project_type",
    **{
        f"POST /projects/:id/services/{slug}/trigger token": "a-token-of-a-chat"
        for slug in (
            "mattermost_slash_commands",
            "mattermost-slash-commands",
            "slack_slash_commands",
            "slack-slash-commands",
        )
    },
    "POST /projects/:id/pages/domains domain": "new.example.org",
    "PUT /projects/:id/integrations/:slug recipients": "team@example.org",
    "PUT /projects/:id/services/:slug recipients": "team@example.org",
    "POST /groups/:id/share group_id": "/groups/another",
    "POST /projects/:id/share group_id": "/groups/another",
    **{f"POST /snippets {name}": "x" for name in ("file_name", "content")},
    **{f"POST /projects/:id/snippets {name}": "x" for name in ("file_name", "content")},
    "POST /projects/:id/snippets/:noteable_id/award_emoji name": "heart",
    "POST /projects/:id/snippets/:noteable_id/notes/:note_id/award_emoji name": "heart",
    "POST /user/gpg_keys key": gpg_key("three"),
    "POST /users reset_password": True,
    "POST /markdown gfm": True,
    "POST /markdown text": "@owner",
    "POST /users/:id/gpg_keys key": gpg_key("three"),
    "PUT /groups/:id/boards/:board_id/lists/:list_id position": 0,
    "PUT /groups/:id/labels name": "A group label",
    "PUT /projects/:id/boards/:board_id/lists/:list_id position": 0,
    "PUT /projects/:id/labels name": "A label",
    "PUT /projects/:id/transfer namespace": "/groups/another",
    "PUT /projects/:id/repository/files/:file_path branch": "topic",
    "PUT /suggestions/batch_apply ids": ["/suggestions/:"],
    "access_level": 30,
    "allow_merge_on_skipped_pipeline": True,
    "approver_group_ids": [],
    "approver_ids": [1],
    "body": "@owner, as in #1 and !1",
    "color": "red",
    "deny_delete_tag": True,
    "duration": "1h",
    "email": "somebody@example.org",
    "expires_at": "2999-12-31",
    "file": File("b.txt", b"hello"),
    "from": "master",
    "key": ssh_key("three"),
    "pagination": "keyset",
    "plan": "gold",
    "redirect_uri": "https://example.org/back",
    "ref": "master",
    "resolved": True,
    "scopes": ["api"],
    "search": "open",
    "url": "https://hooks.example.org/",
    "link_url": "https://badges.example.org/",
    "image_url": "https://badges.example.org/x.svg",
    "username": "somebody",
}
"""A parameter of a certain route → its value there; a parameter → its value where it is required. What else is required
is a plain word or 1."""

BODIES: dict[str, Raw] = {
    "POST /projects/import": Raw.multipart({"file": ("app.tar.gz", b"x")}, path="imported"),
    "POST /projects/:id/packages/pypi": Raw.multipart({"content": ("tool-2.zip", b"x")}, name="tool", version="2"),
    "PUT /projects/:id/packages/npm/*package_name": Raw(body=json.dumps(npm_document("2.0.0", "next")).encode()),
    "PUT /projects/:id/packages/npm/-/package/*package_name/dist-tags/:tag": Raw(body=b'"1.0.0"'),
}
"""The bodies of routes that read them as a stream."""

BEFORE: dict[str, list[tuple[str, str, dict[str, Any]]]] = {
    "DELETE /projects/:id/fork": [("POST", "/projects/:id/fork/:forked_from_id", {})],
    "PUT /projects/:id/push_rule": [("POST", "/projects/:id/push_rule", {"deny_delete_tag": True})],
    "POST /projects/:id/remote_mirrors/:mirror_id/sync": [
        ("PUT", "/projects/:id/remote_mirrors/:mirror_id", {"enabled": True})
    ],
}
"""A route → requests of the administrator that precede each of its own, with their parameters. They make what this
route needs, and what another one refuses or would work on after each request."""


def params(route: Route, names: dict[str, Any], ids: Ids) -> dict[str, Any]:
    """The fewest parameters with which the route can succeed."""
    found: dict[str, Any] = {}
    for declared in route.params.values():
        for field in fields_of(declared):
            named = f"{route.verb} {route.path} {field.name}" in PARAMS
            if (
                named or field.required or field.name in declared.at_least_one_of[:1]
            ) and f":{field.name}" not in route.segments:
                sample = _sample(f"{route.verb} {route.path}", field.name, field.form.schema)
                found[field.name] = bind(sample, names, ids)
    return found


def by_noun(routes: Iterable[Route]) -> dict[str, list[Route]]:
    """The routes by the noun whose package they are in: `planning.issues`. One case for each noun costs less to collect
    and to set up than one for each route."""
    found: dict[str, list[Route]] = {}
    for route in routes:
        found.setdefault(".".join(route.handler.__module__.split(".")[1:3]), []).append(route)
    return found


def variations(route: Route, names: dict[str, Any], ids: Ids) -> Iterator[dict[str, Any]]:
    """The fewest parameters, then each other one beside them; and a far page.

    Enumerations are sent with all their values, once: a project has twenty levels of access alike.
    """
    fewest = params(route, names, ids)
    yield fewest
    sent: set[str] = set()
    if route.verb == "GET":
        yield {**fewest, "page": 1000}
    for declared in route.params.values():
        for field in fields_of(declared):
            if (field.name not in fewest or "enum" in field.form.schema) and f":{field.name}" not in route.segments:
                values = [PARAMS[field.name]] if field.name in PARAMS else _plain(field.form.schema)
                for value in values[:1] if str(values) in sent else values:
                    yield {**fewest, field.name: value}
                sent.add(str(values))


def _plain(schema: dict[str, Any]) -> list[Any]:
    if "enum" in schema:
        return schema["enum"]
    if schema.get("type") == "array":
        return [_plain(schema["items"])]
    formats = {"date": "2018-01-01", "date-time": "2018-01-01T00:00:00Z"}
    types = {"integer": 1, "number": 1, "boolean": True, "object": {"color": "x"}}
    return [formats.get(schema.get("format", ""), types.get(schema.get("type", ""), "sample"))]


def _sample(route: str, name: str, schema: Any) -> Any:
    plain = schema["enum"][0] if "enum" in schema else 1 if schema.get("type") == "integer" else "sample"
    return PARAMS.get(f"{route} {name}", PARAMS.get(name, plain))
