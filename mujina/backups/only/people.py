"""Which users here are the people whom a set names."""

from collections.abc import Sequence
from typing import Any, Final

import apsw

from mujina.backups.rows import sqlite_rows
from mujina.kernel.db.transaction import Tx

BATCH: Final = 500
_OF_SET: Final = """
    SELECT u.id, u.username, u.username_folded, u.created_at, u.kind,
        (SELECT group_concat(e.email_folded, ' ') FROM emails e WHERE e.user_id = u.id AND e.confirmed_at IS NOT NULL)
    FROM users u WHERE u.deleted_at IS NULL"""


class People:
    """The users of a set, and who of them is here."""

    def __init__(self) -> None:
        self.here = dict[int, int]()
        """The ids of those who are here, by their ids in the set."""
        self.names = dict[int, str]()
        """The usernames of all of them, by their ids in the set."""


async def find_people(tx: Tx, rows: apsw.Connection) -> People:
    """A user is here with the same id and time of creation, or with the same username and an address that both confirmed."""
    people = People()
    users = sqlite_rows(rows, _OF_SET)
    for start in range(0, len(users), BATCH):
        await _match(tx, people, users[start : start + BATCH])
    return people


async def _match(tx: Tx, people: People, users: Sequence[Any]) -> None:
    same = set(
        await tx.rows(
            tuple[int, str],
            "SELECT u.id, u.created_at FROM users u WHERE u.id IN :ids AND u.deleted_at IS NULL",
            ids=[user[0] for user in users],
        )
    )
    addresses = {
        (username, email): id
        for id, username, email in await tx.rows(
            tuple[int, str, str],
            """SELECT u.id, u.username_folded, e.email_folded FROM users u JOIN emails e ON e.user_id = u.id
               WHERE u.username_folded IN :names AND e.confirmed_at IS NOT NULL AND u.deleted_at IS NULL""",
            names=[user[2] for user in users],
        )
    }
    for id, username, folded, created_at, kind, confirmed in users:
        people.names[id] = username
        if (id, created_at) in same:
            people.here[id] = id
        elif kind == "person":
            for email in (confirmed or "").split():
                if (folded, email) in addresses:
                    people.here[id] = addresses[folded, email]
