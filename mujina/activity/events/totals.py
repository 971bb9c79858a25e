"""How long feeds are: the sum of kept counts (`tables.py`), whatever the number of events."""

from collections import Counter
from functools import cache
from typing import LiteralString

import msgspec

from mujina.code.snippets.rules import READ_PROJECT_SNIPPET
from mujina.code.snippets.rules import author as snippet_author
from mujina.code.snippets.rules import internal as internal_snippet
from mujina.code.snippets.rules import public as public_snippet
from mujina.kernel.db.sql.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.permissions.rules import Facts, Rule
from mujina.planning.issues.rules import READ_ISSUE, confidential
from mujina.planning.issues.rules import assignee as issue_assignee
from mujina.planning.issues.rules import author as issue_author
from mujina.review.merge_requests.rules import READ_MERGE_REQUEST
from mujina.review.merge_requests.rules import assignee as request_assignee
from mujina.review.merge_requests.rules import author as request_author
from mujina.workspaces.members.access import guest, reporter
from mujina.workspaces.projects.rules import READ_CODE, READ_PROJECT, READ_WIKI

KnownFacts = frozenset[tuple[Rule, bool]]

_UNINVOLVED: dict[Rule, bool] = {
    issue_author: False, issue_assignee: False, request_author: False, request_assignee: False, snippet_author: False,
}  # fmt: skip
_ISSUE = READ_ISSUE.assuming(_UNINVOLVED)
_REQUEST = READ_MERGE_REQUEST.assuming(_UNINVOLVED)
_SNIPPET = READ_PROJECT_SNIPPET.assuming(_UNINVOLVED)

PARTS: dict[LiteralString, Rule] = {
    "code": READ_CODE,
    "issue": _ISSUE.assuming({confidential: False}),
    "confidential issue": _ISSUE.assuming({confidential: True}),
    "merge request": _REQUEST,
    "public snippet": _SNIPPET.assuming({public_snippet: True}),
    "internal snippet": _SNIPPET.assuming({public_snippet: False, internal_snippet: True}),
    "private snippet": _SNIPPET.assuming({public_snippet: False, internal_snippet: False}),
    "wiki": READ_WIKI,
    "project": READ_PROJECT,
}
"""Which events of a project `p` the actor may read without being the author or an assignee of what they are about."""


class FeedCounts(msgspec.Struct, frozen=True):
    """Counts the events of a feed by the kept counts `c` that meet a condition."""

    where: LiteralString
    n: LiteralString
    """The number that each of them adds."""
    facts: KnownFacts
    involved: bool
    """The actor may read some of them only as an author or assignee."""

    async def total(self, tx: Tx, feed: Selection) -> int:
        """How many events the feed has."""
        total = await tx.value(_kept(self), **feed.bound)
        return total + sum((await self._own_per_day(tx, feed)).values())

    async def per_day(self, tx: Tx, feed: Selection) -> dict[str, int]:
        """How many events the feed has on each day that has any."""
        kept = _kept(self, "c.day")
        counts = Counter(dict(await tx.rows(tuple[str, int], f"{kept} GROUP BY c.day", **feed.bound)))
        counts.update(await self._own_per_day(tx, feed))
        return dict(+counts)

    async def _own_per_day(self, tx: Tx, feed: Selection) -> dict[str, int]:
        """How many events the actor may read only as an author or assignee."""
        own = await tx.rows(tuple[str, int], _own(self.facts), **feed.bound) if self.involved else []
        if not own:
            return {}
        ids: dict[str, list[int]] = {"issue": [], "merge_request": [], "snippet": []}
        for kind, id_ in own:
            ids[kind].append(id_)
        # CROSS: from what is the actor's own to its events, never the other way round.
        found = await tx.rows(
            tuple[str, int],
            f"""SELECT substr(event.created_at, 1, 10), count(*) FROM ({_ABOUT}) own CROSS JOIN {feed.source}
                WHERE event.id = own.id AND {feed.condition} AND NOT {_uninvolved(self.facts)} GROUP BY 1""",
            **feed.bound,
            own_issues=ids["issue"],
            own_requests=ids["merge_request"],
            own_snippets=ids["snippet"],
        )
        return dict(found)


def of_author(facts: KnownFacts, days: LiteralString, *, involved: bool) -> FeedCounts:
    """The counts of the events of `:author_id`; `days`: a condition."""
    return FeedCounts(f"c.author_id = :author_id AND {days}", "c.n", facts, involved)


