"""Who is who in a move: people of the source become imported names, but for those whom the map of the move names.

Administrators map everybody, as on the command line. Others map themselves, and only as the user to whom the token belongs.
"""

from collections.abc import Iterable
from typing import Final

from mujina.kernel import clock, errors
from mujina.kernel.db.rows import insert_each, update
from mujina.kernel.db.transaction import Tx
from mujina.kernel.jobs.queue import enqueue
from mujina.kernel.permissions.actor import Actor
from mujina.moving.move_in.people import UnknownUser, find_users, read_people
from mujina.moving.personal_moves.operations import check_chosen, find_open
from mujina.moving.personal_moves.params import ChooseProjects
from mujina.moving.personal_moves.rules import MoveRow, people_of
from mujina.moving.sources.records import SourcePerson

LIST: Final = "moves.people"
MAX_PEOPLE: Final = 1_000
MAX_NAME_LENGTH: Final = 255
NO_MAP: Final = 'is no map such as {"anna": "anna.smith", "ben": null}'


async def begin_listing(tx: Tx, actor: Actor, move: MoveRow) -> None:
    """A job reads the chosen projects and lists the people who come with them."""
    await check_chosen(tx, move)
    await enqueue(tx, LIST, move.id, owner_id=actor.id)
    await update(tx, "moves", {"status": "listing", "updated_at": clock.now()}, id=move.id)


async def store(tx: Tx, move_id: int, people: Iterable[tuple[SourcePerson, str | None]]) -> bool:
    """List these people, each with the user who has confirmed their address; whether more are wanted."""
    if await find_open(tx, move_id, "listing") is None:
        return False
    found = list(people)
    users = await find_users(tx, {person.username: username for person, username in found})
    rows = [
        {"move_id": move_id, "login": person.username, "name": person.name, "user_id": users.get(person.username)}
        for person, _ in found
    ]
    await insert_each(tx, "move_people", rows, "ON CONFLICT DO NOTHING")
    await update(tx, "moves", {"updated_at": clock.now()}, id=move_id)
    return await tx.value("SELECT count(*) FROM move_people mw WHERE mw.move_id = :id", id=move_id) < MAX_PEOPLE


async def map_people(tx: Tx, actor: Actor, move: MoveRow, change: ChooseProjects) -> None:
    """Replace the map of the move by the one that was sent."""
    users = await _sent_map(tx, actor, change.people) if change.people.strip() else {}
    if change.mine and move.login is not None:
        users[move.login] = actor.id
    await tx.run("UPDATE move_people SET user_id = NULL WHERE move_id = :id", id=move.id)
    rows = [{"move_id": move.id, "login": login, "name": login, "user_id": user_id} for login, user_id in users.items()]
    await insert_each(tx, "move_people", rows, "ON CONFLICT (move_id, login) DO UPDATE SET user_id = excluded.user_id")


async def _sent_map(tx: Tx, actor: Actor, document: str) -> dict[str, int]:
    """The users whom an administrator's map names, by username at the source."""
    if not actor.admin:
        raise errors.forbidden()
    try:
        people = read_people(document.encode())
    except ValueError:
        raise errors.invalid({"people": [NO_MAP]}) from None
    names = [name for pair in people.items() for name in pair if name is not None]
    if len(people) > MAX_PEOPLE or not all(name.isprintable() and 0 < len(name) <= MAX_NAME_LENGTH for name in names):
        raise errors.invalid({"people": [f"has more than {MAX_PEOPLE} people, or names that nobody can have"]})
    try:
        return await find_users(tx, people)
    except UnknownUser as error:
        raise errors.invalid({"people": [f"names {error}, and there is no such user"]}) from None


async def map_of(tx: Tx, actor: Actor, move_id: int) -> dict[str, str]:
    """Username at the source → username here, as far as the actor may say so now."""
    return {
        person.login: person.username
        for person in await people_of(tx, move_id)
        if person.username is not None and (actor.admin or person.user_id == actor.id)
    }
