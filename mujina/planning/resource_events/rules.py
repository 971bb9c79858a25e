"""The events of an issue or merge request that was found: everyone who reads it reads them."""

from typing import Final, LiteralString

from mujina.kernel.db.sql.selection import Selection
from mujina.planning.noteables.kinds import Noteable

SOURCE: Final[LiteralString] = """resource_events re LEFT JOIN users u ON u.id = re.user_id AND u.deleted_at IS NULL
    LEFT JOIN labels l ON l.id = re.label_id LEFT JOIN milestones ms ON ms.id = re.milestone_id"""


def events_of(noteable: Noteable, field: str) -> Selection:
    return Selection(
        SOURCE,
        "re.noteable_kind = :noteable_kind AND re.noteable_id = :noteable_id AND re.field = :field",
        field=field,
        **noteable.bound,
    )