def of_project(facts: KnownFacts, days: LiteralString, *, involved: bool) -> FeedCounts:
    """The counts of the events of `:project_id`: those of all authors (0), less those of deleted users."""
    # Jobs remove deleted users: few have events.
    authors = "SELECT 0 UNION ALL SELECT u.id FROM users u WHERE u.deleted_at IS NOT NULL"
    return FeedCounts(
        f"c.author_id IN ({authors}) AND c.project_id = :project_id AND {days}",
        "CASE c.author_id WHEN 0 THEN c.n ELSE -c.n END",
        facts,
        involved,
    )


@cache
def _kept(feed: FeedCounts, *by: LiteralString) -> LiteralString:
    """The sum of kept counts that an actor may read who is involved in none of the events; `by`: also by these columns.

    Rules are asked once for each part of each project, and that of the project, which each of them implies, is stated once.
    """
    readable, columns = READ_PROJECT.assuming(dict(feed.facts)), "".join(f"{column}, " for column in by)
    known: Facts = {**dict(feed.facts), READ_PROJECT: True}
    parts = " ".join(f"WHEN '{part}' THEN {rule.assuming(known).for_scan}" for part, rule in PARTS.items())
    return f"""
        WITH counted AS MATERIALIZED (
            SELECT {columns}c.project_id, c.part, sum({feed.n}) AS n
            FROM event_counts c WHERE {feed.where} AND c.kind IN :kinds GROUP BY {columns}c.project_id, c.part
        ), readable AS MATERIALIZED (
            SELECT p.id, c.part FROM (SELECT DISTINCT counted.project_id, counted.part FROM counted) c
            JOIN projects p ON p.id = c.project_id
            WHERE p.deleted_at IS NULL AND {readable.for_scan} AND CASE c.part {parts} ELSE FALSE END
        )
        SELECT {columns}CAST(coalesce(sum(c.n), 0) AS bigint) FROM readable
        JOIN counted c ON c.project_id = readable.id AND c.part = readable.part"""


def _about(kind: LiteralString, ids: LiteralString) -> LiteralString:
    """The events about these, and about the notes on them."""
    return f"""SELECT e.id FROM events e WHERE e.subject_kind = '{kind}' AND e.subject_id IN {ids}
        UNION ALL SELECT e.id FROM notes n CROSS JOIN events e WHERE n.noteable_kind = '{kind}' AND n.noteable_id IN {ids}
        AND e.subject_kind = 'note' AND e.subject_id = n.id"""


_ABOUT: LiteralString = f"""{_about("issue", ":own_issues")} UNION ALL {_about("merge_request", ":own_requests")}
    UNION ALL {_about("snippet", ":own_snippets")}"""


@cache
def _own(facts: KnownFacts) -> LiteralString:
    """The actor's own events that no other rule opens to them."""
    known = dict(facts)
    hidden = f"JOIN projects p ON p.id = mine.project_id AND NOT {READ_CODE.assuming(known).for_scan}"
    return f"""
        SELECT 'issue' AS kind, mine.id FROM issues mine JOIN projects p ON p.id = mine.project_id
        WHERE mine.author_id = :actor AND mine.confidential AND mine.deleted_at IS NULL
        AND NOT {reporter.assuming(known).for_scan}
        UNION SELECT 'issue', mine.id FROM issue_assignees a JOIN issues mine ON mine.id = a.issue_id
        JOIN projects p ON p.id = mine.project_id AND NOT {reporter.assuming(known).for_scan}
        WHERE a.user_id = :actor AND mine.confidential
        UNION SELECT 'merge_request', mine.id FROM merge_requests mine {hidden} WHERE mine.author_id = :actor
        UNION SELECT 'merge_request', mine.id FROM merge_request_assignees a
        JOIN merge_requests mine ON mine.id = a.merge_request_id {hidden} WHERE a.user_id = :actor
        UNION SELECT 'snippet', mine.id FROM snippets mine JOIN projects p ON p.id = mine.project_id
        WHERE mine.author_id = :actor AND NOT {guest.assuming(known).for_scan}"""


@cache
def _uninvolved(facts: KnownFacts) -> LiteralString:
    """Whether an event about an issue, a request or a snippet is open to the actor whether they are involved or not."""
    known = dict(facts)
    return f"""CASE WHEN i.id IS NOT NULL THEN {_ISSUE.assuming(known).for_scan}
        WHEN mr.id IS NOT NULL THEN {_REQUEST.assuming(known).for_scan} ELSE {_SNIPPET.assuming(known).for_scan} END"""
