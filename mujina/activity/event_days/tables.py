"""How often former events of projects changed, kept by triggers: while it stays, so do the counts of past days.

An event itself never changes. But an issue becomes confidential, a comment is deleted, a user is removed: then other people
may read the event, or nobody. Recording an event counts as no change here, so that it costs nothing.

On PostgreSQL a count is spread over several rows, so that no two transactions wait for each other (`kernel/db/spread_counts.py`).
"""

from mujina.kernel.db.schema import kept_by_triggers
from mujina.kernel.db.spread_counts import fold

_IN_PROJECT: list[tuple[str, str, str]] = [
    ("notes_gone", "AFTER DELETE ON notes", "NOT OLD.system AND OLD.project_id IS NOT NULL"),
    ("issues_changed", "AFTER UPDATE OF confidential, deleted_at ON issues",
     "(OLD.confidential, OLD.deleted_at) {differs} (NEW.confidential, NEW.deleted_at)"),
    ("issues_gone", "AFTER DELETE ON issues", "OLD.deleted_at IS NULL"),
    ("merge_requests_gone", "AFTER DELETE ON merge_requests", "TRUE"),
    ("snippets_changed", "AFTER UPDATE OF visibility ON snippets",
     "OLD.visibility <> NEW.visibility AND OLD.project_id IS NOT NULL"),
    ("snippets_gone", "AFTER DELETE ON snippets", "OLD.project_id IS NOT NULL"),
]  # fmt: skip
"""Triggers: the name, the occasion and the condition. They count for the project of the row."""
_EVERYWHERE: list[tuple[str, str, str]] = [
    ("users_changed", "AFTER UPDATE OF deleted_at ON users", "OLD.deleted_at {differs} NEW.deleted_at"),
    ("users_gone", "AFTER DELETE ON users", "TRUE"),
]
"""The same for the events of a user, in all projects: they count for project 0."""
_SCOPES = (
    ("project", _IN_PROJECT, "OLD.project_id", "EXISTS (SELECT 1 FROM projects p WHERE p.id = OLD.project_id)"),
    ("all", _EVERYWHERE, "0", "TRUE"),
)
"""With the project that they count for, and whether it is still there: with a project, all its rows go."""


def _sqlite() -> list[str]:
    return [
        _plain(f"""CREATE TRIGGER event_revisions_{name} {when} WHEN {condition.format(differs="IS NOT")} AND {present}
            BEGIN INSERT INTO event_revisions (project_id, n) VALUES ({project}, 1)
            ON CONFLICT (project_id) DO UPDATE SET n = event_revisions.n + 1; END""")
        for _, changes, project, present in _SCOPES
        for name, when, condition in changes
    ]  # fmt: skip


def _postgres() -> list[str]:
    lines = list[str]()
    for scope, changes, project, present in _SCOPES:
        folded = fold("event_revisions", "project_id", f"x.project_id = {project}", "OLD")
        body = f"""BEGIN IF {present} THEN INSERT INTO event_revisions (project_id, n) VALUES ({project}, 1); {folded};
            END IF; RETURN NULL; END""".replace("'", "''")
        function = f"event_revisions_of_{scope}()"
        lines.append(_plain(f"CREATE FUNCTION {function} RETURNS trigger LANGUAGE plpgsql AS '{body}'"))
        lines += [
            _plain(f"""CREATE TRIGGER event_revisions_{name} {when} FOR EACH ROW
                WHEN ({condition.format(differs="IS DISTINCT FROM")}) EXECUTE FUNCTION {function}""")
            for name, when, condition in changes
        ]
    return lines


def _plain(statement: str) -> str:
    return " ".join(statement.split())


kept_by_triggers(
    "event_revisions",
    sqlite=[
        """CREATE TABLE event_revisions (
    project_id INTEGER NOT NULL PRIMARY KEY,
    n INTEGER NOT NULL
) STRICT""",
        *_sqlite(),
    ],
    postgresql=[
        """CREATE TABLE event_revisions (
    project_id BIGINT NOT NULL,
    n BIGINT NOT NULL
)""",
        "CREATE INDEX ix_event_revisions_project_id ON event_revisions (project_id)",
        *_postgres(),
    ],
)
