"""The page that tells which commit wrote each line."""

from mujina.code.blame import operations
from mujina.code.blame.operations import MAX_LINES
from mujina.code.files import operations as files
from mujina.code.files.views import view_of
from mujina.code.repositories.browsing import authors_of, browse, offers_refs, ref_menu
from mujina.kernel import errors
from mujina.kernel.html.pages import HtmlPage, PageRequest, view
from mujina.kernel.http.paging import Page
from mujina.rendering.code import highlighting
from mujina.rendering.code.code_rows import numbered, part_of
from mujina.workspaces.projects.rules import READ_CODE, ProjectRow


@view("/{project}/blame/{tail:path}", to=READ_CODE)
@offers_refs
async def show_blame(request: PageRequest, project: ProjectRow, tail: str, page: Page) -> HtmlPage:
    location = await browse(request.services, project, tail)
    entry, blob = files.entry_at(location.found, location.path), files.blob(location.found, location.path)
    shown = view_of(entry, blob, source=True) if entry else None
    if shown is None or shown.kind not in ("code", "symlink"):
        raise errors.not_found("Text")
    context = {"location": location, "refs": ref_menu(location.found.code), "max_lines": MAX_LINES}
    lines = await highlighting.highlighted(request.services, blob.id, location.path, shown.text)
    if len(lines) > MAX_LINES:
        return HtmlPage("code/blame.html", {**context, "groups": [], "authors": {}, "too_long": True})
    part = part_of(lines, page)
    groups = await operations.blame(
        location.found, location.path, part.page.start + 1, part.page.start + len(part.items)
    )
    async with request.reading() as tx:
        authors = await authors_of(tx, [group.commit for group in groups])
    shown_groups = [
        (group, numbered(lines[group.first - 1 : group.first - 1 + group.count], group.first)) for group in groups
    ]
    context |= {"groups": shown_groups, "part": part, "authors": authors, "too_long": False}
    return HtmlPage("code/blame.html", context)
