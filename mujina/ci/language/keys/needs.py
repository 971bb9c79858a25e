"""`needs` and `dependencies`: which jobs a job waits for, and whose artifacts it gets."""

from typing import Final

from mujina.ci.language.config import Need
from mujina.ci.language.keys.parallel import read_matrix
from mujina.ci.language.problems import ConfigSection, Location
from mujina.ci.language.yaml.values import Map, Value

MAX_NEEDS: Final = 50
_REFUSED: Final = {"pipeline": "a job gets no files of another pipeline of its project"}
_KEYS: Final = ("job", "artifacts", "optional", "project", "ref", "pipeline", "parallel")


def read_needs(section: ConfigSection) -> list[Need] | None:
    """The needs; None if the key is absent, which differs from an empty list."""
    value = section.get("needs")
    if value is None:
        return None
    location = section.at("needs")
    entries = _flattened(value)
    if len(entries) > MAX_NEEDS:
        location.config_error(f"has too many entries (maximum {MAX_NEEDS})")
        return []
    needs = [_read_need(location, entry) for entry in entries]
    if None in needs:
        location.config_error("should be an array of strings or hashes")
    return [need for need in needs if need is not None]


def _flattened(value: Value) -> list[Value]:
    """The entries, with lists inside the list (as references leave them) flattened once."""
    entries = value if isinstance(value, list) else [value]
    return [inner for entry in entries for inner in (entry if isinstance(entry, list) else [entry])]


def _read_need(location: Location, value: Value) -> Need | None:
    if isinstance(value, str):
        return Need(job=value)
    if not isinstance(value, Map):
        return None
    need = ConfigSection(Location(location.findings, (*location.path, "need"), location.mark), value)
    need.check_keys(_KEYS)
    need.refuse(_REFUSED)
    job = need.text("job")
    for key in ("job", "ref") if need.has("project") else ("job",):
        if not need.has(key) and not need.has("pipeline"):
            need.error(key, "can't be blank")
    artifacts, optional = need.boolean("artifacts"), need.boolean("optional")
    return Need(
        job=job or "", artifacts=artifacts is not False, optional=optional is True, project=need.text("project"),
        ref=need.text("ref"), instances=_read_instances(need),
    )  # fmt: skip


def _read_instances(need: ConfigSection) -> list[dict[str, str]] | None:
    value = need.get("parallel")
    if value is None:
        return None
    return read_matrix(need.at("parallel"), value)
