"""The issues that a merge request closes: which they are, and closing them when the request is merged."""

from typing import LiteralString

import msgspec

from mujina.accounts.users.rules import find_active_actor
from mujina.kernel import clock
from mujina.kernel.db.rows import insert_each
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import Event
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.text.folding import fold
from mujina.kernel.urls import instance_address
from mujina.planning.issues.operations import ClosingSource
from mujina.planning.issues.rules import READ_ISSUE
from mujina.planning.references.closing import close_issue, closing_issues
from mujina.planning.references.closing_keywords import closed_by
from mujina.planning.references.operations import ReferencedIssue, full_path
from mujina.planning.references.parsing import IssueReference
from mujina.planning.system_notes.sentences import join
from mujina.review.closing.rules import ClosingTexts, find_closing_texts

_RELEVANT = frozenset({"title", "description", "target_branch", "sha", "state"})
"""An event that changes none of these leaves the closed issues as they are."""

_decode = msgspec.json.Decoder(list[IssueReference]).decode


async def closes(tx: Tx, actor: Actor, texts: ClosingTexts) -> list[ReferencedIssue]:
    """The issues that the request closes and the actor may read; none unless it goes into the default branch."""
    if not texts.effective:
        return []
    return await closing_issues(tx, actor, texts.path, texts.upstream_id, _references(texts))


def _references(texts: ClosingTexts) -> list[IssueReference]:
    """The issues that the texts and the messages of the commits name."""
    base_url = instance_address.get().base
    return [
        *closed_by(texts.title, base_url),
        *closed_by(texts.description or "", base_url),
        *_decode(texts.commits),
    ]


async def closing_sentence(tx: Tx, merger: Actor, merge_request_id: int) -> str | None:
    """`Closes #1, #2, and group/other#3`, for the message of the merge; None if the request closes nothing.

    It names the issues that both the author and the actor who merges may read.
    """
    texts = await find_closing_texts(tx, merge_request_id)
    issues = await closes(tx, texts.author, texts)
    if issues and merger.id != texts.author_id:
        visible = {issue.id for issue in await closes(tx, merger, texts)}
        issues = [issue for issue in issues if issue.id in visible]
    if not issues:
        return None
    own_first = sorted(issues, key=lambda issue: (issue.project_id != texts.project_id, issue.path, issue.iid))
    return f"Closes {join([issue.reference(texts.project_id) for issue in own_first])}"


async def update_closing_issues(tx: Tx, event: Event) -> None:
    """Store which issues of its project the request closes, after a change of its texts or commits.

    Those that its author may not read are left out; those that do not exist yet are stored.
    """
    if not _RELEVANT & event.changes.keys():
        return
    texts = await find_closing_texts(tx, event.subject_id)
    home = fold(texts.path)
    iids = sorted({each.iid for each in _references(texts) if fold(full_path(texts.path, each)) == home})
    if iids:
        unreadable = await tx.values(_UNREADABLE, id=texts.id, iids=iids, today=clock.today())
        iids = [iid for iid in iids if iid not in unreadable]
    await tx.run(
        "DELETE FROM merge_request_closing_issues WHERE merge_request_id = :id AND iid NOT IN :iids",
        id=texts.id,
        iids=iids,
    )
    closed = [{"merge_request_id": texts.id, "iid": iid, "project_id": texts.project_id} for iid in iids]
    await insert_each(tx, "merge_request_closing_issues", closed, "ON CONFLICT DO NOTHING")


_UNREADABLE: LiteralString = f"""
    SELECT i.iid FROM merge_requests mr JOIN projects p ON p.id = mr.project_id JOIN users u ON u.id = mr.author_id
    JOIN issues i ON i.project_id = p.id
    WHERE mr.id = :id AND i.iid IN :iids AND i.deleted_at IS NULL AND NOT {READ_ISSUE.of("u")}"""


async def leave_out_confidential(tx: Tx, event: Event) -> None:
    """A new confidential issue is not closed by requests that named its number if their authors may not read it."""
    if event.confidential:
        await tx.run(
            f"""DELETE FROM merge_request_closing_issues WHERE project_id = :project_id
                AND iid = (SELECT i.iid FROM issues i WHERE i.id = :issue_id) AND merge_request_id IN (
                    SELECT mr.id FROM merge_requests mr JOIN projects p ON p.id = mr.project_id
                    JOIN users u ON u.id = mr.author_id JOIN issues i ON i.id = :issue_id
                    WHERE mr.project_id = :project_id AND NOT {READ_ISSUE.of("u")})""",
            project_id=event.project_id,
            issue_id=event.subject_id,
            today=clock.today(),
        )


async def close_issues(tx: Tx, event: Event) -> None:
    """Close the open issues that a merged request closes, as far as the actor who merged it may close them."""
    actor = await find_active_actor(tx, event.actor_id or 0)
    if actor is None:
        return
    texts = await find_closing_texts(tx, event.subject_id)
    for issue in await closes(tx, actor, texts):
        name = f"!{texts.iid}" if issue.project_id == texts.project_id else f"{texts.path}!{texts.iid}"
        source = ("merge_request", texts.id, texts.project_id)
        await close_issue(tx, actor, issue, ClosingSource(f"merge request {name}", source))
