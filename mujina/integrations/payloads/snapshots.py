"""Snapshots of the subject of an event, taken in its transaction, for the payloads that are built later."""

from typing import LiteralString, NamedTuple

from mujina.integrations.payloads.objects import PROJECTS, UserFacts
from mujina.integrations.payloads.subjects.accounts import KEYS, USERS, KeySnapshot
from mujina.integrations.payloads.subjects.issues import ISSUES, IssueSnapshot
from mujina.integrations.payloads.subjects.merge_requests import MERGE_REQUESTS, MergeRequestSnapshot
from mujina.integrations.payloads.subjects.notes import NOTES, NoteSnapshot
from mujina.integrations.payloads.subjects.pipelines import (
    JOBS,
    PIPELINES,
    STATUSES,
    BuiltPipelineSnapshot,
    JobSnapshot,
    StatusSnapshot,
)
from mujina.integrations.payloads.subjects.releases import RELEASES, ReleaseSnapshot
from mujina.integrations.payloads.subjects.workspaces import GROUPS, GroupSnapshot, ProjectSnapshot
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
    "note": Snapshot(NoteSnapshot, NOTES, "note.id"),
    "merge_request": Snapshot(MergeRequestSnapshot, MERGE_REQUESTS, "mr.id"),
    "pipeline": Snapshot(BuiltPipelineSnapshot, PIPELINES, "pl.id"),
    "commit_status": Snapshot(StatusSnapshot, STATUSES, "s.id"),
    "job": Snapshot(JobSnapshot, JOBS, "j.id"),
    # Of pushes and wiki pages, git has everything: their subject is the project.
    **dict.fromkeys(("repository", "wiki_page", "project"), Snapshot(ProjectSnapshot, PROJECTS, "p.id")),
    "release": Snapshot(ReleaseSnapshot, RELEASES, "rel.id"),
    "group": Snapshot(GroupSnapshot, GROUPS, "n.id"),
    "key": Snapshot(KeySnapshot, KEYS, "k.id"),
    **dict.fromkeys(("user", "member"), Snapshot(UserFacts, USERS, "u.id")),
}
"""The snapshots by the noun of the event."""
