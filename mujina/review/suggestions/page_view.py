"""Suggestions as pages show them: small diffs below the comments that contain them."""

from collections.abc import Mapping, Sequence
from typing import Literal

import msgspec

from mujina.kernel.db.transaction import Tx
from mujina.kernel.permissions.actor import Actor
from mujina.planning.discussions.timeline import Thread
from mujina.review.merge_requests.views.page_view import MergeRequestPageRow
from mujina.review.suggestions.entities import Suggestion, suggestions_of
from mujina.review.suggestions.operations import may_apply


class ShownSuggestion(msgspec.Struct, frozen=True):
    id: int
    from_line: int
    removed: list[str]
    added: list[str]
    state: Literal["appliable", "applied", "open", "outdated"]
    """`open`: the reader may not apply it."""
    several: bool
    """Whether the reader may apply others as well."""


async def show_suggestions(tx: Tx, actor: Actor, request: MergeRequestPageRow, threads: Sequence[Thread]) -> int:
    """Add to each comment what it suggests; how many suggestions the reader may apply."""
    commented = {
        note.id: note for thread in threads if thread.resolvable for note in thread.notes if "suggestion" in note.body
    }
    found: Mapping[int, list[Suggestion]] = await suggestions_of(tx, list(commented)) if commented else {}
    appliable = [each for suggested in found.values() for each in suggested if each.appliable]
    offered = len(appliable) if appliable and await may_apply(tx, actor, request) else 0
    for note_id, suggested in found.items():
        commented[note_id].suggestions = [_shown(each, offered) for each in suggested]
    return offered


def _shown(suggestion: Suggestion, appliable: int) -> ShownSuggestion:
    state = "applied" if suggestion.applied else "outdated"
    if suggestion.appliable:
        state = "appliable" if appliable else "open"
    removed, added = (text.split("\n") for text in (suggestion.from_content, suggestion.to_content))
    return ShownSuggestion(
        suggestion.id,
        suggestion.from_line,
        removed if removed[-1] else removed[:-1],
        added if added[-1] else added[:-1],
        state,
        several=appliable > 1,
    )
