"""Applying suggestions on the page of a merge request."""

from mujina.kernel import errors
from mujina.kernel.html.pages import PageRequest, Redirect, form
from mujina.kernel.http.params import Ref
from mujina.review.merge_requests.rules import find_merge_request
from mujina.review.suggestions.operations import apply
from mujina.review.suggestions.params import ApplySuggestions
from mujina.workspaces.projects.rules import ProjectRow

NONE_SELECTED = "No suggestion is selected."


@form("/{project}/merge_requests/{iid:int}/suggestions", again="/{project}/merge_requests/{iid:int}")
async def apply_suggestions(request: PageRequest, project: ProjectRow, iid: int, change: ApplySuggestions) -> Redirect:
    """Apply one suggestion, or those that are selected, in one commit."""
    async with request.reading() as tx:
        await find_merge_request(tx, request.actor, Ref.of(project.id), iid, hide=True)
    if not change.ids:
        raise errors.bad_request(NONE_SELECTED)
    await apply(request.services, request.actor, change.ids, change.commit_message or "")
    applied = "Suggestion applied." if len(change.ids) == 1 else f"Suggestions applied: {len(change.ids)}."
    return Redirect(request.target(f"{request.here}/merge_requests/{iid}"), flash=applied, whole=True)
