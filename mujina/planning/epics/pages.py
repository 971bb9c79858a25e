"""The pages of epics: the list, one epic, its forms, the roadmap."""

from msgspec import structs

from mujina.kernel import clock
from mujina.kernel.db.transaction import Tx
from mujina.kernel.html.pages import HtmlPage, PageRequest, Redirect, form, view
from mujina.kernel.http.paging import Page
from mujina.kernel.http.params import UNSET, Ref
from mujina.kernel.permissions.rules import signed_in
from mujina.planning.awards.reactions import read_reactions
from mujina.planning.awards.rules import Awardable
from mujina.planning.discussions.timeline import DISCUSSION_PARTS, read_timeline, text_place
from mujina.planning.epic_issues.page_view import read_children
from mujina.planning.epic_labels.entities import labels_of
from mujina.planning.epic_labels.operations import assign, relabel
from mujina.planning.epics import operations
from mujina.planning.epics.declarations.noteable import noteable_of
from mujina.planning.epics.page_view import read_epic, read_epics, read_planned
from mujina.planning.epics.params import CreateEpic, EditEpic, EpicFields, EpicLabels, FilterEpics
from mujina.planning.epics.roadmap import roadmap_of
from mujina.planning.epics.rules import (
    DELETE_EPIC,
    WRITE_EPIC,
    check_epic_pages,
    find_epic,
    find_epic_group,
    find_epic_in,
)
from mujina.planning.notes.params import ShownNote
from mujina.planning.work_items.choices import Choices, read_choices
from mujina.planning.work_items.page_scopes import scope_of
from mujina.workspaces.groups.rules import GroupRow

_EPICS = "/groups/{group}/-/epics"
_EPIC = f"{_EPICS}/{{iid:int}}"


def _address(request: PageRequest, iid: int) -> str:
    return f"{request.here}/epics/{iid}"


@view(_EPICS, rights={"write": WRITE_EPIC})
async def show_epics(request: PageRequest, group: GroupRow, query: FilterEpics, page: Page) -> HtmlPage:
    check_epic_pages()
    async with request.listing(wide=query.search) as tx:
        found = await read_epics(tx, request.actor, group, query, page)
        context = {"found": found, "query": query, "group": group, "choices": await _choices(tx, request)}
    return HtmlPage("planning/epics.html", context, fragments=("epics",))


async def _choices(tx: Tx, request: PageRequest) -> Choices:
    return await read_choices(tx, request.actor, scope_of(request).owner)


@view("/groups/{group}/-/roadmap", rights={"write": WRITE_EPIC})
async def show_roadmap(request: PageRequest, group: GroupRow, page: Page) -> HtmlPage:
    check_epic_pages()
    async with request.reading() as tx:
        found = await read_planned(tx, request.actor, group, structs.replace(page, size=50))
    return HtmlPage("planning/roadmap.html", {"found": found, "roadmap": roadmap_of(found.epics.items)})


@view(f"{_EPICS}/new", to=WRITE_EPIC, anonymous=False)
async def show_new_epic(request: PageRequest) -> HtmlPage:
    check_epic_pages()
    async with request.reading() as tx:
        context = {"epic": None, "labels": (), "choices": await _choices(tx, request)}
    return HtmlPage("planning/epic_form.html", context)


@form(_EPICS, to=WRITE_EPIC, again=f"{_EPICS}/new")
async def create_epic(request: PageRequest, group: GroupRow) -> Redirect:
    fields = request.read_form(EpicFields, "epic")
    async with request.transaction() as tx:
        found = await find_epic_group(tx, request.actor, Ref.of(group.id), to=WRITE_EPIC)
        change = CreateEpic(
            title=fields.title, description=fields.description, start_date=fields.start_date, end_date=fields.end_date
        )
        epic_id = await operations.create(tx, request.actor, found.id, change)
        await assign(tx, epic_id, found.id, request.read_form(EpicLabels, "epic").labels or [])
        iid = await operations.iid_of(tx, epic_id)
    return Redirect(_address(request, iid))


@view(_EPIC, rights={"write": WRITE_EPIC, "delete": DELETE_EPIC, "comment": signed_in})
async def show_epic(request: PageRequest, group: GroupRow, iid: int, query: ShownNote, page: Page) -> HtmlPage:
    check_epic_pages()
    actor, place = request.actor, text_place(group.full_path, group=True)
    async with request.reading() as tx:
        row = await find_epic_in(tx, group, iid)
        noteable, shown = noteable_of(row), await read_epic(tx, actor, row.id)
        timeline = await read_timeline(
            request.services, tx, actor, noteable, place, note=query.note or 0, opening=row.description or "",
            draft=request.draft("body"), participants=True,
        )  # fmt: skip
        context = {
            "shown": shown, "epic": shown.epic, "noteable": noteable, "timeline": timeline, "today": clock.today(),
            "reactions": await read_reactions(tx, actor, Awardable.of(noteable)),
            "children": await read_children(tx, actor, row.id, structs.replace(page, size=100)),
        }  # fmt: skip
    return HtmlPage("planning/epic.html", context, fragments=("awards", "facts"), parts=DISCUSSION_PARTS)


@view(f"{_EPIC}/edit", to=WRITE_EPIC, anonymous=False)
async def show_edit_epic(request: PageRequest, group: GroupRow, iid: int) -> HtmlPage:
    check_epic_pages()
    async with request.reading() as tx:
        epic = await find_epic_in(tx, group, iid)
        context = {
            "epic": epic,
            "labels": [label.title for label in (await labels_of(tx, [epic.id])).get(epic.id, [])],
            "choices": await _choices(tx, request),
        }
    return HtmlPage("planning/epic_form.html", context)


@form(_EPIC, to=WRITE_EPIC, again=f"{_EPIC}/edit")
async def edit_epic(request: PageRequest, group: GroupRow, iid: int) -> Redirect:
    change, labels = request.read_form(EditEpic, "epic"), request.read_form(EpicLabels, "epic").labels
    async with request.transaction() as tx:
        epic = await find_epic(tx, request.actor, Ref.of(group.id), iid, to=WRITE_EPIC, lock=True)
        await operations.edit(tx, request.actor, epic, change)
        if labels is not UNSET:
            await relabel(tx, request.actor, epic.id, epic.group_id, labels)
    return Redirect(_address(request, iid), flash="Changes saved.")


@form(f"{_EPIC}/delete", to=DELETE_EPIC, again=_EPIC)
async def delete_epic(request: PageRequest, group: GroupRow, iid: int) -> Redirect:
    async with request.transaction() as tx:
        epic = await find_epic(tx, request.actor, Ref.of(group.id), iid, to=DELETE_EPIC, lock=True)
        await operations.remove(tx, request.actor, epic)
    return Redirect(f"{request.here}/epics", flash="Epic deleted.")
