"""The issues that a merge request closes: which they are, and closing them when the request is merged."""

from collections.abc import Sequence
from typing import LiteralString

import msgspec

from mujina.kernel.actor import Actor
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import Event
from mujina.kernel.urls import instance_address
from mujina.planning.issues.operations import Via
from mujina.planning.references.closing import close_issue, closing_issues
from mujina.planning.references.closing_keywords import closed_by
from mujina.planning.references.operations import ReferencedIssue
from mujina.planning.references.parsing import IssueReference
from mujina.review.closing.rules import ClosingTexts, find_closing_texts

_RELEVANT = frozenset({"title", "description", "target_branch", "sha", "state"})
"""An event that changes none of these leaves the closed issues as they are."""

_decode = msgspec.json.Decoder(list[IssueReference]).decode


async def closes(tx: Tx, actor: Actor, texts: ClosingTexts) -> list[ReferencedIssue]:
    """The issues that the request closes and the actor may read; none unless it goes into the default branch."""
    return await _named(tx, actor, texts) if texts.effective else []


async def _named(tx: Tx, actor: Actor, texts: ClosingTexts) -> list[ReferencedIssue]:
    base_url = instance_address.get().base
    references = [
        *closed_by(texts.title, base_url),
        *closed_by(texts.description or "", base_url),
        *_decode(texts.commits),
    ]
    return await closing_issues(tx, actor, texts.path, texts.upstream_id, references)


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
    return f"Closes {_listed([issue.reference(texts.project_id) for issue in own_first])}"


def _listed(names: Sequence[str]) -> str:
    """`a`, `a and b`, `a, b, and c`."""
    if len(names) < 3:
        return " and ".join(names)
    return f"{', '.join(names[:-1])}, and {names[-1]}"


async def update_closing_issues(tx: Tx, event: Event) -> None:
    """Store which issues the request closes, as its author may read them, after a change of its texts or commits."""
    if not _RELEVANT & event.changes.keys():
        return
    texts = await find_closing_texts(tx, event.subject_id)
    ids = [issue.id for issue in await _named(tx, texts.author, texts)]
    await tx.run(
        "DELETE FROM merge_request_closing_issues WHERE merge_request_id = :id AND issue_id NOT IN :ids",
        id=texts.id,
        ids=ids,
    )
    if ids:
        await tx.run(_INSERT, id=texts.id, ids=ids)


_INSERT: LiteralString = """
    INSERT INTO merge_request_closing_issues (merge_request_id, issue_id)
    SELECT CAST(:id AS bigint), i.id FROM issues i WHERE i.id IN :ids ORDER BY i.id ON CONFLICT DO NOTHING"""


async def close_issues(tx: Tx, event: Event) -> None:
    """Close the open issues that a merged request closes, as far as the actor who merged it may close them."""
    merger = await tx.row(
        tuple[int, bool, bool],
        """SELECT u.id, u.admin, u.external FROM users u
           WHERE u.id = :id AND u.state = 'active' AND u.deleted_at IS NULL""",
        id=event.actor_id or 0,
    )
    if merger is None:
        return
    actor = Actor(id=merger[0], admin=merger[1], external=merger[2])
    texts = await find_closing_texts(tx, event.subject_id)
    for issue in await closes(tx, actor, texts):
        name = f"!{texts.iid}" if issue.project_id == texts.project_id else f"{texts.path}!{texts.iid}"
        source = ("merge_request", texts.id, texts.project_id)
        await close_issue(tx, actor, issue, Via(f"merge request {name}", source))
