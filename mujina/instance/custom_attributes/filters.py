"""Lists narrowed by what administrators noted."""

from collections.abc import Mapping
from typing import Literal, LiteralString

from mujina.kernel.actor import Actor
from mujina.kernel.db.selection import Selection

_SUBJECTS: dict[str, LiteralString] = {"user": "u.id", "group": "g.id", "project": "p.id"}
_BETWEEN = "\x1f"


def with_attributes(
    chosen: Selection, actor: Actor, kind: Literal["user", "group", "project"], wanted: Mapping[str, str]
) -> None:
    """Keep the rows that carry every one of these attributes; only administrators may ask, others are not heard."""
    if not actor.admin or not wanted:
        return
    chosen.only(
        f"""{_SUBJECTS[kind]} IN (
            SELECT noted.subject_id FROM custom_attributes noted
            WHERE noted.subject_kind = :noted_kind AND noted.key IN :noted_keys
            AND noted.key || :noted_between || noted.value IN :noted_pairs
            GROUP BY noted.subject_id HAVING count(*) = :noted_count)""",
        noted_kind=kind,
        noted_keys=list(wanted),
        noted_pairs=[f"{key}{_BETWEEN}{value}" for key, value in wanted.items()],
        noted_between=_BETWEEN,
        noted_count=len(wanted),
    )
