"""Browsers of the cast: signed in by a session that is written directly, because hashing passwords is slow."""

import re
from typing import Any

from mujina.accounts.sessions import operations
from mujina.accounts.users.rules import actor_of, find_user
from mujina.kernel.http.requests.origins import Origin
from tests.harness.canaries import CANARIES
from tests.harness.cast import Person
from tests.harness.client import Client
from tests.harness.visitor import Visitor


def browser_of(person: Person, database: Any, client: Client) -> Visitor:
    """A browser in which this person is signed in; an anonymous person has one without a session."""
    if not person.id:
        return Visitor(client)

    async def start() -> str:
        async with database.transaction() as tx:
            # A user whose password an administrator set has to choose another before any page opens.
            await tx.run("UPDATE users SET password_expires_at = NULL WHERE id = :id", id=person.id)
            actor = actor_of(await find_user(tx, person.id))
            cookie = await operations.start_for(tx, actor, Origin("tests", "127.0.0.1"))
            return cookie.value

    cookie = client.loop.run_until_complete(start())
    CANARIES.catch(cookie, "sessions.operations")
    return Visitor(client, cookie=cookie)


def counts_on_tabs(page: str) -> list[int]:
    """The numbers on the tabs of a list, from left to right."""
    tabs = page.partition('<nav class="tabs"')[2].partition("</nav>")[0]
    return [int(number.replace(",", "")) for number in re.findall(r'<span class="count">([\d,]+)</span>', tabs)]
