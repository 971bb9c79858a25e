"""Issues and merge requests as lists see them: each declares once where its rows are, who reads them and how they are counted."""

from collections.abc import Callable
from functools import cache
from typing import Any, Generic, LiteralString, NamedTuple, TypeVar, cast

import msgspec

from mujina.instance.editions.rules import counts_as_assignee
from mujina.kernel.db.documents import Documents
from mujina.kernel.db.sql.selection import Order, Selection, Sql
from mujina.kernel.db.transaction import Value
from mujina.kernel.http.params import UNSET, Unset
from mujina.kernel.lists import filters
from mujina.kernel.lists.filters import Filters, compared, only_if
from mujina.kernel.permissions.actor import Actor, Kind
from mujina.kernel.permissions.rules import Rule, known_of
from mujina.kernel.text.folding import fold
from mujina.planning.awards.emoji import canonical


class SharedFilters(msgspec.Struct, frozen=True):
    """Conditions about the rows of a noun by what belongs to them."""

    kind: LiteralString
    """`issue` or `merge_request`, after which the tables `…_labels` and `…_assignees` and their columns `…_id` are named."""
    alias: LiteralString

    @property
    def id(self) -> LiteralString:
        return f"{self.alias}.id"

    @property
    def counts(self) -> LiteralString:
        """Whether the assignment `a` is shown: some editions have one assignee."""
        return counts_as_assignee(f"{self.kind}_assignees", f"{self.kind}_id", "a")

    @property
    def labeled(self) -> LiteralString:
        """Whether it has a label."""
        return f"EXISTS (SELECT 1 FROM {self.kind}_labels il WHERE il.{self.kind}_id = {self.id})"

    @property
    def filters(self) -> Filters:
        alias = self.alias
        return {
            "author_id": compared(f"{alias}.author_id"),
            "author_username": self._by_author,
            "assignee_id": lambda name, value: self.by_person(f"{self.kind}_assignees", name, value, self.counts),
            "assignee_username": self._by_assignees,
            "iids": compared(f"{alias}.iid", "IN"),
            "created_after": compared(f"{alias}.created_at", ">="),
            "created_before": compared(f"{alias}.created_at", "<="),
            "updated_after": compared(f"{alias}.updated_at", ">="),
            "updated_before": compared(f"{alias}.updated_at", "<="),
            "my_reaction_emoji": self._by_reaction,
            "non_archived": only_if(
                f"NOT EXISTS (SELECT 1 FROM projects home WHERE home.id = {alias}.project_id AND home.archived)"
            ),
        }

    @property
    def negated_filters(self) -> Filters:
        """The filters of `not[…]`: rows that have one of several labels or assignees are left out."""
        filters = self.filters
        return {
            "iids": filters["iids"],
            "author_id": filters["author_id"],
            "author_username": filters["author_username"],
            "assignee_id": self._assigned_to,
            "assignee_username": self._assigned_to_one_of,
            "milestone": lambda name, title: Sql(
                f"EXISTS (SELECT 1 FROM milestones ms WHERE ms.id = {self.alias}.milestone_id AND ms.title = :{name})",
                **{name: title},
            ),
            "labels": lambda name, titles: Sql(
                f"""EXISTS (SELECT 1 FROM {self.kind}_labels il JOIN labels l ON l.id = il.label_id
                    WHERE il.{self.kind}_id = {self.id} AND l.title IN :{name})""",
                **{name: titles},
            ),
            "my_reaction_emoji": self._reacted,
        }

    def by_person(
        self, people: LiteralString, name: LiteralString, value: int | str, counts: LiteralString = "TRUE"
    ) -> Sql:
        """Rows that this person is assigned to, or reviews (`people`); `none`: rows without, `any`: rows with one."""
        those: LiteralString = f"SELECT a.{self.kind}_id FROM {people} a"
        if value in ("none", "any"):
            return Sql(f"{'NOT ' if value == 'none' else ''}EXISTS ({those} WHERE a.{self.kind}_id = {self.id})")
        return Sql(f"{self.id} IN ({those} WHERE a.user_id = :{name} AND {counts})", **{name: value})

    def _by_author(self, name: LiteralString, username: str) -> Sql:
        return Sql(
            f"{self.alias}.author_id IN (SELECT u.id FROM users u WHERE u.username_folded = :{name})",
            **{name: fold(username)},
        )

    def _by_assignees(self, name: LiteralString, usernames: list[str] | str) -> Sql:
        """The rows that all of these are assigned to."""
        names = sorted({fold(each) for each in ([usernames] if isinstance(usernames, str) else usernames)})
        return Sql(
            f"""{self.id} IN (SELECT a.{self.kind}_id FROM {self.kind}_assignees a JOIN users u ON u.id = a.user_id
                WHERE u.username_folded IN :{name} AND {self.counts}
                GROUP BY a.{self.kind}_id HAVING count(*) = :{name}_count)""",
            **{name: names, f"{name}_count": len(names)},
        )

    def _assigned_to(self, name: LiteralString, value: int) -> Sql:
        return Sql(
            f"""EXISTS (SELECT 1 FROM {self.kind}_assignees a
                WHERE a.{self.kind}_id = {self.id} AND a.user_id = :{name} AND {self.counts})""",
            **{name: value},
        )

    def _assigned_to_one_of(self, name: LiteralString, usernames: list[str]) -> Sql:
        return Sql(
            f"""EXISTS (SELECT 1 FROM {self.kind}_assignees a JOIN users u ON u.id = a.user_id
                WHERE a.{self.kind}_id = {self.id} AND u.username_folded IN :{name} AND {self.counts})""",
            **{name: [fold(username) for username in usernames]},
        )

    def with_labels(self, name: LiteralString, titles: list[str], projects: LiteralString, among: LiteralString) -> Sql:
        """Rows with all these labels of `projects` or of a group, by exact title; `among`: a condition for `il`."""
        # With one label there is nothing to group, which takes most of the time if many have it.
        all_of_them: LiteralString = f"GROUP BY il.{self.kind}_id HAVING count(DISTINCT l.title) = :{name}_count"
        return Sql(
            f"""{self.id} IN (SELECT il.{self.kind}_id FROM {self.kind}_labels il JOIN labels l ON l.id = il.label_id
                WHERE l.title IN :{name} AND (l.project_id IS NULL OR l.project_id {projects}) AND {among}
                {all_of_them if len(titles) > 1 else ""})""",
            **{name: titles, f"{name}_count": len(titles)},
        )

    @property
    def _reacted_ids(self) -> LiteralString:
        return f"""SELECT award.subject_id FROM awards award
            WHERE award.user_id = :actor AND award.subject_kind = '{self.kind}'"""

    def _by_reaction(self, name: LiteralString, emoji: str) -> Sql:
        """The rows to which the actor gave this emoji, in any spelling; `None`: no emoji; `Any`: at least one."""
        if emoji in ("None", "Any"):
            return Sql(f"{self.id} {'NOT ' if emoji == 'None' else ''}IN ({self._reacted_ids})")
        return self._reacted(name, emoji)

    def _reacted(self, name: LiteralString, emoji: str) -> Sql:
        found: LiteralString = f"{self._reacted_ids} AND award.name = :{name}"
        return Sql(f"{self.id} IN ({found})", **{name: canonical(emoji) or emoji})


