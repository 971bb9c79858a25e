"""The code owners whom a merge request waits for, and those who approved it."""

from typing import Annotated

import msgspec

from mujina.kernel import clock
from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx
from mujina.review.owner_approvals.conditions import COULD_OWN, OWNERS


class OwnerRule(msgspec.Struct):
    """A pattern whose files the request changes."""

    id: int
    section: str
    pattern: str
    required: int
    eligible: list[int]
    """The owners who could still approve."""
    approved_by: list[int]

    @property
    def left(self) -> int:
        """How many approvals are missing; no more than there are users who could give one."""
        return min(max(0, self.required - len(self.approved_by)), len(self.eligible))


class _RuleRow(Row, alias="rule"):
    id: int
    section: str
    pattern: str
    approvals_required: int


class _OwnerRow(Row, alias="rule"):
    id: int
    user_id: Annotated[int, "u.id"]
    approved: Annotated[
        bool,
        """EXISTS (SELECT 1 FROM approvals given
            WHERE given.merge_request_id = rule.merge_request_id AND given.user_id = u.id)""",
    ]
    eligible: Annotated[bool, COULD_OWN]


async def read_rules(tx: Tx, request_id: int) -> list[OwnerRule]:
    """The rules of the request, in the order of the file: one statement if there are none, otherwise two."""
    rows = await tx.rows(
        _RuleRow,
        f"SELECT {_RuleRow.columns} FROM code_owner_rules rule WHERE rule.merge_request_id = :id ORDER BY rule.id",
        id=request_id,
    )
    found = {
        row.id: OwnerRule(
            id=row.id, section=row.section, pattern=row.pattern, required=row.approvals_required, eligible=[],
            approved_by=[],
        )
        for row in rows
    }  # fmt: skip
    if not found:
        return []
    owners = await tx.rows(
        _OwnerRow,
        f"""SELECT {_OwnerRow.columns} FROM code_owner_rules rule JOIN merge_requests mr ON mr.id = rule.merge_request_id
            JOIN projects p ON p.id = mr.project_id JOIN users u ON u.id IN {OWNERS}
            WHERE rule.merge_request_id = :id ORDER BY u.id""",
        id=request_id,
        today=clock.today(),
    )
    for owner in owners:
        if owner.approved:
            found[owner.id].approved_by.append(owner.user_id)
        elif owner.eligible:
            found[owner.id].eligible.append(owner.user_id)
    return list(found.values())
