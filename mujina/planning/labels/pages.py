"""The pages of labels of projects and groups: the list and its forms."""

from mujina.kernel import errors
from mujina.kernel.errors import Conflict
from mujina.kernel.html.pages import HtmlPage, PageRequest, Redirect, form, view
from mujina.kernel.http.paging import Page
from mujina.kernel.http.params import UNSET
from mujina.kernel.permissions.rules import signed_in
from mujina.planning.labels import operations
from mujina.planning.labels.page_view import read_labels
from mujina.planning.labels.params import CreateLabel, EditLabel, LabelFields, ListLabels
from mujina.planning.labels.presets import PRESETS, is_preset
from mujina.planning.labels.rules import ADMIN_LABELS, LabelRow, find_label, owned
from mujina.planning.work_items.page_scopes import checked_scope, scope_of
from mujina.workspaces.owners.rules import Owner

_ALL = "/{owner}/labels"


@view(_ALL, rights={"manage": ADMIN_LABELS, "subscribe": signed_in})
async def show_labels(request: PageRequest, query: ListLabels, page: Page) -> HtmlPage:
    scope = scope_of(request)
    async with request.reading() as tx:
        projects = await scope.projects(tx, request.actor)
        labels = await read_labels(tx, request.actor, scope.owner, projects, query.search or "", page)
    return HtmlPage("planning/labels.html", {"labels": labels, "here": request.here}, fragments=("labels",))


@view(f"{_ALL}/new", to=ADMIN_LABELS, anonymous=False)
async def show_new_label(request: PageRequest) -> HtmlPage:
    return _form_page(request, None)


@form(_ALL, to=ADMIN_LABELS, again=f"{_ALL}/new")
async def create_label(request: PageRequest) -> Redirect:
    fields = request.read_form(LabelFields, "label")
    change = CreateLabel(
        name=fields.title or "", color=_color(fields, None) or "", description=fields.description, priority=fields.priority
    )  # fmt: skip
    async with request.transaction() as tx:
        scope = await checked_scope(tx, request, ADMIN_LABELS)
        try:
            await operations.create(tx, request.actor, scope.owner, change)
        except Conflict:
            raise errors.taken("title") from None
    return Redirect(f"{request.here}/labels", flash="Label created.")


@form(f"{_ALL}/default_set", to=ADMIN_LABELS, again=_ALL)
async def create_default_labels(request: PageRequest) -> Redirect:
    async with request.transaction() as tx:
        scope = await checked_scope(tx, request, ADMIN_LABELS)
        number = await operations.create_default_set(tx, request.actor, scope.owner)
    return Redirect(f"{request.here}/labels", flash=f"Labels created: {number}.")


@view(f"{_ALL}/{{id:int}}/edit", to=ADMIN_LABELS, anonymous=False)
async def show_edit_label(request: PageRequest, id: int) -> HtmlPage:
    owner = scope_of(request).owner
    async with request.reading() as tx:
        label = await find_label(tx, owner, ref=str(id))
        priority = await operations.priority_of(tx, owner, label)
    return _form_page(request, label, priority)


@form(f"{_ALL}/{{id:int}}", to=ADMIN_LABELS, again=f"{_ALL}/{{id:int}}/edit")
async def edit_label(request: PageRequest, id: int) -> Redirect:
    fields = request.read_form(LabelFields, "label")
    async with request.transaction() as tx:
        scope = await checked_scope(tx, request, ADMIN_LABELS)
        label = await find_label(tx, scope.owner, ref=str(id))
        await operations.edit(tx, request.actor, scope.owner, label, _change(fields, label, scope.owner))
    return Redirect(f"{request.here}/labels", flash="Changes saved.")


@form(f"{_ALL}/{{id:int}}/delete", to=ADMIN_LABELS, again=_ALL)
async def delete_label(request: PageRequest, id: int) -> Redirect:
    async with request.transaction() as tx:
        scope = await checked_scope(tx, request, ADMIN_LABELS)
        await operations.remove(tx, request.actor, scope.owner, await find_label(tx, scope.owner, ref=str(id)))
    return Redirect(f"{request.here}/labels", flash="Label deleted.")


@form(f"{_ALL}/{{id:int}}/subscribe", again=_ALL)
async def subscribe_to_label(request: PageRequest, id: int) -> Redirect:
    return await _subscribe(request, id, subscribed=True)


@form(f"{_ALL}/{{id:int}}/unsubscribe", again=_ALL)
async def unsubscribe_from_label(request: PageRequest, id: int) -> Redirect:
    return await _subscribe(request, id, subscribed=False)


async def _subscribe(request: PageRequest, id: int, *, subscribed: bool) -> Redirect:
    async with request.transaction() as tx:
        scope = await checked_scope(tx, request)
        label = await find_label(tx, scope.owner, ref=str(id))
        await operations.subscribe(tx, request.actor, label, subscribed=subscribed)
    return Redirect(request.target(f"{request.here}/labels"))


def _form_page(request: PageRequest, label: LabelRow | None, priority: int | None = None) -> HtmlPage:
    owner = scope_of(request).owner
    context = {
        "label": label, "priority": priority, "here": request.here, "of_project": owner.kind == "project",
        "owned": label is None or owned(label, owner), "presets": PRESETS,
        "custom": label is not None and not is_preset(label.color),
    }  # fmt: skip
    return HtmlPage("planning/label_form.html", context)


def _change(fields: LabelFields, label: LabelRow, owner: Owner) -> EditLabel:
    """A project changes only the priority of a label of a group above it."""
    if not owned(label, owner):
        return EditLabel(priority=fields.priority)
    return EditLabel(
        new_name=fields.title, color=_color(fields, label), description=fields.description, priority=fields.priority
    )


def _color(fields: LabelFields, label: LabelRow | None) -> str:
    """The color of the form. A text beside a preset replaces the preset; a preset replaces a color that was a text."""
    if label is not None and fields.color is UNSET and fields.preset is UNSET:
        return label.color
    text, preset = (fields.color or "").strip(), fields.preset or ""
    return text or preset if label is None or is_preset(label.color) else preset or text
