"""Issues and merge requests as lists see them: each declares once where its rows are, who reads them and how they are counted."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from typing import Any, Generic, LiteralString, TypeVar

import msgspec

from mujina.kernel.db.documents import Documents
from mujina.kernel.db.sql.pieces import Order, Sql
from mujina.kernel.db.sql.selection import Selection
from mujina.kernel.http.params import UNSET, Unset
from mujina.kernel.lists import filters
from mujina.kernel.lists.filters import Filters
from mujina.kernel.permissions.actor import Actor, Kind
from mujina.kernel.permissions.rules import Rule, known_of
from mujina.planning.project_lists.shared_filters import SharedFilters

Entity = TypeVar("Entity", bound=msgspec.Struct)


@dataclass(frozen=True, eq=False, kw_only=True)
class ListedNoun(Generic[Entity]):
    """Issues or merge requests: what statements call them, and what belongs to them."""

    shared: SharedFilters
    documents: Documents[Entity]
    is_kept: LiteralString = "TRUE"
    """Whether it is not deleted."""

    readable: Rule
    """Whether the actor may read it."""
    enabled: Rule
    """Whether the project has them."""
    listable: Rule
    """Whether the actor may list those of the project; 403 for those who may read the project alone."""
    every: Rule
    """Whether the actor sees all of the project."""
    right: Rule
    """The part of `readable` that decides the same for each of them."""
    right_here: Rule
    """`right` in the list of the project `p`, computed once instead of for each row."""

    states: tuple[str, ...]
    state: LiteralString
    """The state that is shown."""
    in_state: Callable[[str], Sql]
    """Whether it has this state, which `:state` is."""
    uncounted: frozenset[str] = frozenset()
    """States of which no count is kept."""
    unrestricted: LiteralString
    """Whether the kept count `c` is one of rows that need no right."""
    only_involved: LiteralString = "TRUE"
    """Whether it counts as one that its author and assignees see where they do not see every one."""
    miscounted: Callable[[LiteralString], LiteralString] = lambda _: ""
    """What a statement for the total of these projects subtracts: rows that are shown in another state than they are kept in."""
    miscounted_by_state: LiteralString = ""

    filters: Callable[[LiteralString, LiteralString], Filters]
    """The table for rows of these projects; the second condition is about `il`: labels of few rows are looked up."""
    negated: Filters
    order: Callable[[Any], Order]
    ignored: frozenset[str]
    """Parameters that leave the total to the kept counts."""
    texts_suffice: Callable[[Any], bool] = lambda _: False
    """Whether a search needs no more than the table of texts and the columns that it adds to it."""
    labels_counted: bool = False
    """Whether the kept counts of labels give the total of a list by one label."""
    prefix: LiteralString = ""
    """The prefix of the names by which projects are bound: one statement may be about two nouns."""

    @property
    def kind(self) -> LiteralString:
        """The word after which its tables `…s`, `…_texts`, `…_counts`, `…_labels` and `…_assignees` are named."""
        return self.shared.kind

    @property
    def alias(self) -> LiteralString:
        return self.shared.alias

    @property
    def projects(self) -> LiteralString:
        """The projects of a list, as bound."""
        return f"IN :{self.prefix}project_ids"

    def has_filters(self, query: Any, *, ignoring: frozenset[str] = frozenset()) -> bool:
        """Whether the query has a filter other than a counted state and the parameters `ignoring`."""
        params = query.given()
        if params.get("scope") == "all":
            del params["scope"]
        return query.state in self.uncounted or not params.keys() <= self.ignored | ignoring

    def counted_state(self, query: Any) -> str:
        """The state of the kept counts that the query selects from."""
        return "opened" if query.state in self.uncounted else query.state

    def select(self, rows: Selection, state: str) -> Selection:
        """The rows of this state, which is bound."""
        return rows.bind(state=state) if state == "all" else rows.where(self.in_state(state)).bind(state=state)

    def apply_filters(
        self, rows: Selection, query: Any, projects: LiteralString | None = None, among: LiteralString | None = None
    ) -> Selection:
        """Apply the filters of the query, except the state and the search for words; the rows belong to `projects`.

        `among`: a statement for the ids of all candidates, if they are few; labels are then looked up for these alone.
        """
        labels: LiteralString = f"il.{self.kind}_id IN ({among})" if among else "TRUE"
        rows = filters.apply_filters(rows, query, _table(self, projects or self.projects, labels))
        negated = getattr(query, "not_", UNSET)
        return filters.leave_out(rows, negated, self.negated) if negated else rows

    def kept(self, projects: LiteralString, every: LiteralString) -> LiteralString:
        """`FROM … WHERE …`: the kept counts `c` of `projects` that the actor sees; `every`: whether they see all of them."""
        return f"FROM {self.kind}_counts c WHERE c.project_id {projects} AND ({self.unrestricted} OR {every})"

    def count(self, projects: LiteralString, every: LiteralString) -> LiteralString:
        """A statement for the sum of the kept counts of `:state`."""
        return f"""SELECT CAST(coalesce(sum(c.n), 0) AS bigint) {self.kept(projects, every)}
            AND (:state = 'all' OR c.state = :state)"""

    def own(self, projects: LiteralString) -> LiteralString:
        """A statement for the ids of those of `:state` in `projects` that the actor wrote or is assigned to."""
        row, here = self.alias, f"{self.alias}.project_id + 0 {projects} AND {self.only_involved}"
        here = f"{here} AND (:state = 'all' OR {row}.state = :state)"
        # Both halves start from the rows of the actor. CROSS JOIN fixes that order: SQLite would start with all rows.
        return f"""
            SELECT {row}.id FROM {self.kind}s {row} WHERE {row}.author_id = :actor AND {here}
            UNION
            SELECT {row}.id FROM {self.kind}_assignees a CROSS JOIN {self.kind}s {row}
            WHERE a.user_id = :actor AND {self.shared.counts} AND {row}.id = a.{self.kind}_id AND {here}"""

    def own_count(self, projects: LiteralString) -> LiteralString:
        """A statement for their number."""
        return f"SELECT count(*) FROM ({self.own(projects)}) own"

    @property
    def texts(self) -> dict[str, LiteralString]:
        """Where words are searched for, by the words of the parameter `in`."""
        return {"title": f"{self.alias}.title_folded", "description": f"{self.alias}.description_folded"}

    def searched(self, named: str | Unset) -> tuple[LiteralString, ...]:
        """The columns that `in` names; without one, all."""
        fields = {field.strip() for field in (named or "").split(",")}
        return tuple(column for name, column in self.texts.items() if name in fields) or tuple(self.texts.values())

    def assigned(self, actor: Actor) -> Selection:
        """The open ones that the actor is assigned to and may read: found by the assignment, without a list of projects."""
        return Selection(
            f"""{self.kind}_assignees a JOIN {self.kind}s {self.alias} ON {self.alias}.id = a.{self.kind}_id
                JOIN projects p ON p.id = {self.alias}.project_id""",
            f"""a.user_id = :actor AND {self.shared.counts} AND {self.alias}.state = 'opened' AND {self.is_kept}
                AND p.deleted_at IS NULL AND {self.readable.given(known_of(actor.kind)).for_scan}""",
            **actor.bound,
        )

    def assigned_count(self, kind: Kind) -> LiteralString:
        """A statement that counts the same for an actor of this kind, up to `:limit`.

        Each is looked up by its key. PostgreSQL would join all assignments with all open rows, to find a hundred.
        """
        return f"""SELECT count(*) FROM (SELECT 1 FROM {self.kind}_assignees a
            WHERE a.user_id = :actor AND {self.shared.counts} AND (
                SELECT {self.readable.given(known_of(kind)).for_scan}
                FROM {self.kind}s {self.alias} JOIN projects p ON p.id = {self.alias}.project_id
                WHERE {self.alias}.id = a.{self.kind}_id AND {self.alias}.state = 'opened' AND {self.is_kept}
                AND p.deleted_at IS NULL) LIMIT :limit) found"""


@cache
def _table(noun: ListedNoun[Any], projects: LiteralString, labels: LiteralString) -> Filters:
    return noun.filters(projects, labels)
