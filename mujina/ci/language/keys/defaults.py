"""Keys that jobs share: set for all jobs at the top of the file or under `default`, and `inherit`, which leaves them out."""

from typing import Final

import msgspec

from mujina.ci.language.config import ArtifactsEntry, CacheEntry, ContainerImage, Opaque, RetryPolicy, ServiceContainer
from mujina.ci.language.keys.artifacts import read_artifacts
from mujina.ci.language.keys.caches import read_caches
from mujina.ci.language.keys.images import read_image, read_services
from mujina.ci.language.keys.retries import read_retry
from mujina.ci.language.keys.scripts import read_commands
from mujina.ci.language.problems import ConfigSection
from mujina.ci.language.yaml.values import texts_in

GLOBAL_DEFAULTS: Final = ("image", "services", "before_script", "after_script", "cache")
"""The keys that may stand at the top of the file."""
DEFAULT_KEYS: Final = (
    *GLOBAL_DEFAULTS, "tags", "artifacts", "retry", "timeout", "interruptible", "hooks", "id_tokens", "identity",
)  # fmt: skip
REFUSED: Final = {
    "id_tokens": "the instance issues no tokens for jobs, use variables of the project or group",
    "identity": "the instance issues no tokens for jobs, use variables of the project or group",
}
"""Keys without which a job would run and fail: the error says so before."""


class SharedKeys(msgspec.Struct, frozen=True, kw_only=True):
    """The keys that jobs share, each None if it is absent."""

    image: ContainerImage | None = None
    services: list[ServiceContainer] | None = None
    before_script: list[str] | None = None
    after_script: list[str] | None = None
    cache: list[CacheEntry] | None = None
    tags: list[str] | None = None
    artifacts: ArtifactsEntry | None = None
    retry: RetryPolicy | None = None
    timeout: int | None = None
    interruptible: bool | None = None
    hooks: Opaque | None = None

    def over(self, other: "SharedKeys") -> "SharedKeys":
        """These keys, with those of the other where they are absent."""
        return SharedKeys(
            **{
                name: getattr(other, name) if getattr(self, name) is None else getattr(self, name)
                for name in self.__struct_fields__
            }
        )

    def only(self, names: "Inherited") -> "SharedKeys":
        """Those of the keys that a job inherits."""
        return SharedKeys(**{name: getattr(self, name) for name in self.__struct_fields__ if names.has(name)})


class Inherited(msgspec.Struct, frozen=True):
    """Which names a job inherits: all, or only these."""

    names: frozenset[str] | None = None

    def has(self, name: str) -> bool:
        return self.names is None or name in self.names


def read_shared(section: ConfigSection, plain: SharedKeys) -> SharedKeys:
    """The keys as they stand at the top of the file, under `default` or in a job; those with plain values are given."""
    return msgspec.structs.replace(
        plain,
        before_script=read_commands(section, "before_script"),
        after_script=read_commands(section, "after_script"),
        cache=read_caches(section),
        image=read_image(section),
        services=read_services(section),
        artifacts=read_artifacts(section),
        hooks=_read_hooks(section),
    )


def _read_hooks(section: ConfigSection) -> Opaque | None:
    """The scripts that a runner executes at certain times."""
    value = section.get("hooks")
    if value is None:
        return None
    hooks = section.at("hooks").section(value, ("pre_get_sources_script",))
    script = hooks.text_or_texts("pre_get_sources_script") if hooks else None
    return {"pre_get_sources_script": script} if script else None


def read_global_defaults(root: ConfigSection) -> SharedKeys:
    """The keys at the top of the file, in the order in which their errors are shown."""
    return SharedKeys(
        image=read_image(root),
        services=read_services(root),
        before_script=read_commands(root, "before_script"),
        after_script=read_commands(root, "after_script"),
    )


def read_default(root: ConfigSection) -> SharedKeys:
    """The keys under `default`."""
    value = root.get("default")
    if value is None:
        return SharedKeys()
    default = root.at("default").section(value, DEFAULT_KEYS)
    if default is None:
        return SharedKeys()
    default.refuse(REFUSED)
    for key in GLOBAL_DEFAULTS:
        if root.has(key) and default.has(key):
            default.error(key, "is defined both at the top level and in default")
    plain = SharedKeys(
        tags=default.texts("tags"),
        retry=read_retry(default),
        timeout=default.seconds("timeout"),
        interruptible=default.boolean("interruptible"),
    )
    return read_shared(default, plain)


def read_inherit(section: ConfigSection) -> tuple[Inherited, Inherited]:
    """Which defaults and which variables of the file a job inherits."""
    value = section.get("inherit")
    if value is None:
        return Inherited(), Inherited()
    inherit = section.at("inherit").section(value, ("default", "variables"))
    if inherit is None:
        return Inherited(), Inherited()
    return _inherited(inherit, "default"), _inherited(inherit, "variables")


def _inherited(inherit: ConfigSection, key: str) -> Inherited:
    value = inherit.get(key)
    if value is None or value is True:
        return Inherited()
    names = texts_in(value)
    if names is None and value is not False:
        inherit.error(key, "should be a boolean value or an array of strings")
    return Inherited(frozenset(names or ()))
