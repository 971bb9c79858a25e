"""The rules that make a user an approver, and the condition that a merge request lacks approvals.

These are SQL fragments about the request `mr` of the project `p` and the user `u`; `:today` must be bound.
"""

from typing import LiteralString

from mujina.review.merge_requests.rules import READ_MERGE_REQUESTS
from mujina.workspaces.members.lists.all_members import project_grants

REQUIRED: LiteralString = "coalesce(mr.approvals_before_merge, p.approvals_before_merge)"
"""How many approvals the request needs."""

OWN_APPROVERS: LiteralString = """(
    EXISTS (SELECT 1 FROM merge_request_approvers own WHERE own.merge_request_id = mr.id)
    OR EXISTS (SELECT 1 FROM merge_request_approver_groups own WHERE own.merge_request_id = mr.id))"""
"""Whether the request names approvers, so that those of the project do not count."""

NAMED_INDIVIDUALLY: LiteralString = f"""(
    SELECT a.user_id FROM merge_request_approvers a WHERE a.merge_request_id = mr.id
    UNION SELECT a.user_id FROM project_approvers a WHERE a.project_id = mr.project_id AND NOT {OWN_APPROVERS})"""
"""The users whom the request, or else its project, names as approvers; members of named groups are not among them."""

_NAMED: LiteralString = f"""(
    SELECT individual.user_id FROM {NAMED_INDIVIDUALLY} individual
    UNION SELECT m.user_id FROM merge_request_approver_groups a
    JOIN group_tree t ON t.group_id = a.group_id
    JOIN members m ON m.source_kind = 'group' AND m.source_id = t.ancestor_id AND m.expires_on > :today
    WHERE a.merge_request_id = mr.id
    UNION SELECT m.user_id FROM project_approver_groups a
    JOIN group_tree t ON t.group_id = a.group_id
    JOIN members m ON m.source_kind = 'group' AND m.source_id = t.ancestor_id AND m.expires_on > :today
    WHERE a.project_id = mr.project_id AND NOT {OWN_APPROVERS})"""

DEVELOPER_IDS: LiteralString = f"""(SELECT member.user_id FROM (
    {project_grants("mr.project_id")}) member WHERE member.level >= 30)"""

OPEN_TO: LiteralString = """u.state = 'active' AND u.deleted_at IS NULL AND u.id <> mr.author_id
    AND NOT EXISTS (SELECT 1 FROM approvals given WHERE given.merge_request_id = mr.id AND given.user_id = u.id)"""
"""The user may work, did not write the request and has not approved it yet."""

NAMED_TO_APPROVE: LiteralString = f"({OPEN_TO} AND u.id IN {_NAMED} AND {READ_MERGE_REQUESTS.of('u')})"
"""A named approver who has not approved yet. One who may not read the request does not count: their approval is not required."""

COULD_APPROVE: LiteralString = f"""({OPEN_TO} AND (u.id IN {DEVELOPER_IDS}
    OR (u.id IN {_NAMED} AND {READ_MERGE_REQUESTS.of("u")})))"""
"""A user who could still approve."""

LACKS_APPROVALS: LiteralString = f"""(CASE
    WHEN mr.state <> 'opened' OR {REQUIRED} = 0 THEN FALSE
    ELSE {REQUIRED} > (SELECT count(*) FROM approvals given WHERE given.merge_request_id = mr.id) END)"""
"""Whether an open request has fewer approvals than it requires, even if no user can give one."""

NOT_APPROVED: LiteralString = f"""(CASE WHEN {LACKS_APPROVALS}
    THEN EXISTS (SELECT 1 FROM users u WHERE {COULD_APPROVE}) ELSE FALSE END)"""
"""Whether an open request waits for an approval that a user can still give."""


NAMED_USERS: LiteralString = f"""
    SELECT named.user_id FROM merge_requests mr JOIN projects p ON p.id = mr.project_id JOIN (
        SELECT a.merge_request_id, a.user_id FROM merge_request_approvers a WHERE a.merge_request_id = :merge_request_id
        UNION ALL SELECT mr.id, a.user_id FROM merge_requests mr JOIN project_approvers a ON a.project_id = mr.project_id
        WHERE mr.id = :merge_request_id AND NOT {OWN_APPROVERS}) named ON named.merge_request_id = mr.id
    WHERE {NOT_APPROVED}"""
"""The users whom the request `:merge_request_id` waits for; members of a named group take part only once they do something."""
