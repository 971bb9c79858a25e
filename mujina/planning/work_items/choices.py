"""The choices that the forms of issues and merge requests offer and take: people, labels and milestones by name."""

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, LiteralString, cast

import msgspec

from mujina.kernel import clock, errors
from mujina.kernel.db.transaction import Tx, Value
from mujina.kernel.errors import Problems
from mujina.kernel.http.forms import Tree
from mujina.kernel.http.params import UNSET
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.permissions.rules import Rule
from mujina.kernel.text.folding import fold
from mujina.planning.issues.params import BulkEdit, IssueFields, PlanningFields
from mujina.planning.labels.entities import UNKNOWN_COLOR, LabelChip
from mujina.planning.milestones import operations as milestones
from mujina.workspaces.owners.rules import Owner, inherited
from mujina.workspaces.projects.rules import READ_PROJECT


class Choices(msgspec.Struct, frozen=True):
    """The names that the fields of a form suggest."""

    people: tuple[str, ...] = ()
    labels: tuple[str, ...] = ()
    milestones: tuple[str, ...] = ()


NONE = Choices()
"""Lists over many projects offer no choices."""


class FilterTexts(msgspec.Struct, frozen=True):
    """The text that was typed into each filter above a list."""

    state: str = ""
    scope: str = ""
    search: str = ""
    author_username: str = ""
    assignee_username: str = ""
    reviewer_username: str = ""
    milestone_title: str = ""
    label_name: str = ""
    my_reaction_emoji: str = ""
    weight: str = ""
    confidential: str = ""
    source_branch: str = ""
    target_branch: str = ""
    drafts: str = ""
    order: str = ""

    @staticmethod
    def of(tree: Tree) -> "FilterTexts":
        texts = {name: _typed(tree[name]) for name in FilterTexts.__struct_fields__ if name in tree}
        return FilterTexts(**{"label_name": _typed(tree.get("labels")), **texts})

    @property
    def filters(self) -> int:
        """How many of the fields in the menu of filters are in use."""
        return sum(bool(getattr(self, name)) for name in self.__struct_fields__ if name not in _OUTSIDE_MENU)


_OUTSIDE_MENU = ("state", "scope", "search", "order")


def _typed(value: Any) -> str:
    """Several values are one text with commas."""
    if isinstance(value, list):
        return ",".join(each for each in cast("list[Any]", value) if isinstance(each, str))
    return value if isinstance(value, str) else ""


_MOST: LiteralString = "50"
_OFFERED: LiteralString = f"""
    SELECT * FROM (SELECT 'person', u.username, '', NULL FROM members m JOIN users u ON u.id = m.user_id
        WHERE m.expires_on > :today AND u.deleted_at IS NULL AND u.state = 'active' AND :actor > 0
        AND ((m.source_kind = 'project' AND m.source_id = :project_id)
        OR (m.source_kind = 'group' AND m.source_id IN
            (SELECT t.ancestor_id FROM group_tree t WHERE t.group_id = :namespace_id)))
        GROUP BY u.username ORDER BY u.username LIMIT {_MOST}) AS people
    UNION ALL SELECT * FROM (SELECT DISTINCT 'label', l.title, '', NULL FROM labels l
        WHERE {inherited("l")} ORDER BY l.title LIMIT {_MOST}) AS labels
    UNION ALL SELECT * FROM (SELECT 'milestone', ms.title, '', NULL FROM milestones ms WHERE ms.state = 'active'
        AND {inherited("ms")}
        ORDER BY ms.due_on NULLS LAST, ms.title LIMIT {_MOST}) AS milestones"""
_CHIPS: LiteralString = f"""
    UNION ALL SELECT CASE WHEN l.project_id IS NULL THEN 'chip of a group' ELSE 'chip' END, l.title, l.color, l.description
    FROM labels l WHERE l.title IN :titles AND {inherited("l")}"""


async def read_choices(tx: Tx, actor: Actor, owner: Owner) -> Choices:
    """The names of the project or group and of the groups above it: at most 50 of each kind, so that ten thousand labels
    cost as much as ten. Anonymous visitors get no list of people.
    """
    rows = await tx.rows(tuple[Any, ...], _OFFERED, **owner.bound, **actor.bound)
    return _choices(rows)


TextRow = tuple[str, str, str, str | None]
"""The kind of a row, and its content."""


