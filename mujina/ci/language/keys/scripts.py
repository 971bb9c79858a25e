"""`script`, `before_script` and `after_script`."""

from mujina.ci.language.problems import ConfigSection
from mujina.ci.language.yaml.values import texts_in


def read_script(section: ConfigSection) -> list[str]:
    """The commands of a job: one text, which may have several lines, or a list."""
    value = section.get("script")
    if value is None or isinstance(value, str):
        return [value] if value else []
    found = texts_in(value)
    if found is None:
        section.at("script").config_error("should be a string or an array of strings")
        return []
    return found


def read_commands(section: ConfigSection, key: str) -> list[str] | None:
    """The commands before or after a script: a list, never a plain text; None if the key is absent."""
    value = section.get(key)
    return None if value is None else section.at(key).texts(value)
