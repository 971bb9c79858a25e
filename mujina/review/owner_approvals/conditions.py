"""Whether a merge request waits for code owners: SQL fragments about the request `mr`; `:today` must be bound."""

from typing import LiteralString

from mujina.review.approvals.approvers import DEVELOPER_IDS, OPEN_TO

OWNERS: LiteralString = """(
    SELECT owner.user_id FROM code_owner_rule_users owner WHERE owner.code_owner_rule_id = rule.id
    UNION SELECT m.user_id FROM code_owner_rule_groups owner
    JOIN members m ON m.source_kind = 'group' AND m.source_id = owner.group_id AND m.expires_on > :today
    WHERE owner.code_owner_rule_id = rule.id)"""
"""The owners that the rule `rule` names; of a group, its direct members."""

COULD_OWN: LiteralString = f"(u.id IN {OWNERS} AND {OPEN_TO} AND u.id IN {DEVELOPER_IDS})"
"""An owner (`u`) who could still approve: as everywhere, an approval that no user can give is not required."""

MISSING: LiteralString = f"""(rule.approvals_required - (SELECT count(*) FROM approvals given
    WHERE given.merge_request_id = mr.id AND given.user_id IN {OWNERS}))"""
"""How many owners have not approved yet; negative if more did."""

HAS_OWNERS: LiteralString = """EXISTS (
    SELECT 1 FROM code_owner_rules rule WHERE rule.merge_request_id = mr.id AND rule.approvals_required > 0)"""
"""Whether owners have to approve the request."""

AWAITS_OWNERS: LiteralString = f"""(mr.state = 'opened' AND EXISTS (SELECT 1 FROM code_owner_rules rule
    WHERE rule.merge_request_id = mr.id AND rule.approvals_required > 0 AND {MISSING} > 0
    AND EXISTS (SELECT 1 FROM users u WHERE {COULD_OWN})))"""
"""Whether an open request waits for the approval of an owner."""
