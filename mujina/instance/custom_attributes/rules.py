"""The subjects of custom attributes, and the only way to look up a value."""

from typing import Literal

import msgspec

from mujina.kernel import errors
from mujina.kernel.db.transaction import Tx

SubjectKind = Literal["user", "group", "project"]


class AttributeSubject(msgspec.Struct, frozen=True):
    """The user, group or project that an attribute describes."""

    kind: SubjectKind
    id: int

    @property
    def bound(self) -> dict[str, int | str]:
        return {"subject_kind": self.kind, "subject_id": self.id}


async def read_value(tx: Tx, subject: AttributeSubject, key: str) -> str | None:
    """The value of the attribute with this key; None if there is none."""
    return await tx.value(
        """SELECT c.value FROM custom_attributes c
           WHERE c.subject_kind = :subject_kind AND c.subject_id = :subject_id AND c.key = :key""",
        key=key,
        **subject.bound,
    )


async def find_value(tx: Tx, subject: AttributeSubject, key: str) -> str:
    """The value of the attribute with this key; 404 if there is none."""
    return errors.or_not_found(await read_value(tx, subject, key), "Custom Attribute")
