"""The standing cast: people of every kind around three projects, built once per worker and engine.

Three projects (`private`, `internal`, `public`) live in the group `company/department/team`, each with the same people:

owner       owns the group `team`                      blocked    a developer, blocked since
master      a direct member, like                      external   an outsider who is external: internal is not for them
developer                                              inherited  a developer of `company`, two groups up
reporter                                               shared     master of `guild`, shared into with a cap of reporter
guest                                                  expired    a developer until yesterday
stranger    signed in, a member of nothing             left       wrote an issue, and is a member no more
anonymous   shows no credential                        read_user  a developer whose token only has that scope
root        the administrator

Each project holds three issues: `open` by the reporter, `confidential` by the developer, `farewell`, confidential, by the
author who left.
"""

from collections.abc import Callable, Coroutine
from dataclasses import dataclass, fields
from typing import Any, LiteralString

from mujina.kernel.db.transaction import Tx
from tests.harness.client import Client


@dataclass(frozen=True)
class Person(Client):
    """One of the cast, ready to ask: `cast.owner.get("/user")`."""

    name: str = ""
    id: int = 0
    username: str = ""


@dataclass(frozen=True)
class Place:
    """A project or group of the cast."""

    id: int
    path: str

    @property
    def encoded(self) -> str:
        """The path as one segment of a URL."""
        return self.path.replace("/", "%2F")


@dataclass(frozen=True)
class Roster:
    """Who is who and where, as ids and tokens: what is known of the cast without an application."""

    people: dict[str, tuple[int, str, str | None]]
    """Name → id, username, token."""
    places: dict[str, Place]
    issues: dict[str, int]
    """Name → iid, the same in every project."""


@dataclass(frozen=True)
class Cast:
    """The people bound to one application over one database."""

    root: Person
    owner: Person
    master: Person
    developer: Person
    reporter: Person
    guest: Person
    stranger: Person
    anonymous: Person
    blocked: Person
    external: Person
    inherited: Person
    shared: Person
    expired: Person
    left: Person
    read_user: Person
    private: Place
    internal: Place
    public: Place
    company: Place
    department: Place
    team: Place
    guild: Place
    open: int
    confidential: int
    farewell: int
    database: Any

    @property
    def people(self) -> list[Person]:
        return [person for each in fields(self) if isinstance(person := getattr(self, each.name), Person)]

    @property
    def names(self) -> dict[str, Any]:
        """Everything by name, for paths written as `/projects/{private.id}/issues/{open}`."""
        return {each.name: getattr(self, each.name) for each in fields(self)}

    def events(self) -> list[str]:
        """The kinds of all events recorded so far, in order."""
        return self.transact(lambda tx: tx.values("SELECT kind FROM events ORDER BY id"))

    def run(self, sql: LiteralString, **bound: Any) -> None:
        """Bring about by a statement what no request can: another time, or what another process left."""
        self.transact(lambda tx: tx.run(sql, **bound))

    def value(self, sql: LiteralString, **bound: Any) -> Any:
        """What is stored and no response shows."""
        return self.transact(lambda tx: tx.value(sql, **bound))

    def rows(self, sql: LiteralString, **bound: Any) -> list[tuple[Any, ...]]:
        """Rows that no response shows."""
        return self.transact(lambda tx: tx.rows(tuple, sql, **bound))

    def transact(self, work: Callable[[Tx], Coroutine[Any, Any, Any]]) -> Any:
        """Do something in a transaction of its own."""

        async def run() -> Any:
            async with self.database.transaction() as tx:
                return await work(tx)

        return self.root.loop.run_until_complete(run())


NAMES = [field.name for field in fields(Cast) if field.type is Person]
"""The names of the people, in the order of the cast."""


def bind(roster: Roster, client: Client, database: Any) -> Cast:
    """The cast of the roster, asking through this client's application."""
    everything: dict[str, Any] = {
        name: Person(client.app, client.loop, token, client.host, name, id, username)
        for name, (id, username, token) in roster.people.items()
    }
    everything |= roster.places | roster.issues
    nobody = Person(client.app, client.loop, None, client.host, "anonymous")
    return Cast(**everything, anonymous=nobody, database=database)
