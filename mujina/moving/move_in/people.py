"""People of a source: users here whom the map names, imported names for all others."""

import re
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Final

import msgspec

from mujina.accounts.paths import operations as paths
from mujina.accounts.users.bots import IMPORTED, create_bot_user
from mujina.accounts.users.removing.ghost import ghost
from mujina.kernel.db.transaction import Tx
from mujina.kernel.text.folding import fold
from mujina.moving.move_in import moved
from mujina.moving.move_in.report import MoveReport
from mujina.moving.sources.records import SourcePerson

People = Mapping[str, str | None]
"""The map of people: username at the source → username here; None: an imported name."""
_NOT_IN_PATHS: Final = re.compile(r"[^A-Za-z0-9_-]+")
MAX_LOGIN_LENGTH: Final = 200
MAX_IMPORTED_NAMES: Final = 10_000
"""Imported names that one import makes, unless an operator runs it: an archive may name any number of people."""


class UnknownUser(Exception):
    """The map names a user who does not exist here."""


class SourcePeople:
    """Finds the user for a person of the source. Only the map gives a person to a user; a name that matches does not.

    `trusted`: an operator runs the move. What comes may stand under the name of a user who claimed an imported name, and
    the number of imported names is not bounded.
    """

    def __init__(self, source: str, users: Mapping[str, int], report: MoveReport, *, trusted: bool) -> None:
        self.source, self._users, self._report, self._trusted = source, users, report, trusted
        self._ids: dict[int, int] = {}
        self._numbers: Counter[str] = Counter()
        """Usernames that were tried, by what they begin with."""
        self._imported: int | None = None
        """Imported names of the source until now; None: not yet counted."""

    def mapped(self, person: SourcePerson) -> int | None:
        """The user whom the map names for the person: only they get rights."""
        return self._users.get(person.username)

    def mapped_names(self, usernames: Iterable[str]) -> list[int]:
        """The users whom the map names for these usernames of the source, each once."""
        return sorted({self._users[name] for name in usernames if name in self._users})

    async def prepare(self, tx: Tx, people: Iterable[SourcePerson | None]) -> None:
        """Every one of these people has a user from now on, also if a later part of the transaction is taken back."""
        for person in people:
            if person is not None and person.id not in self._ids:
                self._ids[person.id] = await self._find_or_create(tx, person)

    async def id_of(self, tx: Tx, person: SourcePerson | None) -> int:
        """The user for a prepared person; the ghost for one whom the source does not know any more."""
        return await ghost(tx) if person is None else self._ids[person.id]

    def ids_of(self, people: Iterable[SourcePerson]) -> list[int]:
        """The users for these prepared people, each once."""
        return sorted({self._ids[person.id] for person in people})

    async def _find_or_create(self, tx: Tx, person: SourcePerson) -> int:
        if (user_id := self.mapped(person)) is not None:
            return user_id
        known = await moved.find(tx, self.source, "person", person.id)
        if known is not None and (self._trusted or await _is_imported(tx, known.id)):
            return known.id
        if not (self._trusted or await self._has_room(tx)):
            return await ghost(tx)
        username = await self._free_username(tx, person.username)
        user_id = await create_bot_user(tx, username, person.name or person.username, kind=IMPORTED)
        await moved.remember(tx, self.source, "person", person.id, user_id)
        self._report.created["imported names"] += 1
        return user_id

    async def _has_room(self, tx: Tx) -> bool:
        """Whether one more imported name may be made; the report lists the first that may not."""
        if self._imported is None:
            self._imported = await moved.count(tx, self.source, "person")
        self._imported += 1
        if self._imported == MAX_IMPORTED_NAMES + 1:
            reason = f"It names more than {MAX_IMPORTED_NAMES} people: what the others did is shown as done by the ghost user."
            self._report.problem(self._report.source, reason)
        return self._imported <= MAX_IMPORTED_NAMES

    async def _free_username(self, tx: Tx, login: str) -> str:
        """`anna-imported`, or `anna-imported1`, `anna-imported2` … if that is taken."""
        stem = (_NOT_IN_PATHS.sub("-", login).strip("-")[:MAX_LOGIN_LENGTH] or "somebody").lower() + "-imported"
        while True:
            name = f"{stem}{self._numbers[stem] or ''}"
            self._numbers[stem] += 1
            if not await paths.taken(tx, name):
                return name


async def _is_imported(tx: Tx, user_id: int) -> bool:
    """Whether it is an imported name that is not claimed."""
    return await tx.value("SELECT u.kind FROM users u WHERE u.id = :id", id=user_id) == IMPORTED


def read_people(document: bytes) -> dict[str, str | None]:
    """The map that a JSON document is; `ValueError` if it is none."""
    return msgspec.json.decode(document, type=dict[str, str | None])


async def find_users(tx: Tx, people: People) -> dict[str, int]:
    """The ids of the users whom the map names, by username at the source; `UnknownUser` if one does not exist."""
    wanted = {login: fold(name) for login, name in people.items() if name}
    rows = await tx.rows(
        tuple[str, int],
        """SELECT u.username_folded, u.id FROM users u
           WHERE u.username_folded IN :names AND u.kind = 'person' AND u.deleted_at IS NULL""",
        names=sorted(set(wanted.values())),
    )
    found = dict(rows)
    if missing := sorted(name for name in wanted.values() if name not in found):
        raise UnknownUser(missing[0])
    return {login: found[name] for login, name in wanted.items()}


async def find_by_address(tx: Tx, folded: str) -> str | None:
    """The username of the person here who has confirmed this address."""
    return await tx.value(
        """SELECT u.username FROM emails e JOIN users u ON u.id = e.user_id
           WHERE e.email_folded = :email AND e.confirmed_at IS NOT NULL AND u.kind = 'person' AND u.deleted_at IS NULL""",
        email=folded,
    )
