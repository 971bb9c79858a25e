"""`parallel`: a job that runs several times, by number or with each combination of a matrix."""

from itertools import product
from math import prod
from typing import Final

import msgspec

from mujina.ci.language.config import FileVariable, JobConfig, Parallel
from mujina.ci.language.problems import ConfigSection, Location
from mujina.ci.language.yaml.values import Map, Value

MAX_INSTANCES: Final = 200


def read_parallel(section: ConfigSection) -> list[Parallel] | None:
    """The instances of a job; None if it runs once."""
    value = section.get("parallel")
    if value is None:
        return None
    if isinstance(value, Map):
        combinations = read_matrix(section.at("parallel"), value)
        total = len(combinations)
        return [Parallel(index + 1, total, variables) for index, variables in enumerate(combinations)] or None
    if isinstance(value, bool) or not isinstance(value, int | float):
        section.error("parallel", "is not a number")
    elif not isinstance(value, int):
        section.error("parallel", "must be an integer")
    elif value < 1:
        section.error("parallel", "must be greater than or equal to 1")
    elif value > MAX_INSTANCES:
        section.error("parallel", f"must be less than or equal to {MAX_INSTANCES}")
    else:
        return [Parallel(index + 1, value) for index in range(value)]
    return None


def read_matrix(location: Location, value: Value) -> list[dict[str, str]]:
    """Every combination of the values of each entry of the matrix."""
    section = location.section(value, ("matrix",))
    entries = section.get("matrix") if section else None
    if not isinstance(entries, list):
        if section is not None:
            location.error("matrix should be an array of hashes")
        return []
    combinations: list[dict[str, str]] = []
    for entry in entries:
        axes = _axes(entry)
        if axes is None:
            location.error("matrix should be an array of hashes with texts or arrays of texts")
            return []
        if len(combinations) + prod(map(len, axes.values())) > MAX_INSTANCES:
            location.error(f"matrix generates too many jobs (maximum is {MAX_INSTANCES})")
            return []
        combinations += [dict(zip(axes, values, strict=True)) for values in product(*axes.values())]
    return combinations


def _axes(entry: Value) -> dict[str, list[str]] | None:
    """The values of each variable; None if the entry has another shape."""
    if not isinstance(entry, Map) or not entry:
        return None
    axes: dict[str, list[str]] = {}
    for name, value in entry.items():
        values = value if isinstance(value, list) else [value]
        texts = [str(each) for each in values if isinstance(each, str | int) and not isinstance(each, bool)]
        if len(texts) != len(values) or not texts:
            return None
        axes[name] = texts
    return axes


def instance_name(name: str, instance: Parallel) -> str:
    """`rspec 1/5`, or `deploy: [aws, eu]` for a matrix."""
    if instance.variables:
        return f"{name}: [{', '.join(instance.variables.values())}]"
    return f"{name} {instance.index}/{instance.total}"


def expand_parallel(job: JobConfig, instances: list[Parallel] | None) -> list[JobConfig]:
    """The job once for each instance."""
    if instances is None:
        return [job]
    return [
        msgspec.structs.replace(
            job,
            name=instance_name(job.name, instance),
            parallel=instance,
            variables={**job.variables, **{name: FileVariable(text) for name, text in instance.variables.items()}},
        )
        for instance in instances
    ]
