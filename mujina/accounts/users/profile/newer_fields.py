"""The fields of newer API versions of a user."""

from typing import Annotated

from mujina.accounts.emails.rules import PUBLIC_EMAIL
from mujina.accounts.sessions.logins import find_locked
from mujina.kernel.db.rows import Row
from mujina.kernel.http.requests.newer_fields import JsonObject
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.services import Services


class _UserRow(Row, alias="u"):
    id: int
    kind: str
    email: str
    organization: str | None
    public_email: Annotated[str | None, PUBLIC_EMAIL]
    namespace_id: Annotated[int | None, "(SELECT n.id FROM namespaces n WHERE n.owner_id = u.id)"]


async def add_user_fields(services: Services, actor: Actor, users: list[JsonObject]) -> None:
    """Their public address and their kind; to themselves and to administrators also their namespace and whether they are locked."""
    ids = [user["id"] for user in users]
    async with services.database.reading() as tx:
        rows = await tx.rows(_UserRow, f"SELECT {_UserRow.columns} FROM users u WHERE u.id IN :ids", ids=ids)
        locked = await find_locked(tx, [id_ for id_ in ids if actor.admin or id_ == actor.id])
    found = {row.id: row for row in rows}
    for user in users:
        if row := found.get(user["id"]):
            user |= {
                "public_email": row.public_email or "",
                "job_title": "",
                "pronouns": None,
                "work_information": row.organization or None,
                "bot": row.kind == "bot",
                "followers": 0,
                "following": 0,
                "local_time": None,
                "locked": row.id in locked,
                "private_profile": False,
            }
            if row.id == actor.id:
                user["commit_email"] = row.email
            if actor.admin or row.id == actor.id:
                user["namespace_id"] = row.namespace_id
