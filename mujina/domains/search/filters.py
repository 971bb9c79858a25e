"""Where a search looks: what the caller may read, by the rules of the lists."""

import re

from mujina.domains.groups.rules import READ_GROUP
from mujina.domains.issues.filters import find
from mujina.domains.issues.reach import Reach
from mujina.domains.notes.rules import READ_NOTE
from mujina.domains.projects.rules import READ_PROJECT
from mujina.kernel.actor import Actor
from mujina.kernel.db.selection import Selection
from mujina.kernel.db.transaction import Tx

_NUMBER = re.compile(r"\s*#(\d{1,18})\s*")


def projects(actor: Actor, words: str, group_id: int | None) -> Selection:
    """Projects by name, path or description; of a group also those of the groups below it."""
    chosen = Selection("projects p", f"p.deleted_at IS NULL AND NOT p.archived AND {READ_PROJECT.many}", **actor.bound)
    if group_id is not None:
        chosen.only(
            "p.namespace_id IN (SELECT t.group_id FROM group_tree t WHERE t.ancestor_id = :group_id)", group_id=group_id
        )
    chosen.matching(words, "p.name_folded", "p.path_folded", "p.description_folded")
    return chosen


async def issues(tx: Tx, actor: Actor, reach: Reach, words: str) -> Selection:
    """Issues by title or description, or by their number written as `#12`."""
    chosen = reach.issues(actor)
    if number := _NUMBER.fullmatch(words):
        chosen.only("i.iid = :iid", iid=int(number[1]))
    else:
        await find(tx, reach, chosen, words)
    return chosen


def milestones(actor: Actor, words: str, *, group_id: int | None = None, project_id: int | None = None) -> Selection:
    """Milestones of readable projects and groups by title: of all, of one group and what is below, or of one project."""
    chosen = Selection(
        "milestones ms",
        f"""(ms.project_id IN (SELECT p.id FROM projects p WHERE p.deleted_at IS NULL AND {READ_PROJECT.many})
             OR ms.group_id IN (SELECT g.id FROM groups g JOIN namespaces n ON n.id = g.id
                                WHERE n.deleted_at IS NULL AND {READ_GROUP.many}))""",
        **actor.bound,
    )
    if group_id is not None:
        chosen.only(
            """(ms.group_id IN (SELECT t.group_id FROM group_tree t WHERE t.ancestor_id = :group_id)
                OR ms.project_id IN (SELECT p.id FROM projects p JOIN group_tree t ON t.group_id = p.namespace_id
                                     WHERE t.ancestor_id = :group_id))""",
            group_id=group_id,
        )
    if project_id is not None:
        chosen.only("ms.project_id = :project_id", project_id=project_id)
    chosen.matching(words, "ms.title_folded")
    return chosen


def notes(actor: Actor, reach: Reach, words: str) -> Selection:
    """What people said on the issues within reach."""
    about = reach.issues(actor)
    chosen = Selection(
        "notes note JOIN issues i ON note.noteable_kind = 'issue' AND i.id = note.noteable_id",
        f"NOT note.system AND {about.where} AND {READ_NOTE.many}",
        **about.bound,
    )
    chosen.matching(words, "note.body_folded")
    return chosen
