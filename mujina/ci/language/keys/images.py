"""`image` and `services`."""

from typing import Final

from mujina.ci.language.config import ContainerImage, Opaque, ServiceContainer
from mujina.ci.language.problems import ConfigSection, Findings, Location
from mujina.ci.language.yaml.values import Map, Mark, Value

_NEWER: Final = ("pull_policy", "docker", "kubernetes")
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
    return ContainerImage(_name(image), image.texts("entrypoint"), _options(image, _NEWER))


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
        entrypoint=service.text_or_texts("entrypoint"), options=_options(service, ("variables", *_NEWER)),
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


def _options(section: ConfigSection, keys: tuple[str, ...]) -> Opaque:
    return {key: section.get(key) for key in keys if section.has(key)}
