"""Create, edit and remove the push rule of a project, and the one that new projects get."""

from typing import Any, LiteralString, cast

from mujina.code.push_rules.params import ChangePushRule
from mujina.code.push_rules.rules import PushRuleRow
from mujina.instance.editions.rules import has_feature
from mujina.kernel import clock, errors
from mujina.kernel.db.rows import delete_row, insert_id, timestamps, update
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import Problems
from mujina.kernel.events import Event, record
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.text.patterns import check_pattern

MAX_SIZE = 2_147_483_647
_COPIED = cast("LiteralString", ", ".join(ChangePushRule.__struct_fields__))


async def create(tx: Tx, actor: Actor, project_id: int | None, change: ChangePushRule) -> None:
    """The rule applies from the next push on; 422 if the project has one already. None: the rule that new projects get."""
    _check(change)
    rule_id = await insert_id(
        tx, "push_rules", "ON CONFLICT DO NOTHING", project_id=project_id, is_default=project_id is None, **timestamps()
    )
    if rule_id is None:
        raise errors.unprocessable("Project push rule exists")
    await _store(tx, rule_id, change.sent_fields())
    changes = {name: (None, value) for name, value in change.sent_fields().items()}
    await record(tx, "push_rule.created", actor, subject_id=rule_id, project_id=project_id, changes=changes)


async def edit(tx: Tx, actor: Actor, rule: PushRuleRow, change: ChangePushRule) -> None:
    """The changed rule applies from the next push on."""
    _check(change)
    await _store(tx, rule.id, change.sent_fields())
    changes = {name: (getattr(rule, name), value) for name, value in change.sent_fields().items()}
    await record(
        tx, "push_rule.updated", actor, subject_id=rule.id, project_id=rule.project_id or None, changes=changes
    )


async def remove(tx: Tx, actor: Actor, rule: PushRuleRow) -> None:
    """No rule applies from the next push on."""
    await delete_row(tx, "push_rules", "Push Rule", id=rule.id)
    await record(tx, "push_rule.deleted", actor, subject_id=rule.id, project_id=rule.project_id or None)


async def copy_default(tx: Tx, event: Event) -> None:
    """A new project starts with a copy of the default rule, which its masters may change."""
    if has_feature("push_rules"):
        await tx.run(
            f"""
            INSERT INTO push_rules (project_id, {_COPIED}, created_at, updated_at)
            SELECT CAST(:project_id AS bigint), {_COPIED}, CAST(:now AS text), CAST(:now AS text)
            FROM push_rules o WHERE o.is_default
            """,
            project_id=event.project_id,
            now=clock.now(),
        )


def _check(change: ChangePushRule) -> None:
    problems = Problems()
    for name, value in change.sent_fields().items():
        if name.endswith("_regex") and value:
            check_pattern(problems, name, value)
    size = change.sent_fields().get("max_file_size", 0)
    if not 0 <= size <= MAX_SIZE:
        problems.add("max_file_size", "must be greater than or equal to 0" if size < 0 else "is too large")
    problems.refuse()


async def _store(tx: Tx, rule_id: int, changes: dict[str, Any]) -> None:
    if changes:
        await update(tx, "push_rules", {**changes, "updated_at": clock.now()}, id=rule_id)
