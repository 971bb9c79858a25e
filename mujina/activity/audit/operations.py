"""Writing the audit log: in the transaction of the change, from its event."""

from typing import Any, LiteralString

import msgspec

from mujina.activity.audit.kinds import entries
from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import Event
from mujina.kernel.http.requests.log import current_address

_INSERT: LiteralString = """
    INSERT INTO audit_events (author_id, entity_type, entity_id, entity_path, target_details, details, created_at)
    VALUES (:author_id, :entity_type, :entity_id,
        coalesce(CAST(:entity_path AS text), CASE :entity_type
            WHEN 'Project' THEN (SELECT r.path FROM routes r WHERE r.project_id = :entity_id)
            WHEN 'User' THEN (SELECT u.username FROM users u WHERE u.id = :entity_id)
            WHEN 'Instance' THEN ''
            ELSE (SELECT r.path FROM routes r WHERE r.namespace_id = :entity_id) END, ''),
        coalesce(CAST(:target_details AS text), CASE :target_type
            WHEN 'Project' THEN (SELECT r.path FROM routes r WHERE r.project_id = :target_id)
            WHEN 'User' THEN (SELECT u.username FROM users u WHERE u.id = :target_id)
            WHEN 'DeployKey' THEN (SELECT k.title FROM ssh_keys k WHERE k.id = :target_id)
            WHEN 'ProtectedBranch' THEN (SELECT b.name FROM protected_branches b WHERE b.id = :target_id)
            WHEN 'Group' THEN (SELECT r.path FROM routes r WHERE r.namespace_id = :target_id)
            WHEN 'Namespace' THEN (SELECT r.path FROM routes r WHERE r.namespace_id = :target_id) END, ''),
        :details, :created_at)
"""


async def write_audit_events(tx: Tx, event: Event) -> None:
    """The log tells who changed what, from which address; it is never changed afterward, and contains no secret."""
    found = entries(event)
    if not found:
        return
    actor = event.actor
    common: dict[str, Any] = {
        "event_name": event.kind,
        "author_name": actor.name or actor.username,
        "author_username": actor.username,
        "ip_address": current_address.get(),
    }
    if actor.impersonator_id is not None:
        common["impersonator_id"] = actor.impersonator_id
    await tx.run_each(
        _INSERT,
        [
            {
                "author_id": event.actor_id,
                "entity_type": entry.entity_type,
                "entity_id": entry.entity_id,
                "entity_path": entry.entity_path,
                "target_type": entry.target_type,
                "target_id": entry.target_id,
                "target_details": entry.target_details,
                "details": msgspec.json.encode(
                    {**entry.action, **common, "target_id": entry.target_id, "target_type": entry.target_type}
                ).decode(),
                "created_at": event.created_at,
            }
            for entry in found
        ],
    )
