"""The hooks of a project or group, and of the instance: the list, the form, tests, and the log of deliveries."""

import msgspec

from mujina.integrations.deliveries import entities as deliveries
from mujina.integrations.deliveries.hours import read_hours
from mujina.integrations.deliveries.operations import MASK, call_once, masked_url, unmasked_url
from mujina.integrations.deliveries.queue.building import store_payload
from mujina.integrations.deliveries.queue.leases import Attempt, find_payload, resume
from mujina.integrations.hooks import entities, operations
from mujina.integrations.hooks.params import TRIGGERS, HookTest, SaveHook
from mujina.integrations.hooks.rules import find_hook
from mujina.integrations.payloads.events import for_instance
from mujina.integrations.payloads.operations import build_sample
from mujina.integrations.payloads.samples import SYSTEM_SAMPLE, find_flag
from mujina.kernel import errors
from mujina.kernel.html.pages import HtmlPage, PageRequest, Redirect, form, view
from mujina.kernel.http.paging import Page
from mujina.workspaces.owners.rules import ADMIN_OWNER, OwnerOrInstance, OwnerRule, find_page_owner
from mujina.workspaces.projects.rules import ADMIN_PROJECT, OWN_PROJECT

MAX_SHOWN = 20_000
"""Characters of a body that a page shows."""
_OWNER, _SYSTEM = "/{owner}/hooks", "/admin/hooks"
_OF_OWNER, _OF_SYSTEM = _OWNER + "/{hook_id:int}", _SYSTEM + "/{hook_id:int}"
_OWNER_LOG, _SYSTEM_LOG = _OF_OWNER + "/hook_logs/{log_id:int}", _OF_SYSTEM + "/hook_logs/{log_id:int}"
_OWN: dict[str, OwnerRule] = {"own": {"project": OWN_PROJECT}}
SYSTEM_TRIGGERS = (
    (
        "repository_update_events",
        "Events of repository updates",
        "Branches or tags of any project change, once for each push.",
    ),
    ("push_events", "Push events", "A branch of any project is pushed to, once for each branch."),
    ("tag_push_events", "Tag push events", "A tag of any project is created or deleted."),
    ("merge_requests_events", "Merge request events", "A merge request of any project is created, edited or merged."),
)
"""The events of a system hook, which also gets those of users, groups, members and projects."""


@view("/{project}/settings/integrations", to=ADMIN_PROJECT, rights={"own": OWN_PROJECT}, anonymous=False)
@view(_OWNER, to=ADMIN_OWNER, rights=_OWN, anonymous=False)
@view(_SYSTEM, admin=True)
async def show_hooks(request: PageRequest, page: Page) -> HtmlPage:
    async with request.reading() as tx:
        hooks = await entities.load_page(tx, request.services.vault, await find_page_owner(tx, request), page)
        newest = await deliveries.newest(tx, [hook.id for hook in hooks.items])
        stopped = [] if request.container else await entities.stopped(tx, request.services.vault)
    context = {"hooks": hooks, "newest": newest, "masked": masked_url, "stopped": stopped}
    return HtmlPage("integrations/hooks.html", {**context, **_page_context(request)})


@form(_OWNER, to=ADMIN_OWNER)
@form(_SYSTEM, admin=True)
async def create_hook(request: PageRequest) -> Redirect:
    change = request.read_form(SaveHook, "hook")
    async with request.transaction() as tx:
        owner = await find_page_owner(tx, request)
        _check(request, owner, change)
        await operations.create(tx, request.services, request.actor, owner, change.change())
    return Redirect(_root(request), flash="Hook added.")


@view(_OF_OWNER + "/edit", to=ADMIN_OWNER, rights=_OWN, anonymous=False)
@view(_OF_SYSTEM + "/edit", admin=True)
async def show_hook(request: PageRequest, hook_id: int, page: Page) -> HtmlPage:
    async with request.reading() as tx:
        row = await find_hook(tx, await find_page_owner(tx, request), hook_id)
        attempts, hours = await deliveries.lines(tx, row.id, page), await read_hours(tx, row.id)
    context = {"hook": entities.to_hook(request.services.vault, row), "row": row, "tokened": row.token is not None}
    return HtmlPage(
        "integrations/hook.html",
        {**context, "attempts": attempts, "hours": hours, "masked": masked_url, **_page_context(request)},
    )


@form(_OF_OWNER, to=ADMIN_OWNER, again=_OF_OWNER + "/edit")
@form(_OF_SYSTEM, admin=True, again=_OF_SYSTEM + "/edit")
async def save_hook(request: PageRequest, hook_id: int) -> Redirect:
    change = request.read_form(SaveHook, "hook")
    async with request.transaction() as tx:
        owner = await find_page_owner(tx, request)
        hook = await find_hook(tx, owner, hook_id, lock=True)
        stored = operations.readable_url(request.services.vault, hook.url)
        change = msgspec.structs.replace(change, url=unmasked_url(change.url.strip(), stored))
        _check(request, owner, change)
        await operations.edit(tx, request.services, request.actor, hook, change.change())
    return Redirect(f"{_root(request)}/{hook_id}/edit", flash="Changes saved.")


