"""Push rules as responses show them."""

import msgspec

from mujina.code.push_rules.rules import PushRuleRow
from mujina.kernel.db.entities import to_entity


class PushRule(msgspec.Struct):
    id: int
    project_id: int
    commit_message_regex: str
    branch_name_regex: str
    author_email_regex: str
    file_name_regex: str
    deny_delete_tag: bool
    member_check: bool
    prevent_secrets: bool
    max_file_size: int
    created_at: str


def to_push_rule(rule: PushRuleRow | None) -> PushRule | None:
    """The rule; a project without one shows null."""
    if rule is None:
        return None
    patterns = [name for name in PushRule.__struct_fields__ if name.endswith("_regex")]
    return to_entity(PushRule, rule, **{name: getattr(rule, name) or "" for name in patterns})
