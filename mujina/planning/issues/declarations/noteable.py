"""Issues as something that people comment on."""

from mujina.instance.editions.rules import counts_as_assignee
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.params import Ref
from mujina.kernel.permissions.actor import Actor
from mujina.planning.issues.declarations.work_item import SUBSCRIBED
from mujina.planning.issues.entities import as_targets
from mujina.planning.issues.rules import (
    COMMENT_ON_ISSUE,
    READ_ISSUE,
    IssueRow,
    NotedIssueRow,
    find_issue,
    find_issue_as,
)
from mujina.planning.noteables.kinds import Noteable, NoteableKind, Purpose


async def find(tx: Tx, actor: Actor, ref: Ref, iid: int, to: Purpose) -> Noteable:
    if to == "comment":
        return noteable_of(await find_issue(tx, actor, ref, iid, to=COMMENT_ON_ISSUE))
    issue = await find_issue_as(NotedIssueRow, tx, actor, ref, iid)
    return noteable_of(issue, issue.note_sources)


def noteable_of(issue: IssueRow, note_sources: str | None = None) -> Noteable:
    """The issue as something that notes are on."""
    return Noteable(
        kind="issue", type="Issue", id=issue.id, iid=issue.iid, path=issue.full_path, author_id=issue.author_id,
        dated=issue.owner, moderated=issue.manager, project_id=issue.project_id, confidential=issue.confidential,
        project_active_at=issue.project_active_at, note_sources=note_sources,
    )  # fmt: skip


ISSUE = NoteableKind(
    name="issue",
    rows="issues i JOIN projects p ON p.id = i.project_id",
    key="i.id",
    present="i.deleted_at IS NULL AND p.deleted_at IS NULL",
    readable=READ_ISSUE,
    find=find,
    noun="issue",
    sign="#",
    texts="""SELECT i.project_id, NULL, r.path, i.iid, i.title, i.description FROM issues i
        JOIN routes r ON r.project_id = i.project_id WHERE i.id = :id""",
    author="i.author_id",
    subscribed=SUBSCRIBED,
    involved=f"""SELECT i.author_id FROM issues i WHERE i.id = :issue_id
        UNION ALL SELECT a.user_id FROM issue_assignees a WHERE a.issue_id = :issue_id
        AND {counts_as_assignee("issue_assignees", "issue_id", "a")}""",
    project="i.project_id",
    targets=as_targets,
    counted="issues",
    line="""SELECT i.id, r.path, i.iid, i.title, i.state FROM issues i
        JOIN routes r ON r.project_id = i.project_id""",
    page="/{path}/issues/{iid}",
)
