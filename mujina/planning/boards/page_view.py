"""A board as its page shows it: the open issues without a list, the issues of each list, the closed issues."""

from typing import LiteralString

import msgspec

from mujina.kernel.db.documents import decoded
from mujina.kernel.db.sql.selection import Selection, Sql, ascending
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page
from mujina.kernel.lists.pages import load_documents, load_documents_of
from mujina.kernel.permissions.actor import Actor
from mujina.planning.boards.entities import BoardList, LabelRef
from mujina.planning.boards.params import ShowBoard
from mujina.planning.boards.rules import BoardRow
from mujina.planning.issues.entities import DOCUMENTS
from mujina.planning.issues.filters import LISTED_ISSUES, NEWEST_FIRST, ReadableProjects
from mujina.planning.issues.params import FilterIssues
from mujina.planning.issues.views.issue import Issue

CARDS = 20
"""The number of cards of a column that are shown, and that each step adds."""
MOST_CARDS = 200


class Column(msgspec.Struct):
    """A column of a board."""

    key: str
    """`open`, `closed`, or the id of the list."""
    label: LabelRef | None
    limit: int
    """How many cards it shows at most."""
    total: int = 0
    issues: list[Issue] = []

    @property
    def name(self) -> str:
        return self.label.name if self.label else self.key.capitalize()

    @property
    def more(self) -> int:
        """How many cards its next step shows; 0: it shows all it has, or all it can."""
        return min(self.limit + CARDS, MOST_CARDS) if self.total > self.limit < MOST_CARDS else 0


async def read_columns(
    tx: Tx, actor: Actor, board: BoardRow, lists: list[BoardList], projects: ReadableProjects, query: ShowBoard,
    wanted: FilterIssues,
) -> list[Column]:  # fmt: skip
    """The columns with the newest issues of each that the actor may read and that are wanted, and how many there are: four
    statements.
    """
    # The kept count of the projects belongs to one state, but the columns have both.
    projects = msgspec.structs.replace(projects, known_count=None)
    keys = [("open", None), *((str(each.id), each.label) for each in lists), ("closed", None)]
    columns = [Column(key, label, _limit(query, key)) for key, label in keys]
    issues = _chosen(projects, actor, wanted)
    opened = issues.where("i.state = :state", state="opened")
    count = f"SELECT ({projects.count}) - (SELECT count(DISTINCT i.id) FROM {_LISTED} AND {opened.condition})"
    closed = issues.where("i.state = :state", state="closed")
    counted = LISTED_ISSUES.has_filters(wanted)
    unlisted = opened.where(_WITHOUT_LIST, board_id=board.id)
    await _fill(tx, columns[0], unlisted if counted else unlisted.counted(Sql(count)))
    await _fill(tx, columns[-1], closed if counted else closed.counted(Sql(projects.count)))
    await _fill_lists(tx, columns[1:-1], issues, board, query)
    return columns


def _chosen(projects: ReadableProjects, actor: Actor, wanted: FilterIssues) -> Selection:
    issues = LISTED_ISSUES.apply_filters(projects.rows(actor), wanted)
    return issues.matching(wanted.search, *LISTED_ISSUES.texts.values()) if wanted.search else issues


def _limit(query: ShowBoard, key: str) -> int:
    return max(CARDS, min(query.cards, MOST_CARDS)) if query.column == key else CARDS


_LISTED: LiteralString = """board_lists list JOIN issue_labels il ON il.label_id = list.label_id
    JOIN issues i ON i.id = il.issue_id WHERE list.board_id = :board_id"""
_WITHOUT_LIST: LiteralString = """NOT EXISTS (
    SELECT 1 FROM issue_labels il JOIN board_lists list ON list.label_id = il.label_id
    WHERE il.issue_id = i.id AND list.board_id = :board_id)"""


async def _fill(tx: Tx, column: Column, issues: Selection) -> None:
    found = await load_documents(DOCUMENTS, tx, issues, NEWEST_FIRST, Page(1, column.limit, {}))
    column.issues, column.total = list(decoded(found.items, Issue)), found.total


async def _fill_lists(tx: Tx, columns: list[Column], issues: Selection, board: BoardRow, query: ShowBoard) -> None:
    if not columns:
        return
    rows = await tx.rows(
        tuple[int, int, int],
        f"""SELECT ranked.list_id, ranked.issue_id, ranked.total FROM (
                SELECT list.id AS list_id, i.id AS issue_id, count(*) OVER (PARTITION BY list.id) AS total,
                    row_number() OVER (PARTITION BY list.id ORDER BY i.created_at DESC, i.id DESC) AS position
                FROM {_LISTED} AND i.state = 'opened' AND {issues.condition}) ranked
            WHERE ranked.position <= CASE WHEN ranked.list_id = :longer_list THEN :longer ELSE :short END
            ORDER BY ranked.list_id, ranked.position""",
        board_id=board.id,
        longer_list=next((int(column.key) for column in columns if column.key == query.column), 0),
        longer=_limit(query, query.column),
        short=CARDS,
        **issues.bound,
    )
    ids = sorted({issue_id for _, issue_id, _ in rows})
    shown = {
        issue.id: issue for issue in decoded(await load_documents_of(DOCUMENTS, tx, ids, ascending("i.id")), Issue)
    }
    by_list = {int(column.key): column for column in columns}
    for list_id, issue_id, total in rows:
        if list_id in by_list and issue_id in shown:
            by_list[list_id].total = total
            by_list[list_id].issues.append(shown[issue_id])
