"""Filtering lists by custom attributes."""

from collections.abc import Mapping
from typing import LiteralString

from mujina.instance.custom_attributes.rules import SubjectKind
from mujina.kernel.db.sql.selection import Selection
from mujina.kernel.permissions.actor import Actor

_ID_COLUMNS: dict[SubjectKind, LiteralString] = {"user": "u.id", "group": "g.id", "project": "p.id"}
_SEPARATOR = "\x1f"


def with_attributes(selection: Selection, actor: Actor, kind: SubjectKind, attributes: Mapping[str, str]) -> Selection:
    """Keep the rows that have all of these attributes. Only administrators filter by them; for others nothing changes."""
    if not actor.admin or not attributes:
        return selection
    return selection.where(
        f"""{_ID_COLUMNS[kind]} IN (
            SELECT c.subject_id FROM custom_attributes c
            WHERE c.subject_kind = :attribute_kind AND c.key IN :attribute_keys
            AND c.key || :separator || c.value IN :attribute_pairs
            GROUP BY c.subject_id HAVING count(*) = :attribute_count)""",
        attribute_kind=kind,
        attribute_keys=list(attributes),
        attribute_pairs=[f"{key}{_SEPARATOR}{value}" for key, value in attributes.items()],
        separator=_SEPARATOR,
        attribute_count=len(attributes),
    )
