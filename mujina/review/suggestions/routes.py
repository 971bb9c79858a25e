"""Applying suggestions of comments."""

from collections.abc import Sequence

from mujina.kernel import errors
from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.params import Unset
from mujina.kernel.http.routing import put
from mujina.review.suggestions import entities
from mujina.review.suggestions.entities import Suggestion
from mujina.review.suggestions.operations import apply
from mujina.review.suggestions.params import ApplySuggestion, ApplySuggestions


@put("/suggestions/:id/apply")
async def apply_suggestion(call: Call, id: int, change: ApplySuggestion) -> Suggestion:
    """Apply a suggestion to the source branch of its merge request."""
    applied = await _apply(call, [id], change.commit_message)
    if not applied:
        raise errors.not_found("Suggestion")
    return applied[0]


@put("/suggestions/batch_apply")
async def apply_suggestions(call: Call, change: ApplySuggestions) -> list[Suggestion]:
    """Apply several suggestions of a merge request in one commit."""
    return await _apply(call, change.ids, change.commit_message)


async def _apply(call: Call, ids: Sequence[int], message: str | Unset) -> list[Suggestion]:
    await apply(call.services, call.actor, ids, message or "")
    async with call.reading() as tx:
        return await entities.load_many(tx, ids)
