"""How many contributions there are, kept by triggers: feeds give exact totals without counting their events.

A count is for one project, one author (0: all of them), one kind of event, and the part of the project to which the events
belong. Who may read a part follows from the project alone (`filters.py: PARTS`). An event that nobody reads, because its
issue or its note is gone, is not counted.

What an event is about moves it from one part to another: an issue becomes confidential, a note is deleted. On PostgreSQL
what the note is on is therefore locked while a note is counted; writing and deleting comments lock it anyway, one statement
later. There a count is spread over several rows, so that no two events wait for each other (`kernel/db/spread_counts.py`).
"""

from typing import NamedTuple

from mujina.activity.events.kinds import ISSUE_PART, KINDS, PART, SUBJECTS
from mujina.kernel.db.schema import kept_by_triggers
from mujina.kernel.db.spread_counts import fold

_COLUMNS = "author_id, project_id, kind, part"
_KINDS = ", ".join(f"'{kind}'" for kind in KINDS)


class _Change(NamedTuple):
    """One trigger."""

    name: str
    when: str
    condition: str
    statements: list[str]
    """`{add}` ends one that adds to counts."""
    note: str = ""
    """The id of the note that is counted: what it is on is locked."""

    @property
    def present(self) -> str:
        """Whether the project of a row that goes is still there: with the project, its counts go at once."""
        goes = self.name in ("notes_gone", "issues_gone", "merge_requests_gone", "snippets_gone")
        return "EXISTS (SELECT 1 FROM projects p WHERE p.id = OLD.project_id)" if goes else "TRUE"


def _step(step: int, which: str, part: str = PART, subjects: str = SUBJECTS) -> str:
    """A statement that counts these events once more or less, for their authors and for all."""
    return f"""INSERT INTO event_counts ({_COLUMNS}, n)
        SELECT event.author_id * whose.own, event.project_id, event.kind, {part}, {step}
        FROM events event JOIN users u ON u.id = event.author_id {subjects}
        CROSS JOIN (SELECT 0 AS own UNION ALL SELECT 1) whose
        WHERE {which} AND event.project_id IS NOT NULL AND event.kind IN ({_KINDS}) AND {part} IS NOT NULL {{add}}"""


def _about(kind: str) -> str:
    """The events about the row `OLD` of this kind, and about the notes on it."""
    return f"""event.id IN (
        SELECT e.id FROM events e WHERE e.subject_kind = '{kind}' AND e.subject_id = OLD.id
        UNION ALL SELECT e.id FROM notes n JOIN events e ON e.subject_kind = 'note' AND e.subject_id = n.id
        WHERE n.noteable_kind = '{kind}' AND n.noteable_id = OLD.id)"""


def _changes(differs: str) -> list[_Change]:
    """Every later change that a count follows; `differs` compares two values of which either may be NULL."""
    issue_was, issue_is = ISSUE_PART.format("OLD"), ISSUE_PART.format("NEW")
    snippet_was, snippet_is = "OLD.visibility || ' snippet'", "NEW.visibility || ' snippet'"
    about_issue, about_request, about_snippet = _about("issue"), _about("merge_request"), _about("snippet")
    return [
        _Change("notes_gone", "BEFORE DELETE ON notes", "NOT OLD.system",
                [_step(-1, "event.subject_kind = 'note' AND event.subject_id = OLD.id")], "OLD.id"),
        _Change("issues_changed", "AFTER UPDATE OF confidential, deleted_at ON issues",
                f"(OLD.confidential, OLD.deleted_at) {differs} (NEW.confidential, NEW.deleted_at)",
                [_step(-1, f"OLD.deleted_at IS NULL AND {about_issue}", issue_was, ""),
                 _step(1, f"NEW.deleted_at IS NULL AND {about_issue}", issue_is, "")]),
        _Change("issues_gone", "BEFORE DELETE ON issues", "OLD.deleted_at IS NULL",
                [_step(-1, about_issue, issue_was, "")]),
        _Change("merge_requests_gone", "BEFORE DELETE ON merge_requests", "TRUE",
                [_step(-1, about_request, "'merge request'", "")]),
        _Change("snippets_changed", "AFTER UPDATE OF visibility ON snippets", "OLD.visibility <> NEW.visibility",
                [_step(-1, about_snippet, snippet_was, ""), _step(1, about_snippet, snippet_is, "")]),
        _Change("snippets_gone", "BEFORE DELETE ON snippets", "TRUE", [_step(-1, about_snippet, snippet_was, "")]),
        _Change("users_gone", "AFTER DELETE ON users", "TRUE",
                [f"""INSERT INTO event_counts ({_COLUMNS}, n)
                     SELECT 0, c.project_id, c.kind, c.part, -c.n FROM event_counts c WHERE c.author_id = OLD.id {{add}}""",
                 "DELETE FROM event_counts WHERE author_id = OLD.id"]),
        _Change("projects_gone", "AFTER DELETE ON projects", "TRUE",
                ["""DELETE FROM event_counts WHERE project_id = OLD.id AND author_id IN (
                     SELECT 0 UNION SELECT e.author_id FROM events e WHERE e.project_id = OLD.id)"""]),
    ]  # fmt: skip


_COUNTS = f"NEW.project_id IS NOT NULL AND NEW.author_id IS NOT NULL AND NEW.kind IN ({_KINDS})"
_BY_EVENT = f"""CASE {{0}} WHEN 'issue' THEN {ISSUE_PART.format("NEW")} WHEN 'merge_request' THEN 'merge request'
    WHEN 'repository' THEN 'code' WHEN 'wiki_page' THEN 'wiki' ELSE 'project' END"""
