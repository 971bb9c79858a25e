"""`environment`: what a job deploys to. Its name and address may contain variables, which the server expands."""

import re
from collections.abc import Mapping
from typing import Final

import msgspec

from mujina.ci.language.config import JobEnvironment
from mujina.ci.language.problems import ConfigSection
from mujina.ci.language.variables import expand
from mujina.ci.language.yaml.values import Map

MAX_LENGTH: Final = 255
TOO_LONG: Final = f"is too long (maximum is {MAX_LENGTH} characters)"
_KEYS: Final = ("name", "url", "on_stop", "action", "auto_stop_in", "deployment_tier", "kubernetes")
TIERS: Final = ("production", "staging", "testing", "development", "other")
NEVER: Final = "never"
_ACTIONS: Final = ("start", "stop", "prepare", "verify", "access")
NAME = re.compile(r"[A-Za-z0-9_/${}. -]+")
BAD_NAME: Final = "can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', and spaces"


def read_environment(section: ConfigSection) -> JobEnvironment | None:
    value = section.get("environment")
    if value is None:
        return None
    location = section.at("environment")
    if isinstance(value, str):
        given = Map()
        given.put("name", value, location.mark)
        value = given
    if not isinstance(value, Map):
        location.config_error("should be a hash or a string")
        return None
    environment = ConfigSection(location, value)
    environment.check_keys(_KEYS)
    name = _read_name(environment)
    action = environment.choice("action", _ACTIONS, "start or stop")
    url, on_stop = environment.text("url"), environment.text("on_stop")
    if url is not None and len(url) > MAX_LENGTH:
        environment.error("url", TOO_LONG)
    return JobEnvironment(
        name=name, url=url, on_stop=on_stop, action=action or "start",
        auto_stop_in=None if environment.get("auto_stop_in") == NEVER else environment.seconds("auto_stop_in"),
        deployment_tier=environment.choice("deployment_tier", TIERS, f"one of {', '.join(TIERS)}"),
    )  # fmt: skip


def _read_name(environment: ConfigSection) -> str:
    name = environment.text("name")
    if name is None or not name.strip():
        if name is not None or not environment.has("name"):
            environment.error("name", "can't be blank")
        return ""
    if not NAME.fullmatch(name):
        environment.error("name", BAD_NAME)
    elif len(name) > MAX_LENGTH:
        environment.error("name", TOO_LONG)
    return name


def expand_environment(environment: JobEnvironment, variables: Mapping[str, str]) -> JobEnvironment:
    """The environment with the variables in its name expanded. Its address may contain variables of the job: those come later."""
    return msgspec.structs.replace(environment, name=expand(environment.name, variables)[:MAX_LENGTH])
