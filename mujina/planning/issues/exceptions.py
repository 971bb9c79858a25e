"""`not[…]` in lists of issues and of merge requests: what it names is left out."""

from collections.abc import Mapping
from typing import Any, LiteralString

from mujina.kernel.db.selection import Selection
from mujina.kernel.params import Params
from mujina.kernel.text import fold
from mujina.planning.awards.emoji import canonical


def leave_out(chosen: Selection, query: Params, conditions: Mapping[str, LiteralString]) -> None:
    """Leave out what matches one of the conditions, which are named and bound (`:not_…`) as the parameters."""
    for name, value in query.given().items():
        if name in conditions and value not in ("", []):
            chosen.only(f"NOT {conditions[name]}", **{f"not_{name}": _bound(name, value)})


def _bound(name: str, value: Any) -> Any:
    """The value as the condition compares it."""
    match name:
        case "author_username" | "reviewer_username":
            return fold(value)
        case "assignee_username":
            return [fold(username) for username in value]
        case "my_reaction_emoji":
            return canonical(value) or value
        case _:
            return value
