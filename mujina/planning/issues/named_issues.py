"""Issues that users name in a field: by an address, or by a reference such as `group/project#7`."""

import re

from mujina.kernel import errors
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import INVALID
from mujina.kernel.http.params import Ref
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.permissions.rules import Rule
from mujina.planning.issues.rules import READ_ISSUE, IssueRow, find_issue

_REFERENCE = re.compile(r"(?:https?://[^/]++)?/?([^#?\s]*?)(?:#|/(?:-/)?issues/)([0-9]{1,18})(?:[?#].*)?")

MAX_LENGTH = 2_000
"""Longer than any address of an issue."""


async def find_named_issue(
    tx: Tx, actor: Actor, text: str, *, here: Ref | None = None, to: Rule = READ_ISSUE
) -> IssueRow:
    """The issue that the field `issue` names; `#7` alone is one of the project `here`.

    The complaint is the same for a missing and a hidden one.
    """
    match = _REFERENCE.fullmatch(text.strip()) if len(text) <= MAX_LENGTH else None
    project = Ref(match[1]) if match and match[1] else here
    try:
        if match is None or project is None:
            raise errors.not_found("Issue")
        return await find_issue(tx, actor, project, int(match[2]), to=to)
    except (errors.NotFound, errors.Forbidden):
        raise errors.invalid({"issue": [INVALID]}) from None
