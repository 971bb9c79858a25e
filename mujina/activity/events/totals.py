"""How long feeds are: the sum of kept counts (`tables.py`), whatever the number of events."""

from functools import cache
from typing import LiteralString

import msgspec

from mujina.code.snippets.rules import READ_PROJECT_SNIPPET
from mujina.code.snippets.rules import author as snippet_author
from mujina.code.snippets.rules import internal as internal_snippet
from mujina.code.snippets.rules import public as public_snippet
from mujina.kernel.db.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.rules import Rule
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
_ISSUE = READ_ISSUE.given(_UNINVOLVED)
_REQUEST = READ_MERGE_REQUEST.given(_UNINVOLVED)
_SNIPPET = READ_PROJECT_SNIPPET.given(_UNINVOLVED)

PARTS: dict[LiteralString, Rule] = {
    "code": READ_CODE,
    "issue": _ISSUE.given({confidential: False}),
    "confidential issue": _ISSUE.given({confidential: True}),
    "merge request": _REQUEST,
    "public snippet": _SNIPPET.given({public_snippet: True}),
    "internal snippet": _SNIPPET.given({public_snippet: False, internal_snippet: True}),
    "private snippet": _SNIPPET.given({public_snippet: False, internal_snippet: False}),
    "wiki": READ_WIKI,
    "project": READ_PROJECT,
}
"""Which events of a project `p` the actor may read without being the author or an assignee of what they are about."""


async def in_project(tx: Tx, feed: Selection, facts: KnownFacts, *, involved: bool) -> int:
    """How many events the feed of `:project_id` has.

    `involved`: the actor may read some of them only as an author or assignee.
    """
    return await _total(tx, feed, facts, kept_in_project(facts), involved=involved)


@cache
def kept_in_project(facts: KnownFacts) -> LiteralString:
    """The number of events of `:project_id` that an actor may read who is involved in none of them."""
    kept = _kept(facts)
    # Jobs remove deleted users: few have events.
    deleted: LiteralString = "SELECT u.id FROM users u WHERE u.deleted_at IS NOT NULL"
    return f"""({kept} AND c.project_id = :project_id AND c.author_id = 0)
        - ({kept} AND c.project_id = :project_id AND c.author_id IN ({deleted}))"""


async def by_author(tx: Tx, feed: Selection, facts: KnownFacts, *, involved: bool) -> int:
    """How many events the feed of `:author_id` has."""
    return await _total(tx, feed, facts, f"({_kept(facts)} AND c.author_id = :author_id)", involved=involved)


@cache
def _kept(facts: KnownFacts) -> LiteralString:
    known = dict(facts)
    readable = " ".join(f"WHEN '{part}' THEN {rule.given(known).many}" for part, rule in PARTS.items())
    return f"""SELECT CAST(coalesce(sum(c.n), 0) AS bigint) FROM event_counts c JOIN projects p ON p.id = c.project_id
        WHERE p.deleted_at IS NULL AND c.kind IN :kinds AND CASE c.part {readable} ELSE FALSE END"""


async def _total(tx: Tx, feed: Selection, facts: KnownFacts, kept: LiteralString, *, involved: bool) -> int:
    if not involved:
        return await tx.value(f"SELECT {kept}", **feed.bound)
    own, uninvolved = _own(facts)
    [(total, found)] = await tx.rows(
        tuple[int, str | None],
        f"SELECT {kept}, (SELECT CAST(json_agg(json_build_array(own.kind, own.id)) AS text) FROM ({own}) own)",
        **feed.bound,
    )
    ids: dict[str, list[int]] = {"issue": [], "merge_request": [], "snippet": []}
    for kind, id_ in msgspec.json.decode(found or "[]"):
        ids[kind].append(id_)
    if not any(ids.values()):
        return total
    return total + await tx.value(
        f"SELECT count(*) {_own_events(feed, uninvolved)}",
        **feed.bound,
        own_issues=ids["issue"],
        own_requests=ids["merge_request"],
        own_snippets=ids["snippet"],
    )


async def own_per_day(tx: Tx, feed: Selection, facts: KnownFacts) -> dict[str, int]:
    """How many events of each day the actor may read only as an author or assignee."""
    own, uninvolved = _own(facts)
    ids: dict[str, list[int]] = {"issue": [], "merge_request": [], "snippet": []}
    for kind, id_ in await tx.rows(tuple[str, int], f"SELECT own.kind, own.id FROM ({own}) own", **feed.bound):
        ids[kind].append(id_)
    if not any(ids.values()):
        return {}
    found = await tx.rows(
        tuple[str, int],
        f"SELECT substr(event.created_at, 1, 10), count(*) {_own_events(feed, uninvolved)} GROUP BY 1",
        **feed.bound,
        own_issues=ids["issue"],
        own_requests=ids["merge_request"],
        own_snippets=ids["snippet"],
    )
    return dict(found)


def _own_events(feed: Selection, uninvolved: LiteralString) -> LiteralString:
    # CROSS: from what is the actor's own to its events, never the other way round.
    return f"""FROM ({_ABOUT}) own CROSS JOIN {feed.source} WHERE event.id = own.id AND {feed.condition}
        AND NOT {uninvolved}"""


def _about(kind: LiteralString, ids: LiteralString) -> LiteralString:
    """The events about these, and about the notes on them."""
    return f"""SELECT e.id FROM events e WHERE e.subject_kind = '{kind}' AND e.subject_id IN {ids}
        UNION ALL SELECT e.id FROM notes n CROSS JOIN events e WHERE n.noteable_kind = '{kind}' AND n.noteable_id IN {ids}
        AND e.subject_kind = 'note' AND e.subject_id = n.id"""


_ABOUT: LiteralString = f"""{_about("issue", ":own_issues")} UNION ALL {_about("merge_request", ":own_requests")}
    UNION ALL {_about("snippet", ":own_snippets")}"""


@cache
def _own(facts: KnownFacts) -> tuple[LiteralString, LiteralString]:
    """What is the actor's own and is not open to them otherwise; and whether an event is open to them otherwise."""
    known = dict(facts)
    hidden = f"JOIN projects p ON p.id = mine.project_id AND NOT {READ_CODE.given(known).many}"
    found = f"""
        SELECT 'issue' AS kind, mine.id FROM issues mine JOIN projects p ON p.id = mine.project_id
        WHERE mine.author_id = :actor AND mine.confidential AND mine.deleted_at IS NULL
        AND NOT {reporter.given(known).many}
        UNION SELECT 'issue', mine.id FROM issue_assignees a JOIN issues mine ON mine.id = a.issue_id
        JOIN projects p ON p.id = mine.project_id AND NOT {reporter.given(known).many}
        WHERE a.user_id = :actor AND mine.confidential
        UNION SELECT 'merge_request', mine.id FROM merge_requests mine {hidden} WHERE mine.author_id = :actor
        UNION SELECT 'merge_request', mine.id FROM merge_request_assignees a
        JOIN merge_requests mine ON mine.id = a.merge_request_id {hidden} WHERE a.user_id = :actor
        UNION SELECT 'snippet', mine.id FROM snippets mine JOIN projects p ON p.id = mine.project_id
        WHERE mine.author_id = :actor AND NOT {guest.given(known).many}"""
    uninvolved = f"""CASE WHEN i.id IS NOT NULL THEN {_ISSUE.given(known).many}
        WHEN mr.id IS NOT NULL THEN {_REQUEST.given(known).many} ELSE {_SNIPPET.given(known).many} END"""
    return found, uninvolved
