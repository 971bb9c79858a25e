"""The code owners whose approval a merge request needs, as of the commits that were last checked."""

from mujina.kernel.db.ddl import foreign_key, index, integer, link_table, primary_key, table, text

code_owner_rules = table(
    "code_owner_rules",
    primary_key(),
    foreign_key("merge_request_id", "merge_requests"),
    text("section"),
    text("pattern"),
    integer("approvals_required"),  # 0: the section is optional, or the target branch does not ask for owners
    index("merge_request_id", "id"),
)

code_owner_rule_users = link_table("code_owner_rule_users", "code_owner_rule", "user", index("user_id"))

code_owner_rule_groups = link_table("code_owner_rule_groups", "code_owner_rule", "group", index("group_id"))
