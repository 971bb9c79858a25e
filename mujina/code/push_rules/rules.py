"""The push rule of a project, and the only way to get it."""

from typing import Annotated

from mujina.instance.editions.rules import has_feature
from mujina.kernel import errors
from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx


class PushRuleRow(Row, alias="o"):
    """The push rule of a project; an empty pattern checks nothing."""

    id: int
    project_id: Annotated[int, "coalesce(o.project_id, 0)"]
    """0: the rule that new projects get."""
    commit_message_regex: str | None
    branch_name_regex: str | None
    author_email_regex: str | None
    file_name_regex: str | None
    deny_delete_tag: bool
    member_check: bool
    prevent_secrets: bool
    max_file_size: int
    created_at: str
    updated_at: str


async def push_rule_of(tx: Tx, project_id: int) -> PushRuleRow | None:
    """The project's push rule, if it has one."""
    return await tx.row(
        PushRuleRow,
        f"SELECT {PushRuleRow.columns} FROM push_rules o WHERE o.project_id = :project_id",
        project_id=project_id,
    )


async def default_push_rule(tx: Tx) -> PushRuleRow | None:
    """The rule that new projects get, if there is one."""
    return await tx.row(PushRuleRow, f"SELECT {PushRuleRow.columns} FROM push_rules o WHERE o.is_default")


async def enforced_push_rule(tx: Tx, project_id: int) -> PushRuleRow | None:
    """The rule that pushes must follow: an edition without push rules keeps it and ignores it."""
    return await push_rule_of(tx, project_id) if has_feature("push_rules") else None


async def find_push_rule(tx: Tx, project_id: int) -> PushRuleRow:
    """The project's push rule; 404 if it has none."""
    return errors.or_not_found(await push_rule_of(tx, project_id), "Push Rule")
