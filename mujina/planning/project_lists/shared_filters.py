"""The filters that lists of issues and of merge requests share."""

from dataclasses import dataclass
from typing import LiteralString

from mujina.instance.editions.rules import counts_as_assignee
from mujina.kernel.db.sql.pieces import Sql
from mujina.kernel.lists.filters import Filters, compared, only_if
from mujina.kernel.text.folding import fold
from mujina.planning.awards.emoji import canonical


@dataclass(frozen=True)
class SharedFilters:
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

    def with_labels(
        self, name: LiteralString, titles: list[str], projects: LiteralString, among: LiteralString = "TRUE"
    ) -> Sql:
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
