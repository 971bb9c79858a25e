"""Settings from `mujina.toml`, the environment and flags: one schema, later wins, and what is wrong is named."""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import Any, cast, get_args, get_type_hints

import msgspec

from mujina.directory_settings import AttributeNames, Directory
from mujina.kernel import deferred_imports
from mujina.settings import Settings

FILE = "mujina.toml"
PREFIX = "MUJINA_"
MOVE_IN_TOKEN = f"{PREFIX}MOVE_IN_TOKEN"
"""The variable with the token of the source of `mujina move-in`, which is no setting."""
KINDS: Mapping[str, Any] = get_type_hints(Settings, include_extras=True)
DIRECTORY_KINDS: Mapping[str, Any] = {
    name: kind
    for name, kind in get_type_hints(Directory, include_extras=True).items()
    if name not in ("id", "attributes")
} | {f"attributes.{name}": kind for name, kind in get_type_hints(AttributeNames, include_extras=True).items()}
"""The keys of a table `[ldap.ID]`."""
_DIRECTORY_ID = re.compile(r"[a-z0-9]+")


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
    folder = values["data"][0] if "data" in values else Settings().data
    path = settings_file(folder, config, environment)
    values = _from_file(path, required=path != folder / FILE) | values
    directories = {**values.pop("ldap", ({}, ""))[0]}
    for id, keys in _directories_from_environment(environment).items():
        directories[id] = directories.get(id, {}) | keys
    settings = Settings(**{name: value for name, (value, _) in values.items()}, ldap=_directories(directories))
    settings = msgspec.structs.replace(settings, data=settings.data.absolute())
    sources = {name: values[name][1] if name in values else "default" for name in KINDS}
    for id, keys in directories.items():
        sources |= {f"ldap.{id}.{key}": keys[key][1] if key in keys else "default" for key in DIRECTORY_KINDS}
    return Effective(settings, sources)


def settings_file(data: Path, config: str | None, environment: Mapping[str, str] = os.environ) -> Path:
    """The file that settings are read from."""
    return Path(config or environment.get(f"{PREFIX}CONFIG") or data / FILE)


def describe(name: str) -> str:
    """The sentence of a setting, or of a key of a directory."""
    return next(meta.description for meta in reversed(_notes(_kind(name))) if meta.description)


def is_secret(name: str) -> bool:
    """Whether the value of a setting may not be printed."""
    return any((meta.extra or {}).get("secret") for meta in _notes(_kind(name)))


def _kind(name: str) -> Any:
    return KINDS[name] if name in KINDS else DIRECTORY_KINDS[name]


def variable(name: str) -> str:
    """The environment variable of a setting."""
    return PREFIX + name.upper()


def unknown_variables(environment: Mapping[str, str] = os.environ) -> list[str]:
    """Variables with our prefix that are no settings: most often a typing mistake."""
    known = {variable(name) for name in KINDS} | {f"{PREFIX}CONFIG", MOVE_IN_TOKEN}
    known |= {name for name in environment if _directory_key(name)}
    return sorted(name for name in environment if name.startswith(PREFIX) and name not in known)


Sources = dict[str, tuple[Any, str]]


def _from_environment(environment: Mapping[str, str]) -> Sources:
    """An empty variable counts as unset: compose files pass those on."""
    texts = {name: environment.get(variable(name)) for name in KINDS if name != "ldap"}
    return {name: _convert(name, text, variable(name)) for name, text in texts.items() if text}


def _from_flags(flags: Mapping[str, str | None]) -> Sources:
    return {
        name: _convert(name, text, "--" + name.replace("_", "-")) for name, text in flags.items() if text is not None
    }


def _from_file(path: Path, *, required: bool) -> Sources:
    try:
        text = path.read_text("utf-8")
        values = deferred_imports.tomllib().loads(text)
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
    directories = _directories_from_file(values.pop("ldap", {}), path)
    found = {name: _convert(name, value, f"{path}", folder=path.parent) for name, value in values.items()}
    return found | {"ldap": (directories, f"{path}")}


