"""Resolves the arguments of commands: users, labels, milestones, dates."""

import re
from datetime import date
from functools import lru_cache
from itertools import islice
from typing import LiteralString

from mujina.kernel import clock
from mujina.kernel.text.folding import fold
from mujina.planning.labels import operations as label_operations
from mujina.planning.labels.rules import USABLE
from mujina.planning.milestones import operations as milestones
from mujina.planning.quick_actions import dates
from mujina.planning.quick_actions.plan import Plan
from mujina.planning.references import operations as references
from mujina.planning.references.parsing import IssueReference

_NAME = re.compile(r'[~%]?"([^"]+)"|[~%]?([^\s,"]+)')
_LABELS: LiteralString = f"SELECT l.title, l.id FROM labels l WHERE l.id IN :ids AND {USABLE}"
_MILESTONE: LiteralString = (
    "SELECT ms.id FROM milestones ms WHERE ms.project_id = :project_id AND ms.iid = CAST(:iid AS bigint)"
)
_COLUMNS: LiteralString = """
    SELECT l.title, l.id FROM boards board JOIN board_lists list ON list.board_id = board.id
    JOIN labels l ON l.id = list.label_id WHERE board.project_id = :project_id
    AND NOT EXISTS (SELECT 1 FROM boards other WHERE other.project_id = :project_id AND other.id <> board.id)
    ORDER BY list.position"""


MAX_NAMES = 100
"""Further names in one argument are ignored."""

MAX_QUOTED = 100


def quoted(argument: str) -> str:
    """The argument as a sentence names it; only the beginning of a long one."""
    return f'"{argument if len(argument) <= MAX_QUOTED else f"{argument[:MAX_QUOTED]}…"}"'


@lru_cache
def split_users(argument: str) -> tuple[str, ...]:
    """The distinct names, without `@`."""
    names = (name.removeprefix("@").rstrip(".") for name in re.split(r"[\s,]+", argument))
    return tuple(islice(dict.fromkeys(name for name in names if name not in ("", "and")), MAX_NAMES))


def format_names(mark: str, names: dict[str, int]) -> str:
    """`@a, @b`."""
    return ", ".join(f'{mark}"{name}"' if " " in name else f"{mark}{name}" for name in names)


async def users(plan: Plan, argument: str) -> dict[str, int]:
    """Usernames and ids of users named with or without `@`, in that order; `me` is the actor."""
    usernames = [fold(plan.actor.username if name == "me" else name) for name in split_users(argument)]
    found = await references.users_by_name(plan.tx, usernames)
    return {name: found[name] for name in usernames if name in found}


async def labels(plan: Plan, argument: str) -> dict[str, int]:
    """Titles and ids of existing labels: `~bug ~"to do"`, ids, or bare titles, in that order."""
    names = list(dict.fromkeys(quoted or bare for quoted, bare in _NAME.findall(argument)))[:MAX_NAMES]
    known = await label_operations.known(plan.tx, plan.owner, names)
    found = {name: known[name] for name in names if name in known}
    numbers = [int(name) for name in names if name.isascii() and name.isdigit() and len(name) < 19]
    if numbers:
        found |= dict(await plan.tx.rows(tuple[str, int], _LABELS, ids=numbers, **plan.owner.bound))
    return found


async def columns(plan: Plan) -> dict[str, int]:
    """The labels that have a list on the only board of the project."""
    return dict(await plan.tx.rows(tuple[str, int], _COLUMNS, project_id=plan.owner.id))


async def milestone(plan: Plan, argument: str) -> int | None:
    """Finds a milestone by title, or by `%` and its iid in the project."""
    title = argument.removeprefix("%").strip('"')
    found = await milestones.usable_of_title(plan.tx, plan.owner, title) if title else None
    if found is None and title.isascii() and title.isdigit() and len(title) < 19:
        return await plan.tx.value(_MILESTONE, project_id=plan.owner.id, iid=int(title))
    return found


def day(argument: str) -> str | None:
    found = dates.parse_date(argument, date.fromisoformat(clock.today()))
    return found and found.isoformat()


def project_path(plan: Plan, reference: IssueReference) -> str:
    """The full path of the referenced project."""
    return references.full_path(plan.path, reference)
