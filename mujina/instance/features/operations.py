"""What happens to features."""

from mujina.instance.features.params import SetFeature
from mujina.kernel import errors
from mujina.kernel.actor import Actor
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import Problems
from mujina.kernel.events import record
from mujina.kernel.text import fold

_MAX_LENGTH = 255
_ALL = 100


async def put(tx: Tx, actor: Actor, name: str, change: SetFeature) -> None:
    """The feature is on for these from now on, or off for them."""
    problems = Problems()
    problems.require("name", name)
    problems.limit("name", name, _MAX_LENGTH)
    problems.limit("feature_group", change.feature_group or None, _MAX_LENGTH)
    problems.refuse()
    targets = await _targets(tx, change)
    word = change.value.strip().lower()
    if targets:
        for gate, value in targets:
            await (_open(tx, name, gate, value) if word == "true" else _shut(tx, name, gate, value))
    elif word == "true":
        await _open(tx, name, "boolean", "true")
    elif word.isascii() and word.isdigit() and int(word[:4]) <= _ALL:
        await _shut_all(tx, name, "percentage_of_time")
        await _open(tx, name, "percentage_of_time", str(int(word)))
    elif word == "false":
        await _shut_all(tx, name)
    else:
        raise errors.unacceptable("value is invalid")
    await _open(tx, name, "known", "")
    await record(tx, "feature.set", actor, subject_id=0, changes={"name": (None, name), "value": (None, word)})


async def _targets(tx: Tx, change: SetFeature) -> list[tuple[str, str]]:
    """The gates of those who are named; somebody who is not there is nobody."""
    found: list[tuple[str, str]] = []
    if change.feature_group:
        found.append(("groups", change.feature_group))
    if change.user:
        user_id = await tx.value(
            "SELECT u.id FROM users u WHERE u.username_folded = :name AND u.deleted_at IS NULL", name=fold(change.user)
        )
        if user_id is None:
            raise errors.not_found("User")
        found.append(("actors", f"User:{user_id}"))
    return found


async def _open(tx: Tx, name: str, gate: str, value: str) -> None:
    await tx.run(
        "INSERT INTO feature_gates (name, gate, value) VALUES (:name, :gate, :value) ON CONFLICT DO NOTHING",
        name=name, gate=gate, value=value,
    )  # fmt: skip


async def _shut(tx: Tx, name: str, gate: str, value: str) -> None:
    await tx.run(
        "DELETE FROM feature_gates WHERE name = :name AND gate = :gate AND value = :value",
        name=name, gate=gate, value=value,
    )  # fmt: skip


async def _shut_all(tx: Tx, name: str, gate: str | None = None) -> None:
    await tx.run(
        "DELETE FROM feature_gates WHERE name = :name AND gate = coalesce(CAST(:gate AS text), gate)",
        name=name, gate=gate,
    )  # fmt: skip
