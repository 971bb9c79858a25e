"""Settings from `mujina.toml`, the environment and flags: one schema, later wins, and what is wrong is named."""

import os
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any, get_args, get_type_hints

import msgspec

from mujina.settings import Settings

FILE = "mujina.toml"
PREFIX = "MUJINA_"
KINDS: Mapping[str, Any] = get_type_hints(Settings, include_extras=True)


class BadSetting(Exception):
    """A setting that cannot be used; the text says which and what is expected."""


class Effective(msgspec.Struct, frozen=True):
    """The settings in force, and for each of them where it came from."""

    settings: Settings
    sources: Mapping[str, str]


def load(
    flags: Mapping[str, str | None], *, config: str | None = None, environment: Mapping[str, str] = os.environ
) -> Effective:
    """The effective settings: defaults, then the file, then `MUJINA_…`, then flags."""
    values = _from_environment(environment) | _from_flags(flags)
    named = config or environment.get(f"{PREFIX}CONFIG")
    folder = values["data"][0] if "data" in values else Settings().data
    values = _from_file(Path(named) if named else folder / FILE, required=bool(named)) | values
    settings = Settings(**{name: value for name, (value, _) in values.items()})
    settings = msgspec.structs.replace(settings, data=settings.data.absolute())
    sources = {name: values[name][1] if name in values else "default" for name in KINDS}
    return Effective(settings, sources)


def describe(name: str) -> str:
    """The sentence of a setting."""
    return next(meta.description for meta in reversed(_notes(name)) if meta.description)


def is_secret(name: str) -> bool:
    """Whether the value of a setting may not be printed."""
    return any((meta.extra or {}).get("secret") for meta in _notes(name))


def variable(name: str) -> str:
    """The environment variable of a setting."""
    return PREFIX + name.upper()


def unknown_variables(environment: Mapping[str, str] = os.environ) -> list[str]:
    """Variables with our prefix that are no settings: most often a typing mistake."""
    known = {variable(name) for name in KINDS} | {f"{PREFIX}CONFIG"}
    return sorted(name for name in environment if name.startswith(PREFIX) and name not in known)


Sources = dict[str, tuple[Any, str]]


def _from_environment(environment: Mapping[str, str]) -> Sources:
    """An empty variable counts as unset: compose files pass those on."""
    texts = {name: environment.get(variable(name)) for name in KINDS}
    return {name: _convert(name, text, variable(name)) for name, text in texts.items() if text}


def _from_flags(flags: Mapping[str, str | None]) -> Sources:
    return {
        name: _convert(name, text, "--" + name.replace("_", "-")) for name, text in flags.items() if text is not None
    }


def _from_file(path: Path, *, required: bool) -> Sources:
    try:
        values = tomllib.loads(path.read_text("utf-8"))
    except (FileNotFoundError, NotADirectoryError):
        if required:
            raise BadSetting(f"There is no file {path}: give another --config, or none.") from None
        return {}
    except OSError as trouble:
        raise BadSetting(f"{path} cannot be read: {trouble.strerror}.") from None
    except ValueError as trouble:
        raise BadSetting(f"{path} is not TOML: {trouble}.") from None
    if unknown := sorted(set(values) - set(KINDS)):
        raise BadSetting(f"{path}: {unknown[0]} is not a setting; `mujina config show` prints those that are.")
    return {name: _convert(name, value, f"{path}", folder=path.parent) for name, value in values.items()}


def _convert(name: str, value: object, source: str, folder: Path = Path()) -> tuple[Any, str]:
    """The value as the type of its field, or an error that names the key and what is expected."""
    if isinstance(value, str) and get_args(KINDS[name])[0] == tuple[str, ...]:
        value = [word.strip() for word in value.split(",") if word.strip()]

    def path(_: type, text: object) -> Path:
        return folder / msgspec.convert(text, str)

    notes = _notes(name)
    try:
        fitting: Any = msgspec.convert(value, KINDS[name], strict=not isinstance(value, str), dec_hook=path)
        for check in (note.extra["each"] for note in notes if note.extra and "each" in note.extra):
            for word in fitting:
                check(word)
        return fitting, source
    except ValueError:  # msgspec's ValidationError is one
        expected = next(note.title for note in notes if note.title)
        got = "" if is_secret(name) else f", not {value!r}"
        raise BadSetting(f"{source}: {name} must be {expected}{got}.") from None


def _notes(name: str) -> list[msgspec.Meta]:
    """Every note on the type of a setting, the innermost first."""

    def gather(kind: Any) -> list[msgspec.Meta]:
        inner = [note for part in get_args(kind) if not isinstance(part, msgspec.Meta) for note in gather(part)]
        return inner + [part for part in get_args(kind) if isinstance(part, msgspec.Meta)]

    return gather(KINDS[name])
