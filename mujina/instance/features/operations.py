"""Setting features."""

from mujina.instance.features.params import SetFeature
from mujina.kernel import errors
from mujina.kernel.db.rows import insert
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import Problems
from mujina.kernel.events import record
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.text.folding import fold

_MAX_LENGTH = 255
_MAX_PERCENTAGE = 100


async def put(tx: Tx, actor: Actor, name: str, change: SetFeature) -> None:
    """Turn the feature on or off for the users that the request names, or for all."""
    problems = Problems()
    problems.require("name", name, _MAX_LENGTH)
    problems.limit("feature_group", change.feature_group or None, _MAX_LENGTH)
    problems.refuse()
    targets = await _targets(tx, change)
    value = change.value.strip().lower()
    if targets:
        for gate, target in targets:
            await (_add_gate if value == "true" else _remove_gate)(tx, name, gate, target)
    elif value == "true":
        await _add_gate(tx, name, "boolean", "true")
    elif value.isascii() and value.isdigit() and len(value) < 10 and int(value) <= _MAX_PERCENTAGE:
        await _remove_gates(tx, name, "percentage_of_time")
        await _add_gate(tx, name, "percentage_of_time", str(int(value)))
    elif value == "false":
        await _remove_gates(tx, name)
    else:
        raise errors.unacceptable("value is invalid")
    await _add_gate(tx, name, "known", "")
    await record(tx, "feature.set", actor, subject_id=0, changes={"name": (None, name), "value": (None, value)})


async def _targets(tx: Tx, change: SetFeature) -> list[tuple[str, str]]:
    """The gates of the user and the group that the request names; 404 if the user does not exist."""
    targets: list[tuple[str, str]] = []
    if change.feature_group:
        targets.append(("groups", change.feature_group))
    if change.user:
        user_id = await tx.value(
            "SELECT u.id FROM users u WHERE u.username_folded = :name AND u.deleted_at IS NULL", name=fold(change.user)
        )
        if user_id is None:
            raise errors.not_found("User")
        targets.append(("actors", f"User:{user_id}"))
    return targets


async def _add_gate(tx: Tx, name: str, gate: str, value: str) -> None:
    await insert(tx, "feature_gates", "ON CONFLICT DO NOTHING", name=name, gate=gate, value=value)


async def _remove_gate(tx: Tx, name: str, gate: str, value: str) -> None:
    await tx.run(
        "DELETE FROM feature_gates WHERE name = :name AND gate = :gate AND value = :value",
        name=name,
        gate=gate,
        value=value,
    )


async def _remove_gates(tx: Tx, name: str, gate: str | None = None) -> None:
    await tx.run(
        "DELETE FROM feature_gates WHERE name = :name AND gate = coalesce(CAST(:gate AS text), gate)",
        name=name,
        gate=gate,
    )