Entity = TypeVar("Entity", bound=msgspec.Struct)


class CountedLink(NamedTuple):
    """What rows refer to, by which lists are filtered and of which rows are counted."""

    param: LiteralString
    """The parameter of lists; a statement binds what it names by this name."""
    keywords: frozenset[str]
    """The values of the parameter that name no such thing."""
    named: LiteralString
    """A statement for the `id` of what it names and the `project_id` of the project `p`."""
    counts: LiteralString
    """The table of kept counts."""
    column: LiteralString
    """The column of the counts, and of the rows or the link table, that refers to it."""
    table: LiteralString | None = None
    """The link table; None if the rows themselves have the column.

    An index of either leads through what is linked to one thing, in the order of creation; that of a link table, inside
    one project.
    """

    is_counted: Callable[[], bool] = lambda: True
    """Whether the counts are those of what is shown."""
    key: Callable[[Any], Value] = lambda value: value
    """What is bound for a value of the parameter."""

    def named_by(self, query: Any) -> Value:
        """The one value that the query has; None if there is none, or a keyword, or several."""
        given: Any = getattr(query, self.param, UNSET)
        several = cast("list[Any]", given) if isinstance(given, list) else [given]
        value: Any = several[0] if len(several) == 1 else None
        return self.key(value) if value and value not in self.keywords and self.is_counted() else None

    @property
    def bound_id(self) -> LiteralString:
        """The name by which its id is bound."""
        return f"linked_{self.param}"


