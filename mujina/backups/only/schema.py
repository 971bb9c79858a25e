"""Which rows belong to a project or a group: what the foreign keys of the schema say, and the little that they do not.

A table that refers to an owned one with ON DELETE CASCADE is owned, too: those of a new chapter come along by themselves.
`tests/backups/test_only_schema.py` fails for a table or a column that is not classified.
"""

from collections.abc import Mapping
from graphlib import TopologicalSorter
from typing import Final, NamedTuple

import apsw

from mujina.backups.rows import sqlite_rows, sqlite_table

ROOTS: Final = ("namespaces", "projects")
LEFT_OUT: Final[Mapping[str, str]] = {
    **dict.fromkeys(("routes", "former_paths", "group_tree"), "made for the place to which it is restored"),
    **dict.fromkeys(
        ("project_texts", "issue_texts", "merge_request_texts", "note_texts"), "kept by triggers as rows are inserted"
    ),
    **dict.fromkeys(("hook_deliveries", "hook_logs", "hook_queues"), "what was sent, or was about to be"),
    **dict.fromkeys(
        ("bots", "deploy_tokens", "invitations", "job_token_allowlist", "runners"),
        "opens this instance for others: to be made anew",
    ),
    **dict.fromkeys(("ldap_group_links", "ldap_group_syncs", "chat_accounts"), "connects with services outside"),
    **dict.fromkeys(("commit_signatures", "housekeeping"), "found out again when it is needed"),
    "project_archives": "created again on request",
    **dict.fromkeys(("moves", "move_projects", "move_people"), "belongs to who moved it here"),
    "moved_objects": "says what a later run of the same move has to pass over",
}
"""Tables that refer to projects or groups and are not restored, and why."""
OUTSIDE: Final = frozenset({"users", "emails", "ssh_keys", "lfs_objects", "topics"})
"""Tables whose rows belong to no project, though projects refer to them."""
SHARED: Final[Mapping[str, str]] = {"lfs_objects": "oid", "ssh_keys": "sha256", "topics": "name"}
"""Rows that projects share: the row here with the same value takes the place of that of the set, or else it is added."""
KINDS: Final[Mapping[str, str]] = {
    "project": "projects", "group": "groups", "issue": "issues", "merge_request": "merge_requests", "note": "notes",
    "snippet": "snippets", "epic": "epics", "commit": "commented_commits", "milestone": "milestones",
    "repository": "projects", "wiki": "projects", "wiki_page": "projects", "member": "users",
}  # fmt: skip
"""The table of each kind that a row may name beside an id."""
KIND_COLUMNS: Final[Mapping[tuple[str, str], str]] = {
    **{(table, "source_id"): "source_kind" for table in ("access_requests", "members", "mentions", "notification_settings")},
    **{(table, "subject_id"): "subject_kind" for table in ("awards", "custom_attributes", "events", "mentions", "subscriptions")},
    ("notes", "noteable_id"): "noteable_kind",
    ("resource_events", "noteable_id"): "noteable_kind",
    ("notes", "source_id"): "source_kind",
    ("todos", "target_id"): "target_kind",
    ("iids", "owner_id"): "owner_kind",
}  # fmt: skip
"""The columns of ids whose table another column names."""
REFERENCES: Final[Mapping[tuple[str, str], str]] = {
    ("events", "actor_id"): "users", ("events", "author_id"): "users", ("events", "project_id"): "projects",
    ("events", "group_id"): "groups", ("pipelines", "push_id"): "pushes", ("pipeline_jobs", "runner_id"): "runners",
    ("projects", "network_id"): "projects", ("issue_assignees", "project_id"): "projects",
    ("issue_labels", "project_id"): "projects", ("site_deployments", "job_id"): "pipeline_jobs",
}  # fmt: skip
"""The columns of ids that are no foreign keys."""
UNIQUE: Final[Mapping[str, str]] = {"pages_domains": "domain", "pipeline_triggers": "token_digest"}
"""Columns with a value that the instance has once: a row whose value exists here is left out."""
OWNED_BY_KIND: Final = frozenset(
    {"access_requests", "awards", "custom_attributes", "events", "iids", "members", "mentions", "notes",
     "notification_settings", "subscriptions"}
)  # fmt: skip
"""Tables that belong to what a kind and an id name."""


class ForeignKey(NamedTuple):
    table: str
    cascades: bool


class TableShape(NamedTuple):
    """A table: its columns, and what they refer to."""

    name: str
    columns: list[str]
    key: list[str]
    nullable: frozenset[str]
    references: dict[str, ForeignKey]

    @property
    def numbered(self) -> bool:
        """Whether the database gives it ids of its own."""
        return self.key == ["id"] and "id" not in self.references


def read_shapes(connection: apsw.Connection) -> dict[str, TableShape]:
    """The tables that are restored for a project or a group, each after those that it refers to."""
    names: list[str] = [
        name
        for (name,) in sqlite_rows(
            connection, "SELECT name FROM pragma_table_list WHERE schema = 'main' AND type = 'table'"
        )
    ]
    shapes = {name: _read_shape(connection, name) for name in names}
    owned = find_owned(shapes)
    before = {
        name: {
            target
            for target in (*(key.table for key in shapes[name].references.values()), *_named_by_kind(shapes[name]))
            if target in owned and target != name
        }
        for name in sorted(owned)
    }
    return {name: shapes[name] for name in TopologicalSorter(before).static_order()}


def find_owned(shapes: Mapping[str, TableShape]) -> set[str]:
    """The tables whose rows belong to projects and groups, as far as they are restored."""
    owned = {*ROOTS, *OWNED_BY_KIND}
    while more := {
        name
        for name, shape in shapes.items()
        if name not in owned and name not in LEFT_OUT and name not in OUTSIDE
        if any(key.cascades and key.table in owned for key in shape.references.values())
    }:
        owned |= more
    return owned


def _named_by_kind(shape: TableShape) -> set[str]:
    return (
        set(KINDS.values())
        if shape.name in OWNED_BY_KIND - {"notes"}
        else set(_NOTEABLE if shape.name == "notes" else ())
    )


_NOTEABLE: Final = ("issues", "merge_requests", "snippets", "epics", "commented_commits")


def _read_shape(connection: apsw.Connection, name: str) -> TableShape:
    table = sqlite_table(connection, name)
    references = {
        column: ForeignKey(target, action == "CASCADE")
        for column, target, action in sqlite_rows(
            connection, 'SELECT "from", "table", on_delete FROM pragma_foreign_key_list(?)', name
        )
    } | {column: ForeignKey(target, cascades=False) for (of, column), target in REFERENCES.items() if of == name}
    nullable = sqlite_rows(connection, 'SELECT name FROM pragma_table_info(?) WHERE NOT "notnull" AND NOT pk', name)
    return TableShape(
        name, list(table.columns), list(table.key), frozenset(column for (column,) in nullable), references
    )
