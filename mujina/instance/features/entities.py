"""Features as they are shown."""

from typing import Any

import msgspec

from mujina.kernel.db.transaction import Tx

_LISTS = ("actors", "groups")


class Gate(msgspec.Struct):
    key: str
    value: Any


class Feature(msgspec.Struct):
    name: str
    state: str
    """`on` or `off` for every user, or `conditional`."""
    gates: list[Gate]


async def all_features(tx: Tx) -> list[Feature]:
    """Every feature that was ever set, by name."""
    rows = await tx.rows(
        tuple[str, str, str], "SELECT f.name, f.gate, f.value FROM feature_gates f ORDER BY f.name, f.gate, f.value"
    )
    features: dict[str, list[tuple[str, str]]] = {}
    for name, gate, value in rows:
        features.setdefault(name, []).append((gate, value))
    return [_to_entity(name, gates) for name, gates in features.items()]


async def load_one(tx: Tx, name: str) -> Feature:
    rows = await tx.rows(
        tuple[str, str],
        "SELECT f.gate, f.value FROM feature_gates f WHERE f.name = :name ORDER BY f.gate, f.value",
        name=name,
    )
    return _to_entity(name, rows)


def _to_entity(name: str, rows: list[tuple[str, str]]) -> Feature:
    on = ("boolean", "true") in rows
    gates = [Gate("boolean", on)]
    gates += [Gate("percentage_of_time", int(value)) for gate, value in rows if gate == "percentage_of_time"]
    gates += [Gate(key, values) for key in _LISTS if (values := [value for gate, value in rows if gate == key])]
    return Feature(name, "on" if on else "conditional" if len(gates) > 1 else "off", gates)
