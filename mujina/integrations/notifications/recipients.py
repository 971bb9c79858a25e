"""The recipients of a mail about an event, and the reasons: found in steps of bounded size, by the level of each user.

A user's level is that of the project, else of the nearest group above it that has one, else the global one.

| Level | Gets |
|---|---|
| `disabled` | what they subscribed to |
| `mention` | also what mentions, assigns or asks them |
| `participating` | also what they take part in |
| `watch` | everything |
| `custom` | as `participating`, and the chosen events |

A user who unsubscribed from the subject gets nothing about it.
"""

from collections.abc import Sequence
from typing import Annotated, Final, LiteralString

import msgspec

from mujina.integrations.notifications.notices import NOTICES
from mujina.integrations.notifications.threads import KINDS, MailThread
from mujina.kernel import clock
from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx
from mujina.planning.epics.declarations.noteable import EPIC
from mujina.planning.issues.declarations.noteable import ISSUE
from mujina.planning.snippet_comments.noteable import SNIPPET
from mujina.planning.subscriptions.participation import participant_ids
from mujina.review.merge_requests.declarations.noteable import MERGE_REQUEST
from mujina.workspaces.members.lists.all_members import ALL_GROUP_MEMBERS, ALL_PROJECT_MEMBERS
from mujina.workspaces.notification_settings.params import EVENTS

NOTEABLES: Final = (ISSUE, MERGE_REQUEST, EPIC, SNIPPET)

SETTING: LiteralString = """coalesce(
    (SELECT s.level || ' ' || s.events FROM notification_settings s
     WHERE s.user_id = u.id AND s.source_kind = 'project' AND s.source_id = :project_id AND s.level <> 'global'),
    (SELECT s.level || ' ' || s.events FROM group_tree t
     JOIN notification_settings s ON s.user_id = u.id AND s.source_kind = 'group' AND s.source_id = t.ancestor_id
     WHERE t.group_id = :namespace_id AND s.level <> 'global' ORDER BY t.depth LIMIT 1),
    (SELECT s.level || ' ' || s.events FROM notification_settings s
     WHERE s.user_id = u.id AND s.source_kind = 'everything' AND s.source_id = 0),
    'participating')"""
"""The level of the user `u` here, and behind it the events chosen at the level `custom`."""

UNSUBSCRIBED: LiteralString = """EXISTS (SELECT 1 FROM subscriptions s WHERE s.subject_kind = :noteable_kind
    AND s.subject_id = :noteable_id AND s.user_id = u.id AND NOT s.subscribed)"""


class MailAudience(msgspec.Struct, frozen=True, kw_only=True):
    """The users whom an event concerns, besides those whose settings or subscriptions say so."""

    thread: MailThread
    actor_id: int | None = None
    notices: Sequence[str] = ()
    only: Sequence[int] | None = None
    """If not None, the event concerns exactly these users."""
    reasons: dict[int, str] = {}
    """Users whom the event names → why. They get it unless their level is `disabled`."""
    taking_part: Sequence[int] = ()
    """Users who participate although no row says so."""
    label_ids: Sequence[int] = ()
    """Labels whose subscribers get it."""

    @property
    def participants(self) -> bool:
        return any(NOTICES[name].participants for name in self.notices)

    @property
    def watchers(self) -> bool:
        return any(NOTICES[name].watchers for name in self.notices)

    @property
    def choices(self) -> frozenset[str]:
        """The event that users choose at the level `custom` to get it."""
        return frozenset(self.notices) & frozenset(EVENTS)

    @property
    def bound(self) -> dict[str, int | str]:
        """The parameters of `SETTING` and `UNSUBSCRIBED`."""
        subject = self.thread.subject
        return {
            "noteable_kind": self.thread.kind,
            "noteable_id": subject.id,
            "project_id": subject.project_id or 0,
            "namespace_id": subject.namespace_id,
        }


class Candidate(Row, alias="c"):
    user_id: int
    participates: Annotated[bool, "max(c.participates) = 1"]
    subscribes: Annotated[bool, "max(c.subscribes) = 1"]
    setting: Annotated[str, SETTING]
    unsubscribed: Annotated[bool, UNSUBSCRIBED]


_INVOLVED: dict[str, LiteralString] = {kind.name: kind.involved for kind in NOTEABLES}
_NOBODY: LiteralString = "SELECT nobody.id FROM users nobody WHERE FALSE"

