"""Completion of names in a text or a field of a project or group: only names that the reader may see."""

from itertools import islice
from typing import Final, LiteralString

import msgspec

from mujina.kernel.db.sql.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.params import Ref
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.text.folding import fold, like
from mujina.planning.awards.emoji import aliases, characters
from mujina.planning.issues.rules import READ_ISSUE
from mujina.planning.labels.rules import usable
from mujina.planning.milestones.operations import usable_milestones
from mujina.review.merge_requests.rules import READ_MERGE_REQUEST
from mujina.workspaces.members.lists.all_members import users_of
from mujina.workspaces.owners.rules import Owner

MOST: Final = 8
RECENT: Final = 1_000
"""The number of newest issues and merge requests that are searched by title; any is found by its number."""


class Completion(msgspec.Struct):
    text: str
    """The name as the text has it: `@anna`, `#7`."""
    title: str
    address: str = ""
    """The page of it, where it is suggested as a page to go to."""

    def at(self, address: str) -> "Completion":
        return Completion(self.text, self.title, address)


POPULAR: Final = ("thumbsup", "thumbsdown", "smile", "tada", "heart", "rocket", "eyes", "white_check_mark")
"""The emoji that are offered before a letter is typed."""


def emoji(search: str) -> list[Completion]:
    """At most eight emoji: those of which a name begins with the search, then those of which one contains it."""
    word = fold(search)
    names = [name for name in aliases() if word in name]
    names.sort(key=lambda name: (not name.startswith(word), len(name), name))
    found = dict.fromkeys(aliases()[name] for name in names) if word else POPULAR
    return [Completion(characters()[name], f":{name}:") for name in islice(found, MOST)]


async def completions(tx: Tx, actor: Actor, owner: Owner, sign: str, search: str) -> list[Completion]:
    """Returns at most eight. Anonymous visitors get no list of people; a text of a group names no issue by its number alone."""
    match sign:
        case "@":
            people = users_of(owner).where(_PEOPLE, actor=actor.id, start=f"{like(fold(search))}%")
            return await _found(tx, people, "'@' || u.username, u.name, u.username_folded")
        case "~":
            labels = usable(owner).where("l.title_folded LIKE :part ESCAPE '\\'", part=_part(search))
            return _quoted(sign, await _found(tx, labels, "l.title, '', l.title_folded"))
        case "%":
            milestones = usable_milestones(owner).where(_MILESTONES, part=_part(search))
            return _quoted(sign, await _found(tx, milestones, "ms.title, '', ms.title_folded"))
        case "#":
            issues = Selection("issues i JOIN projects p ON p.id = i.project_id", "i.deleted_at IS NULL", **actor.bound)
            issues = issues.where(f"i.project_id = :project_id AND {READ_ISSUE.for_scan}", project_id=owner.project_id)
            issues = issues.where(_ISSUES, **_numbered(search))
            return await _found(tx, issues, "'#' || i.iid, i.title, -i.iid")
        case _:
            requests = Selection("merge_requests mr JOIN projects p ON p.id = mr.project_id", "TRUE", **actor.bound)
            requests = requests.where(
                f"mr.project_id = :project_id AND {READ_MERGE_REQUEST.for_scan}", project_id=owner.project_id
            )
            requests = requests.where(_REQUESTS, **_numbered(search))
            return await _found(tx, requests, "'!' || mr.iid, mr.title, -mr.iid")


_PEOPLE: LiteralString = """u.state = 'active' AND :actor > 0
    AND (u.username_folded LIKE :start ESCAPE '\\' OR u.name_folded LIKE :start ESCAPE '\\')"""
_MILESTONES: LiteralString = "ms.state = 'active' AND ms.title_folded LIKE :part ESCAPE '\\'"
_ISSUES: LiteralString = """(i.iid = :number OR (i.title_folded LIKE :part ESCAPE '\\' AND i.iid >
    (SELECT coalesce(max(last.iid), 0) - :recent FROM issues last WHERE last.project_id = :project_id)))"""
_REQUESTS: LiteralString = """(mr.iid = :number OR (mr.title_folded LIKE :part ESCAPE '\\' AND mr.iid >
    (SELECT coalesce(max(last.iid), 0) - :recent FROM merge_requests last WHERE last.project_id = :project_id)))"""


def _part(search: str) -> str:
    return f"%{like(fold(search))}%"


def _numbered(search: str) -> dict[str, int | str]:
    return {"number": Ref(search).id or 0, "part": _part(search), "recent": RECENT}


def _quoted(sign: str, found: list[Completion]) -> list[Completion]:
    return [Completion(f'{sign}"{each.text}"' if " " in each.text else f"{sign}{each.text}", "") for each in found]


async def _found(tx: Tx, selection: Selection, columns: LiteralString) -> list[Completion]:
    """Each once, though a project and the groups above it may have the same title; in the order of the third column."""
    rows = await tx.rows(
        tuple[str, str, str | int],
        f"SELECT DISTINCT {columns} {selection.text} ORDER BY 3 LIMIT :limit",
        **selection.bound,
        limit=MOST,
    )
    return [Completion(text, title) for text, title, _ in rows]
