"""The page that tells which commit wrote each line."""

from mujina.code.blame import operations
from mujina.code.blame.operations import MAX_LINES
from mujina.code.files import operations as files
from mujina.code.files.views import view_of
from mujina.code.repositories.browsing import authors_of, browse, offers_refs, ref_menu
from mujina.kernel import errors
from mujina.kernel.pages import HtmlPage, PageRequest, view
from mujina.rendering import highlighting
from mujina.rendering.code_rows import numbered
from mujina.workspaces.projects.rules import READ_CODE, ProjectRow


@view("/{project}/blame/{tail:path}", to=READ_CODE)
@offers_refs
async def show_blame(request: PageRequest, project: ProjectRow, tail: str) -> HtmlPage:
    place = await browse(request.services, project, tail)
    entry, blob = files.entry_at(place.found, place.path), files.blob(place.found, place.path)
    shown = view_of(entry, blob, source=True) if entry else None
    if shown is None or shown.kind not in ("code", "symlink"):
        raise errors.not_found("Text")
    words = {"place": place, "refs": ref_menu(place.found.code), "max_lines": MAX_LINES}
    lines = await highlighting.highlighted(request.services, blob.id, place.path, shown.text)
    if len(lines) > MAX_LINES:
        return HtmlPage("code/blame.html", {**words, "groups": [], "authors": {}, "too_long": True})
    groups = await operations.blame(place.found, place.path)
    async with request.reading() as tx:
        authors = await authors_of(tx, [group.commit for group in groups])
    parts = [(group, numbered(lines[group.first - 1 : group.first - 1 + group.count], group.first)) for group in groups]
    return HtmlPage("code/blame.html", {**words, "groups": parts, "authors": authors, "too_long": False})