# `<> 'everything'` is the condition of the index, which SQLite does not conclude by itself.
# CROSS JOIN: SQLite keeps to that order, and does not start with the settings of all groups.
# A scalar subquery is a look-up by the key; a join would compare all members with all settings.
_GLOBAL_LEVEL: LiteralString = """(SELECT s.level FROM notification_settings s
    WHERE s.user_id = member.user_id AND s.source_kind = 'everything' AND s.source_id = 0)"""


def _among(users: LiteralString) -> LiteralString:
    """The next of these users, of whom each may be there several times."""
    return f"""
    SELECT {Candidate.columns} FROM ({users}) c JOIN users u ON u.id = c.user_id
    WHERE c.user_id > :after AND c.user_id <> :actor_id
        AND u.state = 'active' AND u.kind = 'person' AND u.deleted_at IS NULL
    GROUP BY c.user_id, u.id ORDER BY c.user_id LIMIT :limit"""


def _candidates(involved: LiteralString) -> LiteralString:
    return _among(f"""
        SELECT taking_part.user_id, 1 AS participates, 0 AS subscribes FROM ({participant_ids(involved)}) taking_part
        WHERE CAST(:participants AS boolean)
        UNION ALL
        SELECT named.id, CASE WHEN named.id IN :taking_part THEN 1 ELSE 0 END, 0 FROM users named WHERE named.id IN :named
        UNION ALL
        SELECT s.user_id, 0, 1 FROM subscriptions s
        WHERE s.subject_kind = :noteable_kind AND s.subject_id = :noteable_id AND s.subscribed
        AND CAST(:participants AS boolean)
        UNION ALL
        SELECT s.user_id, 0, 1 FROM label_subscriptions s WHERE s.label_id IN :label_ids AND s.subscribed
        UNION ALL
        SELECT s.user_id, 0, 0 FROM notification_settings s
        WHERE s.source_kind = 'project' AND s.source_kind <> 'everything' AND s.source_id = :project_id
        AND s.level IN ('watch', 'custom')
        UNION ALL
        SELECT s.user_id, 0, 0 FROM group_tree t CROSS JOIN notification_settings s
        WHERE t.group_id = :namespace_id AND s.source_kind = 'group' AND s.source_kind <> 'everything'
        AND s.source_id = t.ancestor_id AND s.level IN ('watch', 'custom')
        UNION ALL
        SELECT member.user_id, 0, 0 FROM ({ALL_PROJECT_MEMBERS} UNION ALL {ALL_GROUP_MEMBERS}) member
        WHERE {_GLOBAL_LEVEL} IN ('watch', 'custom')""")


# One text for all kinds, with the long rule of approvers, takes PostgreSQL 15 ms to plan for each event.
_CANDIDATES: dict[str, LiteralString] = {kind: _candidates(_INVOLVED.get(kind, _NOBODY)) for kind in KINDS}
"""By the kind of the subject."""

_NAMED: LiteralString = _among("""
    SELECT named.id AS user_id, CASE WHEN named.id IN :taking_part THEN 1 ELSE 0 END AS participates, 0 AS subscribes
    FROM users named WHERE named.id IN :named""")


async def candidates(tx: Tx, audience: MailAudience, after: int, limit: int) -> list[Candidate]:
    """The next users behind the id `after` whom the event may concern. Blocked users and the actor are left out."""
    bound = {**audience.bound, "actor_id": audience.actor_id or 0, "after": after, "limit": limit}
    if audience.only is not None:
        return await tx.rows(
            Candidate, _NAMED, **bound, named=sorted(audience.only), taking_part=sorted(audience.taking_part)
        )
    thread = audience.thread
    return await tx.rows(
        Candidate,
        _CANDIDATES[thread.kind],
        **bound,
        **({f"{thread.kind}_id": thread.subject.id} if thread.kind in _INVOLVED else {}),
        participants=audience.participants,
        named=sorted({*audience.reasons, *audience.taking_part}),
        taking_part=sorted(audience.taking_part),
        label_ids=sorted(audience.label_ids),
        group_id=thread.subject.namespace_id if thread.subject.project_id is None else 0,
        today=clock.today(),
    )


def reason_for(audience: MailAudience, candidate: Candidate) -> str | None:
    """Why the user gets a mail; None: they do not."""
    level, *chosen = candidate.setting.split()
    named = audience.reasons.get(candidate.user_id)
    if candidate.unsubscribed:
        return None
    if candidate.subscribes:
        return named or "subscribed"
    if level == "disabled":
        return None
    if named is not None:
        return named
    if level == "mention":
        return None
    if candidate.participates and audience.participants:
        return "participating"
    if level == "watch" and audience.watchers:
        return "watching"
    return "custom" if level == "custom" and audience.choices & set(chosen) else None
