"""What is shown of a custom attribute."""

from collections.abc import Sequence
from typing import Literal

import msgspec

from mujina.instance.custom_attributes.rules import Subject
from mujina.kernel.db.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.paging import Page


class Attribute(msgspec.Struct, frozen=True):
    key: str
    value: str


def of(subject: Subject) -> Selection:
    """All that is noted about it."""
    return Selection(
        "custom_attributes c", "c.subject_kind = :subject_kind AND c.subject_id = :subject_id", **subject.bound
    )


async def attributes_by_subject(
    tx: Tx, kind: Literal["user", "group", "project"], ids: Sequence[int]
) -> dict[int, list[Attribute]]:
    """By subject, all that is noted about it in the order of the keys; nothing is noted about those left out."""
    noted: dict[int, list[Attribute]] = {}
    for id_, key, value in await tx.rows(
        tuple[int, str, str],
        """SELECT c.subject_id, c.key, c.value FROM custom_attributes c
           WHERE c.subject_kind = :kind AND c.subject_id IN :ids ORDER BY c.subject_id, c.key""",
        kind=kind,
        ids=list(ids),
    ):
        noted.setdefault(id_, []).append(Attribute(key, value))
    return noted


async def listed(tx: Tx, chosen: Selection, page: Page) -> list[Attribute]:
    """One page of attributes, in the order of their keys."""
    rows = await tx.rows(
        tuple[str, str],
        f"SELECT c.key, c.value {chosen.text} ORDER BY c.key LIMIT :limit OFFSET :offset",
        **chosen.bound,
        **page.bound,
    )
    return [Attribute(key, value) for key, value in rows]
