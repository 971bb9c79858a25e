"""The page of a project's snippet: its code, and the comments on it."""

from mujina.code.snippets.page_view import read_snippet
from mujina.code.snippets.rules import LIST_PROJECT_SNIPPETS, find_project_snippet
from mujina.kernel.html.pages import NOTE, HtmlPage, PageRequest, view
from mujina.kernel.http.paging import Page
from mujina.kernel.http.params import UNSET, Unset, Words
from mujina.planning.awards.reactions import read_reactions
from mujina.planning.awards.rules import Awardable
from mujina.planning.discussions.timeline import read_timeline, text_place
from mujina.planning.notes.params import ShownNote
from mujina.planning.snippet_comments.noteable import noteable_of
from mujina.workspaces.projects.rules import ProjectRow


class ShownSnippet(ShownNote):
    file: Words | Unset = UNSET
    """The path of one of its files; otherwise the page shows the first."""


@view("/{project}/snippets/{iid:int}", to=LIST_PROJECT_SNIPPETS)
async def show_project_snippet(
    request: PageRequest, project: ProjectRow, iid: int, query: ShownSnippet, page: Page
) -> HtmlPage:
    services, actor, place = request.services, request.actor, text_place(project.full_path)
    async with request.reading() as tx:
        row = await find_project_snippet(tx, actor, project.id, iid)
        noteable = noteable_of(project, row)
        timeline = await read_timeline(
            services, tx, actor, noteable, place, note=query.note or 0, opening=row.description or "",
            draft=request.draft("body"),
        )  # fmt: skip
        shown = await read_snippet(services, tx, row, query.file or "", timeline.opening, page)
        reactions = await read_reactions(tx, actor, Awardable.of(noteable))
    context = {"shown": shown, "snippet": shown.snippet, "timeline": timeline, "reactions": reactions}
    return HtmlPage(
        "planning/snippet.html",
        {**context, "root": f"{request.here}/snippets"},
        fragments=("discussion", "awards"),
        parts={NOTE: ("discussion",)},
    )
