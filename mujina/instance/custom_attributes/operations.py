"""Writing custom attributes of users, groups and projects."""

from mujina.instance.custom_attributes.rules import AttributeSubject, SubjectKind, find_value, read_value
from mujina.kernel import clock
from mujina.kernel.db.rows import delete_row, upsert
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import INVALID, Problems
from mujina.kernel.events import record
from mujina.kernel.permissions.actor import Actor

MAX_LENGTH = 255


async def put(tx: Tx, actor: Actor, subject: AttributeSubject, key: str, value: str) -> None:
    """Set the attribute, new or not."""
    problems = Problems()
    for name, text in (("key", key), ("value", value)):
        problems.require(name, text, MAX_LENGTH)
    if not key.isprintable():
        problems.add("key", INVALID)
    problems.refuse()
    before = await read_value(tx, subject, key)
    await upsert(
        tx, "custom_attributes", "subject_kind, subject_id, key", **subject.bound, key=key, value=value,
        updated_at=clock.now(),
    )  # fmt: skip
    await _record(tx, actor, subject, key, before, value)


async def remove(tx: Tx, actor: Actor, subject: AttributeSubject, key: str) -> None:
    """Remove the attribute."""
    value = await find_value(tx, subject, key)
    await delete_row(tx, "custom_attributes", "Custom Attribute", key=key, **subject.bound)
    await _record(tx, actor, subject, key, value, None)


async def delete_all(tx: Tx, kind: SubjectKind, subject_ids: list[int]) -> None:
    """Remove every attribute of these subjects."""
    await tx.run(
        "DELETE FROM custom_attributes WHERE subject_kind = :kind AND subject_id IN :ids", kind=kind, ids=subject_ids
    )


async def _record(tx: Tx, actor: Actor, subject: AttributeSubject, key: str, old: str | None, new: str | None) -> None:
    await record(
        tx, {"user": "user.annotated", "group": "group.annotated", "project": "project.annotated"}[subject.kind], actor,
        subject_id=subject.id, changes={key: (old, new)},
        project_id=subject.id if subject.kind == "project" else None,
        group_id=subject.id if subject.kind == "group" else None,
    )  # fmt: skip