@form(_OF_OWNER + "/delete", to=ADMIN_OWNER, again=_OWNER)
@form(_OF_SYSTEM + "/delete", admin=True, again=_SYSTEM)
async def delete_hook(request: PageRequest, hook_id: int) -> Redirect:
    async with request.transaction() as tx:
        hook = await find_hook(tx, await find_page_owner(tx, request), hook_id, lock=True)
        await operations.remove(tx, request.actor, hook)
    return Redirect(_root(request), flash="Hook deleted.")


@form(_OF_OWNER + "/resume", to=ADMIN_OWNER, again=_OF_OWNER + "/edit")
@form(_OF_SYSTEM + "/resume", admin=True, again=_OF_SYSTEM + "/edit")
async def resume_hook(request: PageRequest, hook_id: int) -> Redirect:
    async with request.transaction() as tx:
        hook = await find_hook(tx, await find_page_owner(tx, request), hook_id, lock=True)
        await resume(tx, hook.id)
    return Redirect(f"{_root(request)}/{hook_id}/edit", flash="Deliveries resumed.")


@form(_OF_OWNER + "/test", to=ADMIN_OWNER, again=_OF_OWNER + "/edit")
@form(_OF_SYSTEM + "/test", admin=True, again=_OF_SYSTEM + "/edit")
async def test_hook(request: PageRequest, hook_id: int, change: HookTest) -> Redirect:
    async with request.reading() as tx:
        hook = await find_hook(tx, await find_page_owner(tx, request), hook_id)
    # A system hook is tested with one sample, whatever the trigger.
    payload = (
        await build_sample(request.services, hook.owner, request.actor.id, find_flag(change.trigger))
        if request.container
        else for_instance(None, SYSTEM_SAMPLE)
    )
    if isinstance(payload, str):
        raise errors.Unprocessable({"message": payload})
    async with request.transaction() as tx:
        payload_id = await store_payload(tx, None, payload)
    attempt = await call_once(request.services, hook.id, payload_id)
    return Redirect(f"{_root(request)}/{hook_id}/edit", flash=_outcome(attempt))


@view(_OWNER_LOG, to=ADMIN_OWNER, rights=_OWN, anonymous=False)
@view(_SYSTEM_LOG, admin=True)
async def show_delivery(request: PageRequest, hook_id: int, log_id: int) -> HtmlPage:
    async with request.reading() as tx:
        hook = await find_hook(tx, await find_page_owner(tx, request), hook_id)
        delivery = await deliveries.load_one(tx, hook.id, log_id)
        attempts = await deliveries.attempts_of(tx, hook.id, log_id)
    body = msgspec.json.format(msgspec.json.encode(delivery.request_data), indent=2).decode()
    context = {"delivery": delivery, "attempts": attempts, "body": body, "limit": MAX_SHOWN, "hook_id": hook_id}
    return HtmlPage("integrations/delivery.html", {**context, **_page_context(request)})


@form(_OWNER_LOG + "/redeliver", to=ADMIN_OWNER, again=_OWNER_LOG)
@form(_SYSTEM_LOG + "/redeliver", admin=True, again=_SYSTEM_LOG)
async def redeliver(request: PageRequest, hook_id: int, log_id: int) -> Redirect:
    async with request.reading() as tx:
        hook = await find_hook(tx, await find_page_owner(tx, request), hook_id)
        payload_id = await find_payload(tx, hook.id, log_id)
    attempt = await call_once(request.services, hook.id, payload_id)
    return Redirect(f"{_root(request)}/{hook_id}/edit", flash=_outcome(attempt))


def _root(request: PageRequest) -> str:
    return f"{request.here}/hooks"


def _page_context(request: PageRequest) -> dict[str, object]:
    """The context of every page of hooks."""
    noun, triggers = ("Webhook", TRIGGERS) if request.container else ("System hook", SYSTEM_TRIGGERS)
    return {"root": _root(request), "noun": noun, "triggers": triggers}


def _check(request: PageRequest, owner: OwnerOrInstance, change: SaveHook) -> None:
    """The checks of the API, with the complaint about the address beside its field."""
    if f"{MASK}@" in change.url:
        raise errors.invalid({"url": ["needs the password again"]})
    try:
        operations.check(request.services, owner, change)
    except errors.Unprocessable:
        raise errors.invalid({"url": ["is not an address that hooks may call"]}) from None


def _outcome(attempt: Attempt) -> str:
    if attempt.error is not None:
        return f"Not delivered: {attempt.error}"
    return f"The receiver answered with status {attempt.response_status}."
