"""`variables`, and the expansion of `$NAME` that the server does itself."""

from collections.abc import Mapping
from typing import Final

from mujina.ci.language.config import FileVariable
from mujina.ci.language.problems import ConfigSection
from mujina.ci.language.yaml.values import Map, Value
from mujina.kernel.text.deferred_patterns import deferred_pattern

_KEYS: Final = frozenset({"value", "description", "options", "expand"})
_NAME = deferred_pattern(r"\$\{?([A-Za-z_][A-Za-z0-9_]*)\}?")
_USE = deferred_pattern(rf"{_NAME.pattern}|%([A-Za-z_][A-Za-z0-9_]*)%")
MAX_EXPANDED: Final = 1_024
"""Characters of an expanded text; no name or address may be as long."""


def read_variables(section: ConfigSection) -> dict[str, FileVariable]:
    """The variables: texts or whole numbers, or mappings with a `value`."""
    value = section.get("variables")
    if value is None:
        return {}
    found = {name: _variable(each) for name, each in value.items()} if isinstance(value, Map) else {"": None}
    variables = {name: variable for name, variable in found.items() if variable is not None}
    if len(variables) < len(found):
        section.at("variables").config_error("should be a hash of key value pairs")
    return variables


def _variable(value: Value) -> FileVariable | None:
    if isinstance(value, Map):
        text = _text(value.get("value", ""))
        description, options, expand = value.get("description"), value.get("options"), value.get("expand")
        if text is None or not _KEYS.issuperset(value):
            return None
        return FileVariable(
            value=text,
            description=description if isinstance(description, str) else None,
            options=[str(option) for option in options] if isinstance(options, list) else None,
            expand=expand is not False,
        )
    text = _text(value)
    return None if text is None else FileVariable(text)


def _text(value: Value) -> str | None:
    if isinstance(value, str):
        return value
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else None


def expand_names(text: str, variables: Mapping[str, str]) -> str:
    """The text with `$NAME` and `${NAME}` replaced; a percent sign is part of an address."""
    return _NAME.sub(lambda use: variables.get(use[1], "")[:MAX_EXPANDED], text)


def expand(text: str, variables: Mapping[str, str]) -> str:
    """The text with `$NAME`, `${NAME}` and `%NAME%` replaced; unknown variables become empty."""
    return _USE.sub(lambda use: variables.get(use[1] or use[2], "")[:MAX_EXPANDED], text)
