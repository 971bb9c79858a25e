"""`image` and `services`."""

from typing import Final

from mujina.ci.language.config import ContainerImage, Opaque, ServiceContainer
from mujina.ci.language.problems import ConfigSection, Findings, Location
from mujina.ci.language.variables import read_variables
from mujina.ci.language.yaml.values import Map, Mark, Value

_NEWER: Final = ("pull_policy", "docker", "kubernetes")
_EXECUTOR_KEYS: Final = {"docker": ("platform", "user"), "kubernetes": ("user",)}
_PULL_POLICIES: Final = ("always", "if-not-present", "never")
_IMAGE_KEYS: Final = ("name", "entrypoint", *_NEWER)
_SERVICE_KEYS: Final = ("name", "alias", "command", "entrypoint", "variables", *_NEWER)


def read_image(section: ConfigSection) -> ContainerImage | None:
    value = section.get("image")
    if value is None:
        return None
    location = section.at("image")
    if isinstance(value, str):
        return ContainerImage(value)
    image = _section(location, value, _IMAGE_KEYS)
    if image is None:
        return None
    return ContainerImage(_name(image), image.texts("entrypoint"), _options(image))


def read_services(section: ConfigSection) -> list[ServiceContainer] | None:
    """The services; None if the key is absent."""
    value = section.get("services")
    if value is None:
        return None
    location = section.at("services")
    if not isinstance(value, list):
        location.config_error("should be a array")
        return []
    return [_read_service(location.findings, location.mark, entry) for entry in value]


def _read_service(findings: Findings, mark: Mark | None, value: Value) -> ServiceContainer:
    # Compat: an error about a service does not say in which job it is.
    location = Location(findings, ("service",), mark)
    if isinstance(value, str):
        return ServiceContainer(value)
    service = _section(location, Map() if value is None else value, _SERVICE_KEYS)
    if service is None:
        return ServiceContainer("")
    return ServiceContainer(
        name=_name(service), alias=service.text("alias"), command=service.text_or_texts("command"),
        entrypoint=service.text_or_texts("entrypoint"), options=_options(service),
        variables={name: variable.value for name, variable in read_variables(service).items()},
    )  # fmt: skip


def _section(location: Location, value: Value, keys: tuple[str, ...]) -> ConfigSection | None:
    if isinstance(value, Map):
        return location.section(value, keys)
    location.config_error("should be a hash or a string")
    return None


def _name(section: ConfigSection) -> str:
    name = section.text("name")
    if not section.has("name") or name == "":
        section.error("name", "can't be blank")
    return name or ""


def _options(section: ConfigSection) -> Opaque:
    """What executors of the runner are told: `pull_policy` as a list, and the keys of each executor."""
    found: dict[str, object] = {}
    policies = section.text_or_texts("pull_policy") or []
    if any(policy not in _PULL_POLICIES for policy in policies):
        section.error("pull_policy", f"should be {', '.join(_PULL_POLICIES[:-1])} or {_PULL_POLICIES[-1]}")
    elif policies:
        found["pull_policy"] = policies
    for executor, keys in _EXECUTOR_KEYS.items():
        if section.has(executor):
            options = section.at(executor).section(section.get(executor), keys)
            found[executor] = {key: text for key in keys if options and (text := _text(options, key))}
    return found


def _text(options: ConfigSection, key: str) -> str | None:
    """A text; the number of a user is one."""
    value = options.get(key)
    return str(value) if isinstance(value, int) and not isinstance(value, bool) else options.text(key)
