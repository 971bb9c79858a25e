"""One's own SSH keys."""

from mujina.domains.keys import operations
from mujina.domains.keys.params import AddKey
from mujina.domains.keys.rules import find_own_key, own_keys
from mujina.kernel.pages import Elsewhere, Numbered, Shown, Visit, form, view

PAGE = "/profile/keys"


@view(PAGE)
async def show_keys(visit: Visit) -> Shown:
    async with visit.reading() as tx:
        return Shown("keys.html", {"keys": await own_keys(tx, visit.actor.id)})


@form(PAGE)
async def add_key(visit: Visit) -> Elsewhere:
    said = visit.said(AddKey, "key")
    async with visit.transaction() as tx:
        await operations.add(tx, visit.actor, visit.actor.id, said)
    return Elsewhere(PAGE)


@form(f"{PAGE}/remove", again=PAGE)
async def remove_key(visit: Visit) -> Elsewhere:
    async with visit.transaction() as tx:
        key = await find_own_key(tx, visit.actor.id, visit.said(Numbered).id)
        await operations.remove(tx, visit.actor, key)
    return Elsewhere(PAGE)
