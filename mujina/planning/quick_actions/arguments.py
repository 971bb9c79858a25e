"""What the words after a command name: people, labels, milestones, days."""

import re
from datetime import date
from typing import LiteralString

from mujina.kernel import clock
from mujina.kernel.text import fold
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


def spoken(mark: str, names: dict[str, int]) -> str:
    """`@a, @b`."""
    return ", ".join(f'{mark}"{name}"' if " " in name else f"{mark}{name}" for name in names)


async def people(plan: Plan, said: str) -> dict[str, int]:
    """Usernames and ids of those named with or without `@`, as they were named; `me` is who speaks."""
    names = [name.removeprefix("@").rstrip(".") for name in re.split(r"[\s,]+", said) if name not in ("", "and")]
    called = [fold(plan.actor.username if name == "me" else name) for name in names]
    found = await references.people(plan.tx, called)
    return {name: found[name] for name in called if name in found}


async def labels(plan: Plan, said: str) -> dict[str, int]:
    """Titles and ids of the labels named: `~bug ~"to do"`, by their numbers, or bare. Those that exist, as they were named."""
    names = [quoted or bare for quoted, bare in _NAME.findall(said)]
    known = await label_operations.known(plan.tx, plan.home, names)
    found = {name: known[name] for name in names if name in known}
    numbers = [int(name) for name in names if name.isascii() and name.isdigit() and len(name) < 19]
    if numbers:
        found |= dict(await plan.tx.rows(tuple[str, int], _LABELS, ids=numbers, **plan.home.bound))
    return found


async def columns(plan: Plan) -> dict[str, int]:
    """The labels that have a list on the project's one board."""
    return dict(await plan.tx.rows(tuple[str, int], _COLUMNS, project_id=plan.home.id))


async def milestone(plan: Plan, said: str) -> int | None:
    """By title, or `%` and its number in the project."""
    title = said.removeprefix("%").strip('"')
    found = await milestones.usable_of_title(plan.tx, plan.home, title) if title else None
    if found is None and title.isascii() and title.isdigit() and len(title) < 19:
        return await plan.tx.value(_MILESTONE, project_id=plan.home.id, iid=int(title))
    return found


def day(said: str) -> str | None:
    found = dates.read(said, date.fromisoformat(clock.today()))
    return found and found.isoformat()


def project_path(plan: Plan, reference: IssueReference) -> str:
    """The full path of the project that the reference speaks of."""
    return references.full_path(plan.path, reference)