def _directories_from_file(tables: object, path: Path) -> dict[str, Sources]:
    """The keys of each table `[ldap.ID]`, by id."""
    found = dict[str, Sources]()
    for id, table in _items(tables, path, "ldap"):
        if not _DIRECTORY_ID.fullmatch(id):
            raise BadSetting(f"{path}: the id of a directory must be of small letters and digits, not {id!r}.")
        keys = dict[str, object](_items(table, path, f"ldap.{id}"))
        keys |= {f"attributes.{key}": value for key, value in _items(keys.pop("attributes", {}), path, "attributes")}
        if unknown := sorted(set(keys) - set(DIRECTORY_KINDS)):
            raise BadSetting(f"{path}: ldap.{id}.{unknown[0]} is not a setting of a directory.")
        found[id] = {
            key: _convert(key, value, f"{path}", folder=path.parent, label=f"ldap.{id}.{key}")
            for key, value in keys.items()
        }
    return found


def _items(table: object, path: Path, name: str) -> list[tuple[str, object]]:
    if not isinstance(table, dict):
        raise BadSetting(f"{path}: {name} must be a table such as [ldap.main].")
    return list(cast("dict[str, object]", table).items())


def _directory_key(name: str) -> tuple[str, str] | None:
    """The id and the key that a variable such as `MUJINA_LDAP_MAIN_BIND_PASSWORD` sets."""
    id, _, rest = name.removeprefix(f"{PREFIX}LDAP_").lower().partition("_")
    key = rest.replace("attributes_", "attributes.", 1) if rest.startswith("attributes_") else rest
    if not name.startswith(f"{PREFIX}LDAP_") or key not in DIRECTORY_KINDS or not _DIRECTORY_ID.fullmatch(id):
        return None
    return None if any(variable(setting) == name for setting in KINDS) else (id, key)


def _directories_from_environment(environment: Mapping[str, str]) -> dict[str, Sources]:
    found = dict[str, Sources]()
    for name in sorted(environment):
        if environment[name] and (named := _directory_key(name)):
            id, key = named
            found.setdefault(id, {})[key] = _convert(key, environment[name], name, label=f"ldap.{id}.{key}")
    return found


def _directories(tables: Mapping[str, Sources]) -> tuple[Directory, ...]:
    """The directories, in the order of the file; then those that only the environment has."""
    found = list[Directory]()
    for id, keys in tables.items():
        values = {key: value for key, (value, _) in keys.items()}
        if missing := [key for key in ("url", "base") if not values.get(key)]:
            raise BadSetting(f"ldap.{id}.{missing[0]} must be set.")
        names = {
            key.removeprefix("attributes."): values.pop(key) for key in list(values) if key.startswith("attributes.")
        }
        found.append(Directory(id=id, attributes=AttributeNames(**names), **values))
    return tuple(found)


def _convert(
    name: str, value: object, source: str, folder: Path = Path(), *, label: str | None = None
) -> tuple[Any, str]:
    """The value as the type of its field, or an error that names the key and what is expected."""
    kind = _kind(name)
    if isinstance(value, str) and get_args(kind)[0] == tuple[str, ...]:
        value = [word.strip() for word in value.split(",") if word.strip()]

    def path(_: type, text: object) -> Path:
        return folder / msgspec.convert(text, str)

    notes = _notes(kind)
    try:
        fitting: Any = msgspec.convert(value, kind, strict=not isinstance(value, str), dec_hook=path)
        for extra in (note.extra for note in notes if note.extra):
            for word in fitting if "each" in extra else ():
                extra["each"](word)
            if "check" in extra:
                extra["check"](fitting)
        return fitting, source
    except ValueError:  # msgspec's ValidationError is one
        expected = next(note.title for note in notes if note.title)
        got = "" if is_secret(name) else f", not {value!r}"
        raise BadSetting(f"{source}: {label or name} must be {expected}{got}.") from None


def _notes(kind: Any) -> list[msgspec.Meta]:
    """Every note on the type of a setting, the innermost first."""
    inner = [note for part in get_args(kind) if not isinstance(part, msgspec.Meta) for note in _notes(part)]
    return inner + [part for part in get_args(kind) if isinstance(part, msgspec.Meta)]