def titled_in_project(table: LiteralString, param: LiteralString) -> LiteralString:
    """`CountedLink.named`: the labels or milestones of the project, and of the groups above it, that have the title."""
    return f"""SELECT x.id, p.id AS project_id FROM p JOIN {table} x ON x.project_id = p.id AND x.title = :{param}
        UNION ALL
        SELECT x.id, p.id FROM p JOIN group_tree t ON t.group_id = p.namespace_id
        JOIN {table} x ON x.group_id = t.ancestor_id AND x.title = :{param}"""


def user_of_id(param: LiteralString) -> LiteralString:
    """`CountedLink.named`: the user of this id."""
    return f"SELECT CAST(:{param} AS bigint) AS id, p.id AS project_id FROM p"


def user_of_name(param: LiteralString) -> LiteralString:
    """`CountedLink.named`: the user of this name, which is folded."""
    return f"SELECT u.id, p.id AS project_id FROM p JOIN users u ON u.username_folded = :{param}"


class ListedWorkItems(msgspec.Struct, Generic[Entity], frozen=True, eq=False, kw_only=True):
    """Issues or merge requests: what statements call them, and what belongs to them.

    Its fields are all that the two nouns declare about their lists, in one value because the statement of a page combines rights,
    counts and filters; what one request asks is the query, which only methods get.
    """

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
    created: Order
    """The order of creation."""
    ignored: frozenset[str]
    """Parameters that leave the total to the kept counts."""
    texts_suffice: Callable[[Any], bool] = lambda _: False
    """Whether a search needs no more than the table of texts and the columns that it adds to it."""
    indexed: tuple[Order, ...] = ()
    """The orders along which an index of the project leads."""
    links: tuple[CountedLink, ...] = ()
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
        params = query.sent_fields()
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
        self, rows: Selection, query: Any, projects: LiteralString | None = None, *, few: bool = False
    ) -> Selection:
        """Apply the filters of the query, except the state and the search for words; the rows belong to `projects`.

        `few`: labels are looked up for each of the rows, instead of all rows with a label.
        """
        labels: LiteralString = f"il.{self.kind}_id = {self.alias}.id" if few else "TRUE"
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
                AND p.deleted_at IS NULL AND {self.readable.assuming(known_of(actor.kind)).for_scan}""",
            **actor.bound,
        )

    def assigned_count(self, kind: Kind) -> LiteralString:
        """A statement that counts the same for an actor of this kind, up to `:limit`.

        Each is looked up by its key. PostgreSQL would join all assignments with all open rows, to find a hundred.
        """
        return f"""SELECT count(*) FROM (SELECT 1 FROM {self.kind}_assignees a
            WHERE a.user_id = :actor AND {self.shared.counts} AND (
                SELECT {self.readable.assuming(known_of(kind)).for_scan}
                FROM {self.kind}s {self.alias} JOIN projects p ON p.id = {self.alias}.project_id
                WHERE {self.alias}.id = a.{self.kind}_id AND {self.alias}.state = 'opened' AND {self.is_kept}
                AND p.deleted_at IS NULL) LIMIT :limit) found"""


@cache
def _table(noun: ListedWorkItems[Any], projects: LiteralString, labels: LiteralString) -> Filters:
    return noun.filters(projects, labels)
