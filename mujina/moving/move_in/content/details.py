"""What an issue or a merge request has besides its row: asked for a few at a time, ahead of what is being written."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, Awaitable, Callable, Iterable
from contextlib import aclosing
from functools import partial
from typing import Final, TypeVar

import msgspec

from mujina.moving.move_in.runs import ProjectRun, collect
from mujina.moving.sources.records import (
    LinkedIssue,
    SourceApproval,
    SourceAward,
    SourceDiscussion,
    SourceIssue,
    SourceMergeRequest,
    SourcePerson,
    SourceVersion,
)

NOUNS: Final = {"issue": "issues", "merge_request": "merge_requests", "snippet": "snippets"}
AHEAD: Final = 8
"""Objects whose details are asked for at once; the memory that a run takes is theirs."""
Item = TypeVar("Item")
Result = TypeVar("Result")


class Conversation(msgspec.Struct, frozen=True):
    """The comments on an issue, a merge request or a snippet, and the reactions to it and to its comments."""

    discussions: list[SourceDiscussion]
    awards: list[SourceAward]
    note_awards: dict[int, list[SourceAward]]
    """By the id of the note at the source."""

    @property
    def people(self) -> list[SourcePerson | None]:
        """Everybody who wrote or resolved something, or reacted to it."""
        notes = [note for each in self.discussions for note in each.notes]
        awards = [award for given in (self.awards, *self.note_awards.values()) for award in given]
        return [
            *(note.author for note in notes),
            *(note.resolved_by for note in notes),
            *(each.user for each in awards),
        ]


class IssueDetails(msgspec.Struct, frozen=True):
    conversation: Conversation
    links: list[LinkedIssue]


class RequestDetails(msgspec.Struct, frozen=True):
    request: SourceMergeRequest
    """With what only an answer about it alone tells."""
    conversation: Conversation
    versions: list[SourceVersion]
    approvals: list[SourceApproval]


async def ahead(items: Iterable[Item], ask: Callable[[Item], Awaitable[Result]]) -> AsyncGenerator[tuple[Item, Result]]:
    """Each item with what was asked for it, in the order of the items, while the next ones are being asked for."""
    waiting = deque[tuple[Item, asyncio.Future[Result]]]()
    try:
        for item in items:
            waiting.append((item, asyncio.ensure_future(ask(item))))
            if len(waiting) == AHEAD:
                yield waiting[0][0], await waiting[0][1]
                waiting.popleft()
        while waiting:
            yield waiting[0][0], await waiting[0][1]
            waiting.popleft()
    finally:
        for _, asked in waiting:
            asked.cancel()
        await asyncio.gather(*(asked for _, asked in waiting), return_exceptions=True)


async def ask_issue(target: ProjectRun, issue: SourceIssue) -> IssueDetails:
    links = collect(target.run.source.links(target.project.id, issue.iid))
    conversation, linked = await asyncio.gather(ask_conversation(target, "issue", issue.iid), links)
    return IssueDetails(conversation, linked)


async def ask_request(target: ProjectRun, request: SourceMergeRequest) -> RequestDetails:
    source, project_id = target.run.source, target.project.id
    whole, conversation, versions, approvals = await asyncio.gather(
        source.complete(project_id, request),
        ask_conversation(target, "merge_request", request.iid),
        collect(source.versions(project_id, request.iid)),
        source.approvals(project_id, request.iid),
    )
    return RequestDetails(whole, conversation, versions, approvals)


async def ask_conversation(target: ProjectRun, kind: str, iid: int) -> Conversation:
    """Everything that was said about it; a snippet has its id as number."""
    source, noun = target.run.source, NOUNS[kind]
    discussions, awards = await asyncio.gather(
        collect(source.discussions(target.project.id, noun, iid)),
        collect(source.awards(target.project.id, noun, iid, None)),
    )
    notes = [note.id for each in discussions for note in each.notes if not note.system]
    async with aclosing(ahead(notes, partial(_ask_awards, target, noun, iid))) as asked:
        given = {note: awards async for note, awards in asked if awards}
    return Conversation(discussions, awards, given)


async def _ask_awards(target: ProjectRun, noun: str, iid: int, note_id: int) -> list[SourceAward]:
    return await collect(target.run.source.awards(target.project.id, noun, iid, note_id))