class ListWords(msgspec.Struct, frozen=True):
    """The content around the rows of a list, and in them."""

    choices: Choices
    labels: Mapping[str, LabelChip]
    """The labels by title, as `labels.entities.chips_in` gives them."""
    rows: Sequence[TextRow]
    """The rows with those that a further statement gave."""


async def of_list(
    tx: Tx, actor: Actor, owner: Owner, titles: Iterable[str], further: LiteralString, **bound: Value
) -> ListWords:
    """Reads also the labels in the rows of a list, and the rows of `further`, a SELECT: one statement for all."""
    wanted = sorted(set(titles))
    given: dict[str, Value] = {**actor.bound, **owner.bound, **bound, "titles": wanted}
    rows = await tx.rows(TextRow, f"{_OFFERED}{_CHIPS} UNION ALL {further}", **given)
    found = {title: LabelChip(title, UNKNOWN_COLOR, None) for title in wanted}
    for kind in ("chip of a group", "chip"):
        found |= {title: LabelChip(title, color, text) for row_kind, title, color, text in rows if row_kind == kind}
    return ListWords(_choices(rows), found, rows)


def _choices(rows: Iterable[tuple[Any, ...]]) -> Choices:
    named: dict[str, list[str]] = {"person": [], "label": [], "milestone": []}
    for kind, name, *_ in rows:
        if kind in named:
            named[kind].append(name)
    return Choices(tuple(named["person"]), tuple(named["label"]), tuple(named["milestone"]))


_PEOPLE = {"assignees": "assignee_ids", "reviewers": "reviewer_ids"}
"""Fields with the names of users, and what a change calls their ids."""


async def read_fields(
    tx: Tx, project: Owner, fields: PlanningFields, *, assignable: Rule = READ_PROJECT
) -> dict[str, Any]:
    """The fields as a change of an issue or a merge request; 400 names the field whose user or milestone does not exist.

    The same for a user for whom the rule `assignable` does not hold. The API leaves such users out without a word.
    """
    given = fields.sent_fields()
    change = {name: value for name, value in given.items() if name not in (*_PEOPLE, "milestone")}
    problems = Problems()
    for name, ids in _PEOPLE.items():
        if name in given:
            change[ids] = await _people(tx, project, assignable, name, given[name], problems)
    if fields.milestone is not UNSET:
        change["milestone_id"] = await _milestone(tx, project, fields.milestone, problems)
    problems.refuse()
    return change


async def read_bulk(tx: Tx, project: Owner, change: BulkEdit, *, assignable: Rule = READ_PROJECT) -> dict[str, Any]:
    """The changes that a form about many issues or merge requests makes to each; an empty field changes nothing."""
    if not change.iids:
        raise errors.invalid({"base": ["Choose at least one in the list below"]})
    fields = IssueFields(assignees=change.assignees or UNSET, milestone=change.milestone or UNSET)
    values = await read_fields(tx, project, fields, assignable=assignable)
    others = {name: getattr(change, name) for name in ("state_event", "add_labels", "remove_labels")}
    return values | {name: value for name, value in others.items() if value}


async def _people(
    tx: Tx, project: Owner, assignable: Rule, field: str, usernames: list[str], problems: Problems
) -> list[int]:
    names = sorted({fold(name.lstrip("@")) for name in usernames})
    if not names:
        return []
    rows = await tx.rows(
        tuple[int, str, bool],
        f"""SELECT u.id, u.username, {assignable.of("u")} FROM users u JOIN projects p ON p.id = :project_id
            WHERE u.username_folded IN :names AND u.deleted_at IS NULL AND u.kind = 'person' ORDER BY u.username_folded""",
        names=names,
        project_id=project.project_id,
        today=clock.today(),
    )
    found = {fold(username) for _, username, _ in rows}
    if unknown := [name for name in names if name not in found]:
        problems.add(field, f"“{unknown[0]}” is not a username here. Enter usernames, separated by commas.")
    if excluded := [username for _, username, allowed in rows if not allowed]:
        problems.add(field, f"“{excluded[0]}” has no access to this project. Choose people who may read it.")
    return [id_ for id_, _, _ in rows]


async def _milestone(tx: Tx, project: Owner, title: str, problems: Problems) -> int:
    """0: none."""
    if not title.strip():
        return 0
    found = await milestones.usable_of_title(tx, project, title.strip())
    if found is None:
        problems.add("milestone", f"“{title.strip()}” is not a milestone here. Enter the title of an existing one.")
    return found or 0
