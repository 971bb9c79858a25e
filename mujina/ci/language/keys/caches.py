"""`cache`."""

from typing import Final

from mujina.ci.language.config import CacheEntry
from mujina.ci.language.problems import ConfigSection, Location
from mujina.ci.language.yaml.values import Map, Value

MAX_CACHES: Final = 4
_KEYS: Final = ("key", "untracked", "paths", "policy", "when", "fallback_keys", "unprotect")
_POLICIES: Final = ("pull-push", "push", "pull")
_WHEN: Final = ("on_success", "on_failure", "always")


def read_caches(section: ConfigSection) -> list[CacheEntry] | None:
    """The caches, one or a list; None if the key is absent."""
    value = section.get("cache")
    if value is None:
        return None
    location = section.at("cache")
    entries = value if isinstance(value, list) else [value]
    if len(entries) > MAX_CACHES:
        location.config_error(f"should have at most {MAX_CACHES} caches")
        return []
    caches = [_read_cache(location, entry) for entry in entries]
    return [cache for cache in caches if cache is not None]


def _read_cache(location: Location, value: Value) -> CacheEntry | None:
    cache = location.section(value, _KEYS)
    if cache is None:
        return None
    policy, when = _policy(cache), cache.choice("when", _WHEN, "on_success, on_failure or always")
    key, files, prefix = _read_key(cache)
    return CacheEntry(
        key=key, key_files=files, key_prefix=prefix, untracked=_untracked(cache), paths=_paths(cache),
        policy=policy or "pull-push", when=when or "on_success", fallback_keys=cache.texts("fallback_keys") or [],
    )  # fmt: skip


def _policy(cache: ConfigSection) -> str | None:
    value = cache.get("policy")
    if isinstance(value, str) and value.startswith("$"):  # the runner expands it
        return value
    return cache.choice("policy", _POLICIES, "pull-push, push, or pull")


def _untracked(cache: ConfigSection) -> bool:
    value = cache.get("untracked")
    if value is not None and not isinstance(value, bool):
        cache.at("untracked").config_error("should be a boolean value")
    return value is True


def _paths(cache: ConfigSection) -> list[str]:
    value = cache.get("paths")
    return [] if value is None else cache.at("paths").texts(value)


def _read_key(cache: ConfigSection) -> tuple[str, list[str], str | None]:
    """The key, the files whose content is part of it, and what precedes those."""
    value, location = cache.get("key"), cache.at("key")
    if value is None:
        return "default", [], None
    if isinstance(value, Map):
        key = location.section(value, ("files", "prefix"))
        files = (key.texts("files") if key else None) or []
        if not files:
            location.error("files should be an array of strings")
        return "default", files, key.text("prefix") if key else None
    if not isinstance(value, str):
        location.config_error("should be a string or symbol")
        return "default", [], None
    if "/" in value:
        location.config_error('cannot contain the "/" character')
    elif value in (".", ".."):
        location.config_error('cannot be "." or ".."')
    return value, [], None
