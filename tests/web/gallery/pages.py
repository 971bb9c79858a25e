"""Pages that exist in tests only: each macro with each of its looks, and forms that show what the dispatcher does."""

from pathlib import Path
from types import SimpleNamespace

import jinja2

from mujina.kernel import errors
from mujina.kernel.html.pages import HtmlPage, PageRequest, Redirect, form, view
from mujina.kernel.http.paging import Page
from mujina.kernel.http.params import Params, RequiredText
from mujina.rendering.code.code_rows import part_of
from mujina.rendering.code.diff_rows import DiffRow
from mujina.rendering.html import Html
from mujina.web.responses import templates
from mujina.workspaces.groups.rules import GroupRow
from mujina.workspaces.projects.rules import ADMIN_PROJECT, OWN_PROJECT, PUSH_CODE, ProjectRow

FOLDER = Path(__file__).parents[1] / "templates"
ANNA = SimpleNamespace(id=1, name="Anna Mori", username="anna", avatar_url=None)


class NewThing(Params):
    title: RequiredText
    size: int = 1


def use_templates() -> None:
    """Find the templates of these pages as well."""
    environment = templates()
    environment.loader = jinja2.ChoiceLoader([environment.loader, jinja2.FileSystemLoader(FOLDER)])


@view("/{project}/gallery", rights={"push": PUSH_CODE, "own": OWN_PROJECT})
async def show_gallery(request: PageRequest, project: ProjectRow, page: Page) -> HtmlPage:
    lines = [
        "<b>def</b> <u>f</u>():  <i># a</i>",
        "    <b>return</b> <var>1</var> + <q>'a'</q>",
    ]
    rows = [
        DiffRow("hunk", "", None, None, Html("@@ -1,2 +1,2 @@")), DiffRow("line", " ", 1, 1, Html(lines[0]), "a_1_1"),
        DiffRow("line", "-", 2, None, Html("    <del>old</del>"), "a_2_1"),
        DiffRow("line", "+", None, 2, Html(lines[1]), "a_3_2"),
    ]  # fmt: skip
    days = [(f"2018-01-{day:02}", day % 5) for day in range(1, 29)]
    words = {
        "project": project, "anna": ANNA, "file": {"part": part_of(lines, page)}, "change": {"rows": rows}, "days": days,
        "paged": page.of([], 130), "long": "a-word-that-goes-on-" * 8,
    }  # fmt: skip
    return HtmlPage("gallery.html", words, fragments=("things",))


@form("/{project}/gallery")
async def create_thing(request: PageRequest, project: ProjectRow, thing: NewThing) -> Redirect:
    if thing.title == "taken":
        raise errors.invalid({"title": ["has already been taken"]})
    if thing.title == "moved":
        raise errors.conflict("Someone changed it")
    return Redirect(f"/{project.full_path}/gallery?page=2", flash=f"Created “{thing.title}”.")


@form("/{project}/gallery/own", to=OWN_PROJECT, again="/{project}/gallery")
async def own_thing(request: PageRequest, project: ProjectRow) -> Redirect:
    return Redirect(f"/{project.full_path}/gallery")


@view("/{project}/gallery/admin", to=ADMIN_PROJECT)
async def show_admin(request: PageRequest, project: ProjectRow) -> HtmlPage:
    return HtmlPage("gallery.html")


@view("/{project}/gallery/of/{number:int}")
@view("/{project}/gallery/{path:path}")
async def show_tail(request: PageRequest, project: ProjectRow, path: str = "", number: int = 0) -> HtmlPage:
    return HtmlPage("tail.html", {"tail": request.captured})


@view("/{project}/gallery/signed_in", anonymous=False)
async def show_signed_in(request: PageRequest, project: ProjectRow) -> HtmlPage:
    return HtmlPage("tail.html", {"tail": {}})


@view("/groups/{group}/-/gallery")
@view("/groups/{group}/-/gallery.atom")
async def show_group_gallery(request: PageRequest, group: GroupRow) -> HtmlPage:
    return HtmlPage("tail.html", {"tail": {"group": group.full_path}})


@view("/admin/gallery", admin=True)
async def show_for_administrators(request: PageRequest) -> HtmlPage:
    raise errors.internal()
