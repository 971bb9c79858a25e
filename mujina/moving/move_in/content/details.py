"""What an issue, a merge request or an epic has besides its row: asked for a few at a time, ahead of what is being written."""

import asyncio
from collections import deque
from collections.abc import AsyncGenerator, AsyncIterable, Awaitable, Callable, Iterable
from contextlib import aclosing
from functools import partial
from typing import Final, TypeVar

import msgspec

from mujina.moving.move_in.runs import GroupRun, ProjectRun, collect
from mujina.moving.sources.operations import shared_budget
from mujina.moving.sources.records import (
    LinkedIssue,
    SourceApproval,
    SourceAward,
    SourceDiscussion,
    SourceEpic,
    SourceIssue,
    SourceMergeRequest,
    SourcePerson,
    SourceVersion,
)

NOUNS: Final = {"issue": "issues", "merge_request": "merge_requests", "snippet": "snippets", "epic": "epics"}
AHEAD: Final = 8
"""Objects whose details are asked for at once; the memory that a run takes is theirs, `MAX_LIST_BYTES` for each."""
Item = TypeVar("Item")
Result = TypeVar("Result")


class Conversation(msgspec.Struct, frozen=True):
    """The comments on an issue, a merge request, a snippet or an epic, and the reactions to it and to its comments."""

    discussions: list[SourceDiscussion]
    awards: list[SourceAward]
    note_awards: dict[int, list[SourceAward]]
    """By the id of the note at the source."""

    @property
    def people(self) -> list[SourcePerson | None]:
        """Everyone who wrote or resolved something, or reacted to it."""
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


class EpicDetails(msgspec.Struct, frozen=True):
    conversation: Conversation
    issues: list[LinkedIssue]


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
            waiting.append((item, asyncio.ensure_future(_ask_within_bounds(ask, item))))
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


async def _ask_within_bounds(ask: Callable[[Item], Awaitable[Result]], item: Item) -> Result:
    with shared_budget():
        return await ask(item)


async def ask_issue(target: ProjectRun, issue: SourceIssue) -> IssueDetails:
    links = collect(target.run.source.links(target.project.id, issue.iid))
    conversation, linked = await asyncio.gather(ask_conversation(target, "issue", issue.iid), links)
    return IssueDetails(conversation, linked)


async def ask_epic(target: GroupRun, epic: SourceEpic) -> EpicDetails:
    source, group_id = target.run.source, target.group.id
    discussions = source.epic_discussions(group_id, epic.id)
    conversation, issues = await asyncio.gather(
        _converse(discussions, partial(source.epic_awards, group_id, epic.iid)),
        collect(source.epic_issues(group_id, epic.iid)),
    )
    return EpicDetails(conversation, issues)


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
    source, project_id, noun = target.run.source, target.project.id, NOUNS[kind]
    with shared_budget():
        return await _converse(source.discussions(project_id, noun, iid), partial(source.awards, project_id, noun, iid))


async def _converse(
    discussions: AsyncIterable[list[SourceDiscussion]], awards: Callable[[int | None], AsyncIterable[list[SourceAward]]]
) -> Conversation:
    """The discussions with the reactions; `awards`: those to a note, or to what the notes are on."""
    found, given = await asyncio.gather(collect(discussions), collect(awards(None)))

    async def ask(note_id: int) -> list[SourceAward]:
        return await collect(awards(note_id))

    notes = [note.id for each in found for note in each.notes if not note.system]
    async with aclosing(ahead(notes, ask)) as asked:
        return Conversation(found, given, {note: awards async for note, awards in asked if awards})
