"""The shape of every payload, with no additional property anywhere."""

from typing import Any

Schema = dict[str, Any]

TEXT: Schema = {"type": "string"}
NUMBER: Schema = {"type": "integer"}
BOOLEAN: Schema = {"type": "boolean"}
NULL: Schema = {"type": "null"}
SHA: Schema = {"type": "string", "pattern": "^[0-9a-f]{40}$"}
TIME: Schema = {"type": "string", "pattern": r"^\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC$"}
ISO: Schema = {"type": "string", "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$"}
ISO_WITH_OFFSET: Schema = {"type": "string", "pattern": r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d([+-]\d\d:\d\d|Z)$"}
DATE: Schema = {"type": "string", "pattern": r"^\d{4}-\d\d-\d\d$"}


def either(*schemas: Schema) -> Schema:
    return {"anyOf": list(schemas)}


def maybe(schema: Schema) -> Schema:
    return either(schema, NULL)


def array(schema: Schema, most: int = 1_000) -> Schema:
    return {"type": "array", "items": schema, "maxItems": most}


def words(*allowed: str) -> Schema:
    return {"enum": list(allowed)}


def record(optional: tuple[str, ...] = (), **properties: Schema) -> Schema:
    required = [name for name in properties if name not in optional]
    return {"type": "object", "properties": properties, "required": required, "additionalProperties": False}


def fields(schema: Schema, *names: str) -> dict[str, Schema]:
    return dict.fromkeys(names, schema)


USER = record(name=TEXT, username=TEXT, avatar_url=maybe(TEXT))
_PROJECT = {
    "id": NUMBER, "name": TEXT, "description": maybe(TEXT), "web_url": TEXT, "avatar_url": maybe(TEXT),
    "git_ssh_url": TEXT, "git_http_url": TEXT, "namespace": TEXT, "visibility_level": {"enum": [0, 10, 20]},
    "path_with_namespace": TEXT, "default_branch": maybe(TEXT), "ci_config_path": maybe(TEXT),
}  # fmt: skip
PROJECT = record(**_PROJECT, **fields(TEXT, "homepage", "url", "ssh_url", "http_url"))
PLAIN_PROJECT = record(**_PROJECT)
_REPOSITORY = {"name": TEXT, "url": TEXT, "description": maybe(TEXT), "homepage": TEXT}
REPOSITORY = record(**_REPOSITORY)
FULL_REPOSITORY = record(**_REPOSITORY, git_http_url=TEXT, git_ssh_url=TEXT, visibility_level={"enum": [0, 10, 20]})
_COMMIT = {
    "id": SHA, "message": TEXT, "timestamp": ISO_WITH_OFFSET, "url": TEXT, "author": record(name=TEXT, email=TEXT),
}  # fmt: skip
COMMIT = record(**_COMMIT)
PUSHED_COMMIT = record(**_COMMIT, **fields(array(TEXT), "added", "modified", "removed"))
LABEL = record(
    id=NUMBER, title=TEXT, color={"type": "string", "pattern": "^#[0-9a-fA-F]{6}$"}, project_id=maybe(NUMBER),
    created_at=TIME, updated_at=TIME, template=BOOLEAN, description=maybe(TEXT),
    type=words("ProjectLabel", "GroupLabel"), group_id=maybe(NUMBER),
)  # fmt: skip


def changes(**properties: Schema) -> Schema:
    each = {name: record(previous=schema, current=schema) for name, schema in properties.items()}
    return record(tuple(each), **each)


def _push(kind: str, message: Schema) -> Schema:
    return record(
        object_kind=words(kind), event_name=words(kind), before=SHA, after=SHA, ref=TEXT, checkout_sha=maybe(SHA),
        message=message, user_id=NUMBER, user_name=TEXT, user_username=TEXT, user_email=TEXT, user_avatar=maybe(TEXT),
        project_id=NUMBER, project=PROJECT, repository=FULL_REPOSITORY, commits=array(PUSHED_COMMIT, 20),
        total_commits_count=NUMBER,
    )  # fmt: skip


_ISSUE = {
    **fields(NUMBER, "id", "iid", "project_id", "author_id", "time_estimate", "total_time_spent"),
    "title": TEXT, "description": maybe(TEXT), "state": words("opened", "closed"), "confidential": BOOLEAN,
    "assignee_ids": array(NUMBER),
    **fields(maybe(NUMBER), "assignee_id", "milestone_id", "moved_to_id", "updated_by_id", "last_edited_by_id",
             "relative_position"),
    "created_at": TIME, "updated_at": TIME, "closed_at": maybe(TIME), "last_edited_at": maybe(TIME),
    "due_date": maybe(DATE), "human_time_estimate": maybe(TEXT), "human_total_time_spent": maybe(TEXT), "url": TEXT,
}  # fmt: skip
ISSUE = record(
    ("assignees", "assignee"),
    object_kind=words("issue"), user=USER, project=PROJECT, repository=REPOSITORY, labels=array(LABEL),
    changes=changes(
        **fields(NUMBER, "author_id", "id", "iid", "project_id", "time_estimate", "total_time_spent"),
        **fields(maybe(NUMBER), "last_edited_by_id", "milestone_id", "moved_to_id", "relative_position", "updated_by_id"),
        **fields(maybe(TIME), "closed_at", "created_at", "last_edited_at", "updated_at"),
        confidential=BOOLEAN, description=maybe(TEXT), due_date=maybe(DATE), state=words("opened", "closed"), title=TEXT,
        assignees=array(USER), labels=array(LABEL),
    ),
    assignees=array(USER), assignee=USER,
    object_attributes=record(("action",), **_ISSUE, action=words("open", "update", "close", "reopen")),
)  # fmt: skip

_MERGE_REQUEST = {
    **fields(NUMBER, "id", "iid", "author_id", "target_project_id", "time_estimate", "total_time_spent"),
    "source_project_id": maybe(NUMBER),
    **fields(TEXT, "title", "source_branch", "target_branch", "url"), "description": maybe(TEXT),
    "state": words("opened", "closed", "merged", "locked"),
    "merge_status": words("unchecked", "can_be_merged", "cannot_be_merged"),
    **fields(maybe(NUMBER), "assignee_id", "milestone_id", "merge_user_id", "head_pipeline_id", "updated_by_id",
             "last_edited_by_id"),
    "merge_commit_sha": maybe(SHA), "merge_error": maybe(TEXT),
    "merge_params": record(("force_remove_source_branch",), force_remove_source_branch=TEXT),
    "merge_when_pipeline_succeeds": BOOLEAN, "work_in_progress": BOOLEAN,
    "created_at": TIME, "updated_at": TIME, "last_edited_at": maybe(TIME),
    "human_time_estimate": maybe(TEXT), "human_total_time_spent": maybe(TEXT),
    "source": maybe(PROJECT), "target": PROJECT, "last_commit": maybe(COMMIT),
}  # fmt: skip
MERGE_REQUEST = record(
    ("assignee",),
    object_kind=words("merge_request"), user=USER, project=PROJECT, repository=REPOSITORY, labels=array(LABEL),
    assignee=USER,
    changes=changes(
        **fields(maybe(NUMBER), "assignee_id", "milestone_id", "merge_user_id", "head_pipeline_id", "updated_by_id",
                 "last_edited_by_id"),
        **fields(NUMBER, "time_estimate", "total_time_spent"), **fields(maybe(TIME), "updated_at", "last_edited_at"),
        **fields(TEXT, "title", "source_branch", "target_branch", "state", "merge_status"),
        **fields(maybe(TEXT), "description", "merge_commit_sha", "merge_error"),
        assignee=maybe(USER), labels=array(LABEL),
    ),
    object_attributes=record(
        ("action", "oldrev"), **_MERGE_REQUEST, oldrev=SHA,
        action=words("open", "update", "close", "reopen", "merge", "approved", "unapproved"),
    ),
)  # fmt: skip

SNIPPET = record(
    id=NUMBER, title=TEXT, content=TEXT, description=maybe(TEXT), author_id=NUMBER, project_id=NUMBER, created_at=TIME,
    updated_at=TIME, file_name=TEXT, type=words("ProjectSnippet"), visibility_level=NUMBER,
)  # fmt: skip


POSITION = record(
    **fields(SHA, "base_sha", "start_sha", "head_sha"), old_path=TEXT, new_path=TEXT, position_type=words("text"),
    old_line=maybe(NUMBER), new_line=maybe(NUMBER),
)  # fmt: skip


def _note(kind: str, about: str, schema: Schema) -> Schema:
    return record(
        object_kind=words("note"), user=USER, project_id=NUMBER, project=PROJECT, repository=REPOSITORY,
        object_attributes=record(
            id=NUMBER, author_id=NUMBER, project_id=NUMBER, note=TEXT, noteable_type=words(kind),
            noteable_id=NULL if kind == "Commit" else NUMBER, commit_id=SHA if kind == "Commit" else NULL,
            created_at=TIME, updated_at=TIME, system={"const": False},
            type=maybe(words("DiscussionNote", "DiffNote")), discussion_id=SHA, url=TEXT,
            line_code=maybe(TEXT), **fields(maybe(POSITION), "position", "original_position"),
            **fields(NULL, "attachment", "st_diff", "change_position", "resolved_at", "resolved_by_id",
                     "resolved_by_push", "updated_by_id"),
        ),
        **{about: schema},
    )  # fmt: skip


NOTE = either(
    _note("Issue", "issue", record(**_ISSUE)),
    _note("MergeRequest", "merge_request", record(**_MERGE_REQUEST)),
    _note("Commit", "commit", COMMIT),
    _note("Snippet", "snippet", SNIPPET),
)

WIKI_PAGE = record(
    object_kind=words("wiki_page"), user=USER, project=PROJECT,
    wiki=record(**fields(TEXT, "web_url", "git_ssh_url", "git_http_url", "path_with_namespace", "default_branch")),
    object_attributes=record(
        ("action",), title=TEXT, content=maybe(TEXT), format=words("markdown", "rdoc", "asciidoc"), message=maybe(TEXT),
        slug=TEXT, url=TEXT, action=words("create", "update", "delete"),
    ),
)  # fmt: skip

_ASSET = record(id=NUMBER, link_type=words("other", "runbook", "image", "package"), name=TEXT, url=TEXT)
RELEASE = record(
    object_kind=words("release"), action=words("create", "update", "delete"), id=NUMBER, name=TEXT, tag=TEXT,
    description=TEXT, created_at=TIME, released_at=TIME, url=TEXT, project=PROJECT, commit=maybe(COMMIT),
    assets=record(count=NUMBER, links=array(_ASSET), sources=array(record(format=TEXT, url=TEXT))),
)  # fmt: skip

_BUILD = record(
    id=NUMBER, stage=TEXT, name=TEXT, status=TEXT, created_at=TIME, started_at=maybe(TIME), finished_at=maybe(TIME),
    when=words("on_success", "on_failure", "always", "manual", "delayed"), manual=BOOLEAN, user=maybe(USER),
    runner=maybe(record(id=NUMBER, description=maybe(TEXT), active=BOOLEAN, is_shared=BOOLEAN)),
    artifacts_file=record(filename=maybe(TEXT), size=maybe(NUMBER)),
)  # fmt: skip
PIPELINE = record(
    object_kind=words("pipeline"), user=maybe(USER), project=PLAIN_PROJECT, commit=maybe(COMMIT), builds=array(_BUILD),
    object_attributes=record(
        id=NUMBER, ref=TEXT, tag=BOOLEAN, sha=SHA, before_sha=maybe(SHA),
        status=words("created", "pending", "running", "success", "failed", "canceled", "skipped", "manual"),
        stages=array(TEXT), created_at=TIME, finished_at=maybe(TIME), duration=maybe(NUMBER),
    ),
)  # fmt: skip

BUILD = record(
    object_kind=words("build"), ref=TEXT, tag=BOOLEAN, before_sha=SHA, sha=SHA, build_id=NUMBER, build_name=TEXT,
    build_stage=TEXT, build_status=TEXT, build_started_at=maybe(TIME), build_finished_at=maybe(TIME),
    build_duration=maybe({"type": "number"}), build_allow_failure=BOOLEAN, project_id=NUMBER, project_name=TEXT,
    user=record(id=maybe(NUMBER), name=maybe(TEXT), email=maybe(TEXT)),
    commit=record(
        id=NUMBER, sha=SHA, message=TEXT, author_name=TEXT, author_email=TEXT, author_url=TEXT, status=TEXT,
        duration=maybe(NUMBER), started_at=maybe(TIME), finished_at=maybe(TIME),
    ),
    repository=FULL_REPOSITORY,
)  # fmt: skip

BY_KIND = {
    "push": _push("push", NULL), "tag_push": _push("tag_push", maybe(TEXT)), "issue": ISSUE, "note": NOTE,
    "merge_request": MERGE_REQUEST, "wiki_page": WIKI_PAGE, "pipeline": PIPELINE, "build": BUILD, "release": RELEASE,
}  # fmt: skip

_TIMES = {"created_at": ISO, "updated_at": ISO}
_OF_PROJECT = {
    **fields(TEXT, "name", "path", "path_with_namespace", "owner_name", "owner_email"), "project_id": NUMBER,
    "project_visibility": words("private", "internal", "public"),
}  # fmt: skip
_OF_USER = {**fields(TEXT, "name", "email", "username"), "user_id": NUMBER}
_OF_GROUP = {**fields(TEXT, "name", "path", "full_path"), "group_id": NUMBER, "owner_name": NULL, "owner_email": NULL}
_PERSON = {**fields(TEXT, "user_username", "user_name", "user_email"), "user_id": NUMBER}
_LEVEL = words("Guest", "Reporter", "Developer", "Master", "Owner")
_TEAM = {
    **fields(TEXT, "project_name", "project_path", "project_path_with_namespace"), "project_id": NUMBER, **_PERSON,
    "access_level": _LEVEL, "project_access": _LEVEL, "project_visibility": words("private", "internal", "public"),
}  # fmt: skip
_IN_GROUP = {**fields(TEXT, "group_name", "group_path"), "group_id": NUMBER, **_PERSON, "group_access": _LEVEL}

SYSTEM: dict[str, Schema] = {
    name: record(event_name=words(name), **_TIMES, **properties)
    for names, properties in (
        (("project_create", "project_destroy", "project_update"), _OF_PROJECT),
        (("project_rename", "project_transfer"), {**_OF_PROJECT, "old_path_with_namespace": TEXT}),
        (("user_create", "user_destroy"), _OF_USER),
        (("user_failed_login",), {**_OF_USER, "state": words("blocked", "ldap_blocked")}),
        (("user_rename",), {**_OF_USER, "old_username": TEXT}),
        (
            ("key_create", "key_destroy", "ldapkey_create", "ldapkey_destroy"),
            {"key": TEXT, "id": NUMBER, "username": TEXT},
        ),
        (("deploykey_create", "deploykey_destroy"), {"key": TEXT, "id": NUMBER}),
        (("group_create", "group_destroy"), _OF_GROUP),
        (("group_rename",), {**_OF_GROUP, "old_path": TEXT, "old_full_path": TEXT}),
        (("user_add_to_team", "user_remove_from_team"), _TEAM),
        (("user_add_to_group", "user_remove_from_group"), _IN_GROUP),
    )
    for name in names
}
SYSTEM["repository_update"] = record(
    event_name=words("repository_update"), user_id=NUMBER, user_name=TEXT, user_email=TEXT, user_avatar=maybe(TEXT),
    project_id=NUMBER, project=PROJECT, changes=array(record(before=SHA, after=SHA, ref=TEXT)), refs=array(TEXT),
)  # fmt: skip


def schema_of(body: dict[str, Any]) -> Schema:
    """The schema that a payload must fit."""
    return BY_KIND[body["object_kind"]] if "object_kind" in body else SYSTEM[body["event_name"]]
