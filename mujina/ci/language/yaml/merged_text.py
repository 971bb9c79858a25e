"""A configuration as YAML, after includes, bases and references were put in their places."""

from typing import Any

from mujina.ci.language.yaml.values import Map, ReferenceTag, Value
from mujina.kernel import deferred_imports


def merged_text(root: Map) -> str:
    """The text, in the order of the file. The size of the configuration was checked before."""
    yaml = deferred_imports.yaml()
    return yaml.dump(plain(root), Dumper=yaml.CSafeDumper, sort_keys=False, allow_unicode=True, explicit_start=True)


def plain(value: Value) -> Any:
    """The value as plain lists and dictionaries, none of which is shared: so no aliases are written."""
    if isinstance(value, Map):
        return {key: plain(inner) for key, inner in value.items()}
    if isinstance(value, ReferenceTag):
        return list(value.keys)
    if isinstance(value, list):
        return [plain(inner) for inner in value]
    return value
