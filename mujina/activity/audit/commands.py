"""`mujina audit`."""

import json
from typing import Annotated, Any, Literal

from cyclopts import Parameter
from cyclopts.validators import Number

from mujina.activity.audit import entities, filters
from mujina.activity.audit.params import ListAllAuditEvents
from mujina.cli.errors import CommandError
from mujina.cli.instance import DEFAULT_INSTANCE, Instance
from mujina.cli.output import print_table
from mujina.kernel.http.params import UNSET, BadValue, read_timestamp


async def audit(
    entity: Annotated[
        Literal["User", "Group", "Project", "Namespace", "Instance"] | None,
        Parameter(help="Only entries of this kind."),
    ] = None,
    id: Annotated[int | None, Parameter(help="Only entries of the one with this id.")] = None,
    *,
    since: Annotated[str | None, Parameter(help="Only entries from this time on, such as 2030-01-31.")] = None,
    limit: Annotated[int, Parameter(help="How many at most.", validator=Number(gte=1))] = 50,
    instance: Instance = DEFAULT_INSTANCE,
) -> None:
    """List the newest entries of the audit log: who changed members, tokens, hooks, settings and other access."""
    try:
        created_after = UNSET if since is None else read_timestamp(since)
    except BadValue:
        raise CommandError(f"--since must be a time such as 2030-01-31T12:00:00Z, not {since!r}.") from None
    if id is not None and entity is None:
        raise CommandError("Give the kind of the entity, too, such as `mujina audit --entity Project --id 5`.")
    query = ListAllAuditEvents(
        entity_type=entity or UNSET, entity_id=UNSET if id is None else id, created_after=created_after
    )
    async with instance.database() as database, database.reading() as tx:
        found = await entities.newest(tx, filters.of_all(query), max(limit, 0))
    print_table(
        ("id", "at", "who", "from", "entity", "what", "target"),
        [
            (
                each.id, each.created_at, each.details["author_username"], each.details["ip_address"] or "",
                f"{each.entity_type} {each.entity_id} {each.details['entity_path']}".strip(), _what(each.details),
                f"{each.details['target_type']} {each.details['target_details'] or each.details['target_id']}",
            )
            for each in found
        ],
    )  # fmt: skip


def _what(details: dict[str, Any]) -> str:
    """`change name: "a" → "b"`, `add user_access as Developer`."""
    if "change" in details:
        old, new = (json.dumps(details[side], ensure_ascii=False) for side in ("from", "to"))
        return f"change {details['change']}: {old} → {new}"
    if "custom_message" in details:
        return str(details["custom_message"])
    verb = "add" if "add" in details else "remove"
    return f"{verb} {details[verb]}" + (f" as {details['as']}" if "as" in details else "")
