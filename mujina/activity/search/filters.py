"""The scope of a search: everything that the caller may read, by the rules that lists use."""

import re
from typing import LiteralString

from mujina.code.snippets import filters as snippets
from mujina.kernel.db.sql import search
from mujina.kernel.db.sql.selection import Selection, either
from mujina.kernel.db.transaction import Engine, Tx
from mujina.kernel.permissions.actor import Actor
from mujina.planning.epics.rules import READ_EPIC, check_epics
from mujina.planning.issues.filters import ReadableProjects
from mujina.planning.milestones.rules import milestones_within
from mujina.planning.work_items.lists.plans import FEW_TO_SEARCH
from mujina.review.merge_requests.filters import ReviewedProjects
from mujina.workspaces.groups.rules import READ_GROUP
from mujina.workspaces.projects.rules import READ_PROJECT

_NUMBER = re.compile(r"\s*#(\d{1,18})\s*")
_REQUEST_NUMBER = re.compile(r"[!#](\d{1,18})\s*$")


def projects(actor: Actor, words: str, group_id: int | None) -> Selection:
    """Projects by name, path or description; for a group, also those of the groups below it."""
    selection = Selection(
        "projects p", f"p.deleted_at IS NULL AND NOT p.archived AND {READ_PROJECT.for_scan}", **actor.bound
    )
    if group_id is not None:
        selection = selection.where(
            "p.namespace_id IN (SELECT t.group_id FROM group_tree t WHERE t.ancestor_id = :group_id)", group_id=group_id
        )
    return selection.matching(words, "p.name_folded", "p.path_folded", "p.description_folded")


def number(words: str) -> int | None:
    """The iid of an issue, if the words are one: `#12`."""
    match = _NUMBER.fullmatch(words)
    return int(match[1]) if match else None


def request_number(words: str) -> int | None:
    """The iid of a merge request, if the words end with one: `!12` or `#12`."""
    match = _REQUEST_NUMBER.search(words)
    return int(match[1]) if match else None


def milestones(actor: Actor, words: str, *, group_id: int | None = None, project_id: int | None = None) -> Selection:
    """Milestones of readable projects and groups by title or description; for a group, also those below it."""
    selection = milestones_within(actor, READ_PROJECT, READ_GROUP)
    if group_id is not None:
        selection = selection.where(
            """(ms.group_id IN (SELECT t.group_id FROM group_tree t WHERE t.ancestor_id = :group_id)
                OR ms.project_id IN (SELECT p.id FROM projects p JOIN group_tree t ON t.group_id = p.namespace_id
                                     WHERE t.ancestor_id = :group_id))""",
            group_id=group_id,
        )
    if project_id is not None:
        selection = selection.where("ms.project_id = :project_id", project_id=project_id)
    return selection.matching(words, "ms.title_folded", "ms.description_folded")


def epics(actor: Actor, words: str, *, group_id: int | None = None) -> Selection:
    """Epics of readable groups by title or description; for a group, also those below it. 403 without epics."""
    check_epics()
    selection = Selection(
        "epics e JOIN groups g ON g.id = e.group_id JOIN namespaces n ON n.id = g.id",
        f"n.deleted_at IS NULL AND {READ_EPIC.for_scan}",
        **actor.bound,
    )
    if group_id is not None:
        selection = selection.where(
            "e.group_id IN (SELECT t.group_id FROM group_tree t WHERE t.ancestor_id = :group_id)", group_id=group_id
        )
    return selection.matching(words, "e.title_folded", "e.description_folded")


async def notes(tx: Tx, actor: Actor, projects: ReadableProjects, reviewed: ReviewedProjects, words: str) -> Selection:
    """Comments on the issues and merge requests of these projects that the caller may read."""
    issues, requests = projects.rows(actor), reviewed.rows(actor)
    on_issues = Selection(
        "note_texts note JOIN issues i ON note.noteable_kind = 'issue' AND i.id = note.noteable_id",
        issues.condition,
        **issues.bound,
    )
    on_requests = Selection(
        "note_texts note JOIN merge_requests mr ON note.noteable_kind = 'merge_request' AND mr.id = note.noteable_id",
        requests.condition,
        **requests.bound,
    )
    if await projects.size(tx) > FEW_TO_SEARCH:
        on_issues = _indexed(on_issues, tx.engine, words)
    if await reviewed.size(tx) > FEW_TO_SEARCH:
        on_requests = _indexed(on_requests, tx.engine, words)
    column: LiteralString = "note.body_folded"
    return either("note.id", "note", on_issues.matching(words, column), on_requests.matching(words, column))


def _indexed(notes: Selection, engine: Engine, words: str) -> Selection:
    return search.apply_index(notes, engine, words, "note_texts_grams", "note.id", "note.body_folded")


def snippets_titled(actor: Actor, words: str) -> Selection:
    """Readable snippets by title or file name."""
    return snippets.readable(actor).matching(words, "s.title_folded", "s.file_name_folded")


def snippets_with_text(actor: Actor, words: str) -> Selection:
    """Readable snippets by their text."""
    return snippets.readable(actor).matching(words, "s.content_folded")
