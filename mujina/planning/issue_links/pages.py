"""Related issues: the forms of the page of an issue."""

from mujina.kernel.html.pages import PageRequest, Redirect, form
from mujina.kernel.http.params import Params, Ref
from mujina.planning.issue_links import operations
from mujina.planning.issue_links.params import LinkType
from mujina.planning.issue_links.rules import find_link
from mujina.planning.issues.rules import ADMIN_ISSUE, find_issue, find_named_issue
from mujina.workspaces.projects.rules import ProjectRow

_ISSUE = "/{project}/issues/{iid:int}"


class RelateIssue(Params):
    issue: str = ""
    """Its address, or a reference."""
    link_type: LinkType = "relates_to"


@form(f"{_ISSUE}/links", again=_ISSUE)
async def relate_issue(request: PageRequest, project: ProjectRow, iid: int, fields: RelateIssue) -> Redirect:
    here = Ref.of(project.id)
    async with request.transaction() as tx:
        source = await find_issue(tx, request.actor, here, iid, to=ADMIN_ISSUE)
        target = await find_named_issue(tx, request.actor, fields.issue, here=here, to=ADMIN_ISSUE)
        await operations.create(tx, request.actor, source, target, fields.link_type)
    return Redirect(_address(request, iid))


@form(f"{_ISSUE}/links/{{link_id:int}}/delete", again=_ISSUE)
async def unrelate_issue(request: PageRequest, project: ProjectRow, iid: int, link_id: int) -> Redirect:
    async with request.transaction() as tx:
        issue = await find_issue(tx, request.actor, Ref.of(project.id), iid, to=ADMIN_ISSUE)
        await operations.remove(tx, request.actor, issue, await find_link(tx, request.actor, issue, link_id))
    return Redirect(_address(request, iid))


def _address(request: PageRequest, iid: int) -> str:
    return f"{request.here}/issues/{iid}#related"
