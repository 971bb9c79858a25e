"""The projects whose merge requests a list may show, and how many requests of each the caller sees."""

from functools import cache
from typing import ClassVar, LiteralString, Self

from mujina.instance.editions.rules import counts_as_assignee
from mujina.kernel.db.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.permissions.rules import FALSE, TRUE, Condition, Facts, Rule
from mujina.review.merge_requests.rules import READ_MERGE_REQUEST, merge_requests_enabled
from mujina.workspaces.projects.listed_projects import ListedProjects
from mujina.workspaces.projects.rules import READ_CODE, READ_PROJECT

_code_readable = Condition("code_readable", "(mr.project_id + 0 IN :reviewed_full)")
"""`READ_CODE`, for lists over projects in which it is known."""


class ReviewedProjects(ListedProjects, frozen=True):
    """Projects with merge requests; in those that are `partial`, the caller sees requests that they wrote or are assigned to."""

    alias: ClassVar[LiteralString] = "mr"
    enabled: ClassVar[LiteralString] = "p.merge_requests_enabled"
    full_rule: ClassVar[Rule] = READ_CODE
    counts: ClassVar[LiteralString] = "merge_request_counts"
    unrestricted: ClassVar[LiteralString] = "0"
    states: ClassVar[tuple[str, ...]] = ("opened", "locked", "merged", "closed")
    prefix: ClassVar[LiteralString] = "reviewed_"

    @classmethod
    async def in_project(cls, tx: Tx, actor: Actor, project_id: int) -> Self:
        """One project, which the caller has found: with every request, or with those that the actor has a part in."""
        return await cls._found(tx, actor, "all", "AND p.id = :project_id", project_id=project_id)

    def requests(self, actor: Actor) -> Selection:
        """Every request that the caller sees in these projects."""
        return self.selection(actor, "merge_requests", _readable(bool(self.full), bool(self.partial)))

    def texts(self, actor: Actor) -> Selection:
        """The requests as a selection from the narrow table of texts: enough to search."""
        return self.selection(actor, "merge_request_texts", _readable(bool(self.full), bool(self.partial)))

    async def size(self, tx: Tx) -> int:
        """How many requests of any state these projects have."""
        return await tx.value(_KEPT, **self.bound, state="all")

    async def count_by_state(self, tx: Tx, actor: Actor) -> dict[str, int]:
        """State, or `all` → how many requests the caller sees; it sums kept counts."""
        rows = await tx.rows(
            tuple[str, int],
            f"{_BY_STATE} UNION ALL {_OWN_BY_STATE}" if self.partial else _BY_STATE,
            **self.bound,
            **actor.bound,
            state="all",
        )
        return self.sum_states(rows)

    @property
    def count(self) -> LiteralString:
        """A statement for the number of requests of `:state` that the caller sees; it sums kept counts."""
        kept = _KEPT_IN_FULL if self.known_count is None else self.known
        full: LiteralString = f"SELECT ({kept}) - ({_MERGING})"
        return f"{full} + ({_OWN})" if self.partial else full


@cache
def _readable(full: bool, partial: bool) -> LiteralString:
    """`READ_MERGE_REQUEST`, simplified by what is known: whether there are fully and partially readable projects."""
    code = _code_readable if full and partial else TRUE if full else FALSE
    facts: Facts = {READ_PROJECT: True, merge_requests_enabled: True, READ_CODE: code}
    return READ_MERGE_REQUEST.given(facts).many


def kept_count(projects: LiteralString) -> LiteralString:
    """The sum of kept counts of `:state` over `projects`."""
    return f"""
        SELECT CAST(coalesce(sum(c.n), 0) AS bigint) FROM merge_request_counts c
        WHERE c.project_id {projects} AND (:state = 'all' OR c.state = :state)"""


def merging_count(projects: LiteralString) -> LiteralString:
    """How many requests of `projects` are being merged if `:state` is open: they are not shown as open."""
    return f"""
        SELECT count(*) FROM merge_requests mr WHERE mr.merging_push_id IS NOT NULL AND mr.state = 'opened'
        AND :state = 'opened' AND mr.project_id + 0 {projects}"""


_KEPT = kept_count("IN :reviewed_project_ids")
_KEPT_IN_FULL = kept_count("IN :reviewed_full")
_MERGING = merging_count("IN :reviewed_full")
# Both halves start from the rows of the actor. CROSS JOIN fixes that order: SQLite would start with all requests.
_OWN_IDS: LiteralString = f"""
    SELECT mr.id FROM merge_requests mr
    WHERE mr.author_id = :actor AND mr.project_id + 0 IN :reviewed_partial AND (:state = 'all' OR mr.state = :state)
    AND (:state <> 'opened' OR mr.merging_push_id IS NULL)
    UNION
    SELECT mr.id FROM merge_request_assignees a CROSS JOIN merge_requests mr
    WHERE a.user_id = :actor AND {counts_as_assignee("merge_request_assignees", "merge_request_id", "a")}
    AND mr.id = a.merge_request_id
    AND mr.project_id + 0 IN :reviewed_partial AND (:state = 'all' OR mr.state = :state)
    AND (:state <> 'opened' OR mr.merging_push_id IS NULL)"""
_OWN: LiteralString = f"SELECT count(*) FROM ({_OWN_IDS}) own"
SHOWN_STATE: LiteralString = (
    "CASE WHEN mr.state = 'opened' AND mr.merging_push_id IS NOT NULL THEN 'locked' ELSE mr.state END"
)
# What is being merged is counted as open, and is shown as locked.
_BY_STATE: LiteralString = """
    SELECT c.state, CAST(sum(c.n) AS bigint) FROM merge_request_counts c WHERE c.project_id IN :reviewed_full GROUP BY c.state
    UNION ALL
    SELECT step.state, step.n FROM (SELECT 'opened' AS state, -1 AS n UNION ALL SELECT 'locked', 1) step
    JOIN merge_requests mr ON mr.merging_push_id IS NOT NULL AND mr.state = 'opened' AND mr.project_id + 0 IN :reviewed_full"""
_OWN_BY_STATE: LiteralString = f"""
    SELECT {SHOWN_STATE}, count(*) FROM ({_OWN_IDS}) own JOIN merge_requests mr ON mr.id = own.id GROUP BY 1"""
