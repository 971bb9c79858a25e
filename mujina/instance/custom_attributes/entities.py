"""The JSON representation of a custom attribute."""

from collections.abc import Sequence
from typing import Protocol

import msgspec
from msgspec import UnsetType

from mujina.instance.custom_attributes.rules import AttributeSubject, SubjectKind
from mujina.kernel.db.sql.selection import Selection, ascending
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.lists.pages import load_rows
from mujina.kernel.permissions.actor import Actor


class Attribute(msgspec.Struct, frozen=True):
    key: str
    value: str


def attributes_of(subject: AttributeSubject) -> Selection:
    """Every attribute of this subject."""
    return Selection(
        "custom_attributes c", "c.subject_kind = :subject_kind AND c.subject_id = :subject_id", **subject.bound
    )


class WithAttributes(Protocol):
    """A user, group or project that shows its attributes on request."""

    id: int
    custom_attributes: list[Attribute] | UnsetType


async def show_attributes(tx: Tx, actor: Actor, kind: SubjectKind, subjects: Sequence[WithAttributes]) -> None:
    """Show the attributes of these subjects. Only administrators see them; for others nothing changes."""
    if not actor.admin:
        return
    attributes = await _attributes_by_subject(tx, kind, [subject.id for subject in subjects])
    for subject in subjects:
        subject.custom_attributes = attributes.get(subject.id, [])


async def _attributes_by_subject(tx: Tx, kind: SubjectKind, ids: Sequence[int]) -> dict[int, list[Attribute]]:
    """The attributes of each subject by its id, in the order of the keys. A subject without attributes is left out."""
    attributes: dict[int, list[Attribute]] = {}
    for id_, key, value in await tx.rows(
        tuple[int, str, str],
        """SELECT c.subject_id, c.key, c.value FROM custom_attributes c
           WHERE c.subject_kind = :kind AND c.subject_id IN :ids ORDER BY c.subject_id, c.key""",
        kind=kind,
        ids=list(ids),
    ):
        attributes.setdefault(id_, []).append(Attribute(key, value))
    return attributes


async def load_page(tx: Tx, selection: Selection, page: Page) -> Paged[Attribute]:
    """One page of attributes, in the order of their keys."""
    rows = await load_rows(tx, tuple[str, str], selection, ascending("c.key"), page, columns="c.key, c.value")
    return rows.map(lambda row: Attribute(*row))
