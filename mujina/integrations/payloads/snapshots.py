"""What is remembered of the subject of an event, in the transaction of the event, for the payloads that are built later."""

from typing import LiteralString, NamedTuple

from mujina.integrations.payloads.issues import ISSUES, IssueSnapshot
from mujina.kernel.db.rows import Row


class Snapshot(NamedTuple):
    """The shape of a snapshot, and where its columns come from."""

    shape: type[Row]
    source: LiteralString
    id: LiteralString
    """The column with the id of the subject."""

    @property
    def text(self) -> LiteralString:
        """The snapshot of the subject `:subject_id` as one column of JSON."""
        return f"""CAST(json_build_array({self.shape.columns}) AS text)
            FROM {self.source} WHERE {self.id} = CAST(:subject_id AS bigint)"""


SNAPSHOTS: dict[str, Snapshot] = {
    "issue": Snapshot(IssueSnapshot, ISSUES, "i.id"),
}
"""By the noun of the event."""
