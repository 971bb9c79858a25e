"""The choices in the filters of the to-do list."""

import msgspec

from mujina.kernel.db.sql.selection import Selection
from mujina.kernel.db.transaction import Tx

_MOST = "100"


class TodoChoices(msgspec.Struct, frozen=True):
    """The projects and authors of a user's todos, by id."""

    projects: list[tuple[int, str]]
    authors: list[tuple[int, str]]


async def of_todos(tx: Tx, selection: Selection) -> TodoChoices:
    """Returns at most a hundred projects, and as many authors, of these todos."""
    rows = await tx.rows(
        tuple[str, int, str],
        f"""WITH listed AS MATERIALIZED (SELECT todo.project_id, todo.author_id {selection.text})
            SELECT * FROM (SELECT DISTINCT 'project', r.project_id, r.path FROM routes r
                WHERE r.project_id IN (SELECT listed.project_id FROM listed) ORDER BY r.path LIMIT {_MOST}) AS projects
            UNION ALL SELECT * FROM (SELECT DISTINCT 'author', u.id, u.name FROM users u
                WHERE u.id IN (SELECT listed.author_id FROM listed) ORDER BY u.name LIMIT {_MOST}) AS authors""",
        **selection.bound,
    )
    return TodoChoices(*([(id_, name) for kind, id_, name in rows if kind == each] for each in ("project", "author")))
