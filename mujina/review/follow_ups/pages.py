"""An issue for the unresolved threads of a merge request."""

from mujina.kernel.html.pages import PageRequest, Redirect, form
from mujina.kernel.http.params import Ref
from mujina.planning.discussions.follow_ups import with_description
from mujina.planning.issues.operations import MAX_TITLE_LENGTH
from mujina.planning.issues.params import CreateIssue
from mujina.planning.issues.rules import issues_enabled
from mujina.planning.quick_actions import operations as quick_actions
from mujina.review.merge_requests import entities
from mujina.review.merge_requests.rules import RESOLVE_DISCUSSIONS, find_merge_request
from mujina.workspaces.projects.rules import CREATE_ISSUE, ProjectRow, find_project


@form(
    "/{project}/merge_requests/{iid:int}/follow_up",
    to=CREATE_ISSUE & issues_enabled,
    again="/{project}/merge_requests/{iid:int}",
)
async def create_follow_up(request: PageRequest, project: ProjectRow, iid: int) -> Redirect:
    """Create an issue that lists the open threads, which are resolved by it."""
    actor, ref, browser = request.actor, Ref.of(project.id), request.browser
    async with request.transaction() as tx:
        row = await find_merge_request(tx, actor, ref, iid, to=RESOLVE_DISCUSSIONS, hide=True)
        title = (await entities.load_one(tx, actor, row.id, can_merge=False)).title
        change = CreateIssue(
            title=f'Follow-up from "{title[: MAX_TITLE_LENGTH - 20]}"', merge_request_to_resolve_discussions_of=iid
        )
        change = await with_description(tx, actor, project.id, change)
        found = await find_project(tx, actor, ref, to=CREATE_ISSUE)
        issue = await quick_actions.create_issue(
            tx, actor, found, change, user_agent=browser.user_agent, address=browser.address
        )
    return Redirect(f"/{project.full_path}/issues/{issue.row.iid}")
