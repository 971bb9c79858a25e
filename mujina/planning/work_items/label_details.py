"""Labels of issues and merge requests, as lists with `with_labels_details` show them."""

import msgspec

from mujina.kernel.db.transaction import Tx
from mujina.planning.labels.colors import text_color
from mujina.planning.work_items.kinds import WorkItemKind
from mujina.rendering.html import escape_optional


class LabelDetails(msgspec.Struct):
    """A label in lists that ask for details."""

    id: int
    name: str
    color: str
    description: str | None
    description_html: str | None
    text_color: str


async def label_details(tx: Tx, kind: WorkItemKind, ids: list[int]) -> dict[int, list[LabelDetails]]:
    """The labels of each of these issues or merge requests, by title."""
    rows = await tx.rows(
        tuple[int, int, str, str, str | None],
        f"""SELECT used.{kind.key}, l.id, l.title, l.color, l.description FROM {kind.labels} used
            JOIN labels l ON l.id = used.label_id WHERE used.{kind.key} IN :ids ORDER BY l.title, l.id""",
        ids=ids,
    )
    found: dict[int, list[LabelDetails]] = {id_: [] for id_ in ids}
    for id_, label_id, title, color, description in rows:
        found[id_].append(
            LabelDetails(
                id=label_id, name=title, color=color, description=description,
                description_html=escape_optional(description), text_color=text_color(color),
            )
        )  # fmt: skip
    return found
