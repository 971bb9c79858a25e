"""The application settings as fields of a form: in sections, each with its sentence."""

from typing import Any, Final, Literal

import msgspec

from mujina.instance.application_settings.descriptions import EFFECTIVE
from mujina.instance.application_settings.params import ApplicationSettings
from mujina.kernel.http.params import Field, fields_of
from mujina.kernel.permissions.levels import VISIBILITIES

FieldKind = Literal["check", "number", "text", "area", "list", "choice", "levels"]
_STARTS: Final = {
    "signup_enabled": "Users and signing in",
    "rsa_key_restriction": "SSH keys",
    "default_project_visibility": "Projects and groups",
    "home_page_url": "Texts, pages and mail",
}
"""The first setting of each section; the others follow in the order of their declaration."""
_AREAS: Final = frozenset({"after_sign_up_text", "sign_in_text", "help_page_text", "shared_runners_text"})
_WORDS: Final = {
    "url": "URL", "rsa": "RSA", "dsa": "DSA", "ecdsa": "ECDSA", "ed25519": "ED25519", "oauth": "OAuth", "html": "HTML",
    "git": "Git", "sk": "SK",
}  # fmt: skip
_LABELS: Final = {
    "default_branch_protection": {0: "Not protected", 1: "No force push or deletion", 2: "Only masters can push"},
    "enabled_git_access_protocol": {"": "Both SSH and HTTP", "ssh": "Only SSH", "http": "Only HTTP"},
}


class SettingField(msgspec.Struct, frozen=True):
    """A setting as the form shows it."""

    name: str
    title: str
    kind: FieldKind
    help: str
    value: Any
    options: list[tuple[Any, str]]


class SettingsSection(msgspec.Struct, frozen=True):
    """Settings that are saved together."""

    title: str
    fields: list[SettingField]


def sections(current: ApplicationSettings) -> list[SettingsSection]:
    """Every setting that has an effect, with its value. The others are for clients that store them."""
    found: list[SettingsSection] = []
    for field in fields_of(ApplicationSettings):
        if title := _STARTS.get(field.name):
            found.append(SettingsSection(title, []))
        if effect := EFFECTIVE.get(field.name):
            found[-1].fields.append(_to_field(field, effect, getattr(current, field.attribute)))
    return found


def _to_field(field: Field, effect: str, value: Any) -> SettingField:
    name = field.name
    words = [_WORDS.get(word, word) for word in name.split("_")]
    title = " ".join([words[0][:1].upper() + words[0][1:], *words[1:]])
    text = f"{effect[:1].upper()}{effect[1:]}.".replace("`", "")
    return SettingField(
        name=name, title=title, kind=_kind(field), help=text, value=_spelled(value), options=_options(field)
    )


def _kind(field: Field) -> FieldKind:
    if field.name == "restricted_visibility_levels":
        return "levels"
    if "enum" in field.form.schema:
        return "choice"
    kinds: dict[str, FieldKind] = {"boolean": "check", "integer": "number", "array": "list"}
    return kinds.get(field.form.schema["type"], "area" if field.name in _AREAS else "text")


def _options(field: Field) -> list[tuple[Any, str]]:
    if field.name == "restricted_visibility_levels":
        return [(level, level.capitalize()) for level in VISIBILITIES]
    if field.name in _LABELS:
        return list(_LABELS[field.name].items())
    return [(option, str(option).capitalize()) for option in field.form.schema.get("enum", ())]


def _spelled(value: Any) -> Any:
    return "" if value is None else value