"""The part of an event that is not about a note: no row has to be looked up. An event about an issue is recorded while the
issue is locked, and repeats whether it is confidential."""


def _recorded_on_sqlite() -> list[_Change]:
    """A new event."""
    when = "AFTER INSERT ON events"
    values = f"NEW.project_id, NEW.kind, {_BY_EVENT.format('NEW.subject_kind')}, 1"
    counted = [
        f"INSERT INTO event_counts ({_COLUMNS}, n) VALUES ({whose}, {values}) {{add}}"
        for whose in ("0", "NEW.author_id")
    ]
    return [
        _Change("come", when, f"{_COUNTS} AND NEW.subject_kind = 'note'", [_step(1, "event.id = NEW.id")]),
        _Change("others_come", when, f"{_COUNTS} AND NEW.subject_kind <> 'note'", counted),
    ]


def _recorded_on_postgres() -> list[str]:
    """The same, one look-up after the other: a statement that joins all tables costs ten times as much to start."""
    part = {
        "issue": f"SELECT {ISSUE_PART.format('i')} INTO counted FROM issues i WHERE i.id = about AND i.deleted_at IS NULL",
        "merge_request": "SELECT 'merge request' INTO counted FROM merge_requests mr WHERE mr.id = about",
        "snippet": "SELECT s.visibility || ' snippet' INTO counted FROM snippets s WHERE s.id = about",
    }
    locked = " ".join(f"ELSIF noun = '{noun}' THEN {look_up} FOR NO KEY UPDATE;" for noun, look_up in part.items())
    values = "NEW.project_id, NEW.kind, counted, 1"
    body = f"""DECLARE noun text := NEW.subject_kind; about bigint := NEW.subject_id; counted text; BEGIN
        IF noun = 'note' THEN
            SELECT note.noteable_kind, note.noteable_id INTO noun, about FROM notes note WHERE note.id = about;
            IF noun = 'commit' THEN counted := 'code'; {locked} END IF;
        ELSE counted := {_BY_EVENT.format("noun")};
        END IF;
        IF counted IS NOT NULL THEN
            INSERT INTO event_counts ({_COLUMNS}, n) VALUES (0, {values}), (NEW.author_id, {values});
        END IF;
        {fold("event_counts", _COLUMNS, "x.author_id IN (0, NEW.author_id) AND x.project_id = NEW.project_id")};
        RETURN NULL; END""".replace("'", "''")
    return [
        _plain(f"CREATE FUNCTION event_counts_come() RETURNS trigger LANGUAGE plpgsql AS '{body}'"),
        _plain(f"""CREATE TRIGGER event_counts_come AFTER INSERT ON events FOR EACH ROW WHEN ({_COUNTS})
            EXECUTE FUNCTION event_counts_come()"""),
    ]


def _sqlite(change: _Change) -> str:
    add = f"ON CONFLICT ({_COLUMNS}) DO UPDATE SET n = event_counts.n + excluded.n"
    steps = "; ".join(statement.format(add=add) for statement in change.statements)
    condition = f"{change.condition} AND {change.present}"
    return _plain(f"CREATE TRIGGER event_counts_{change.name} {change.when} WHEN {condition} BEGIN {steps}; END")


def _postgres(change: _Change) -> list[str]:
    name = f"event_counts_{change.name}"
    steps = "; ".join([*_locks(change.note), *(statement.format(add="") for statement in change.statements)])
    result = "OLD" if change.when.startswith("BEFORE") else "NULL"
    body = f"BEGIN IF {change.present} THEN {steps}; END IF; RETURN {result}; END".replace("'", "''")
    return [
        _plain(f"CREATE FUNCTION {name}() RETURNS trigger LANGUAGE plpgsql AS '{body}'"),
        _plain(f"""CREATE TRIGGER {name} {change.when} FOR EACH ROW WHEN ({change.condition})
            EXECUTE FUNCTION {name}()"""),
    ]


def _locks(note: str) -> list[str]:
    """Statements that lock what this note is on, if it is a note."""
    return [
        f"""PERFORM 1 FROM notes note JOIN {table} about ON about.id = note.noteable_id
            WHERE note.id = {note} AND note.noteable_kind = '{kind}' FOR NO KEY UPDATE OF about"""
        for kind, table in (("issue", "issues"), ("merge_request", "merge_requests"), ("snippet", "snippets"))
        if note
    ]


def _plain(statement: str) -> str:
    return " ".join(statement.split())


kept_by_triggers(
    "event_counts",
    sqlite=[
        f"""CREATE TABLE event_counts (
    author_id INTEGER NOT NULL,
    project_id INTEGER NOT NULL,
    kind TEXT NOT NULL,
    part TEXT NOT NULL,
    n INTEGER NOT NULL,
    CONSTRAINT pk_event_counts PRIMARY KEY ({_COLUMNS})
) STRICT, WITHOUT ROWID""",
        *map(_sqlite, [*_recorded_on_sqlite(), *_changes("IS NOT")]),
    ],
    postgresql=[
        """CREATE TABLE event_counts (
    author_id BIGINT NOT NULL,
    project_id BIGINT NOT NULL,
    kind TEXT COLLATE "C" NOT NULL,
    part TEXT COLLATE "C" NOT NULL,
    n BIGINT NOT NULL
)""",
        "CREATE INDEX ix_event_counts_author_id_project_id ON event_counts (author_id, project_id)",
        *_recorded_on_postgres(),
        *(line for change in _changes("IS DISTINCT FROM") for line in _postgres(change)),
    ],
)
