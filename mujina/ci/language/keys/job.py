"""A job: its keys, in the order in which their errors are shown."""

from typing import Final

import msgspec

from mujina.ci.language.config import FileVariable, JobConfig, Need, Opaque, Parallel
from mujina.ci.language.keys.defaults import REFUSED, Inherited, SharedKeys, read_inherit, read_shared
from mujina.ci.language.keys.environments import read_environment
from mujina.ci.language.keys.job_rules import read_rules
from mujina.ci.language.keys.needs import read_needs
from mujina.ci.language.keys.parallel import read_parallel
from mujina.ci.language.keys.policies import read_policy
from mujina.ci.language.keys.retries import read_allow_failure, read_retry
from mujina.ci.language.keys.scripts import read_script
from mujina.ci.language.patterns.regular_expressions import is_pattern
from mujina.ci.language.problems import ConfigSection, Location
from mujina.ci.language.variables import read_variables
from mujina.ci.language.yaml.values import Map, Value, is_blank

JOB_KEYS: Final = (
    "tags", "script", "only", "except", "type", "image", "services", "allow_failure", "stage", "when", "artifacts",
    "cache", "dependencies", "before_script", "after_script", "variables", "environment", "coverage", "retry",
)  # fmt: skip
"""The keys of the specification."""
NEWER_JOB_KEYS: Final = (
    "rules", "needs", "parallel", "interruptible", "timeout", "start_in", "resource_group", "release", "trigger",
    "secrets", "inherit", "id_tokens", "hooks", "pages", "identity", "manual_confirmation", "publish",
)  # fmt: skip
"""Those that are younger; `extends` is gone before a job is read."""
_REFUSED: Final = {
    "trigger": "a job starts no pipeline, use the token of a trigger in a script",
    "secrets": "the instance reads no other store of secrets, use variables of the project or group",
    **REFUSED,
}
_WHEN: Final = ("on_success", "on_failure", "always", "manual", "delayed")
MAX_DELAY: Final = 7 * 86_400
_RELEASE_KEYS: Final = ("tag_name", "tag_message", "description", "name", "ref", "milestones", "released_at", "assets")


class ReadJob(msgspec.Struct, frozen=True):
    """A job as the file has it, and its instances if it is parallel."""

    job: JobConfig
    instances: list[Parallel] | None


def read_job(
    location: Location, value: Value, defaults: SharedKeys, variables: dict[str, FileVariable]
) -> ReadJob | None:
    """The job; None if it is no mapping. Every error is added to the findings."""
    if value is None:
        value = Map()
    if not isinstance(value, Map):
        location.config_error("should be a hash")
        return None
    section = ConfigSection(location, value)
    _check_presence(section)
    attributes, plain = _read_attributes(section)
    nested = _read_nested(section)
    own = read_shared(section, plain)
    default_names, variable_names = read_inherit(section)
    shared = own.over(defaults.only(default_names))
    inherited = variables if variable_names.names is None else _kept(variables, variable_names)
    own_variables = read_variables(section)
    job = msgspec.structs.replace(
        attributes,
        **_shared_fields(shared),
        **nested,
        variables={**inherited, **own_variables} if own_variables else inherited,
    )
    return ReadJob(job, read_parallel(section))


def _kept(variables: dict[str, FileVariable], names: Inherited) -> dict[str, FileVariable]:
    return {name: variable for name, variable in variables.items() if names.has(name)}


def _check_presence(section: ConfigSection) -> None:
    section.check_keys((*JOB_KEYS, *NEWER_JOB_KEYS))
    if not section.config:
        section.location.config_error("can't be blank")
    section.refuse(_REFUSED)
    if is_blank(section.get("script")) and not section.has("trigger"):
        section.error("script", "can't be blank")
    if section.has("rules"):
        both = [key for key in ("only", "except") if section.has(key)]
        if both:
            section.location.config_error(f"key may not be used with `rules`: {', '.join(both)}")


def _read_attributes(section: ConfigSection) -> tuple[JobConfig, SharedKeys]:
    """The keys whose values are plain: those of jobs alone, and those that `default` may set as well."""
    tags = section.texts("tags")
    allowed, codes = read_allow_failure(section)
    retry = read_retry(section)
    when = section.choice("when", _WHEN, "on_success, on_failure, always or manual") or "on_success"
    dependencies = section.texts("dependencies")
    timeout, interruptible = section.seconds("timeout"), section.boolean("interruptible")
    name = section.location.path[-1]
    pages = section.get("pages")
    job = JobConfig(
        name=name, base_name=name, when=when, start_in=_read_delay(section, when), dependencies=dependencies,
        allow_failure=allowed if allowed is not None else when == "manual" and not section.has("rules"),
        allow_failure_exit_codes=codes, resource_group=section.text("resource_group"),
        pages=(name == "pages" and pages is not False) or isinstance(pages, Map) or pages is True,
    )  # fmt: skip
    return job, SharedKeys(tags=tags, retry=retry, timeout=timeout, interruptible=interruptible)


def _read_delay(section: ConfigSection, when: str) -> int | None:
    delay = section.seconds("start_in")
    if when == "delayed" and not section.has("start_in"):
        section.error("start_in", "should be a duration")
    elif when != "delayed" and section.has("start_in"):
        section.error("start_in", "must be blank")
    elif delay is not None and delay > MAX_DELAY:
        section.error("start_in", "should not exceed the limit of 1 week")
    return delay


def _shared_fields(shared: SharedKeys) -> dict[str, object]:
    """The keys that are given, by the names of their fields in the job."""
    given = {name: getattr(shared, name) for name in shared.__struct_fields__}
    given["caches"] = given.pop("cache")
    return {name: value for name, value in given.items() if value is not None}


def _read_nested(section: ConfigSection) -> dict[str, object]:
    """The keys whose values have a shape of their own."""
    needs: list[Need] | None = read_needs(section)
    return {
        "script": read_script(section),
        "stage": _read_stage(section),
        "only": read_policy(section, "only"),
        "except_": read_policy(section, "except"),
        "environment": read_environment(section),
        "coverage": _read_coverage(section),
        "rules": read_rules(section),
        "needs": needs,
        "release": _read_release(section),
    }


def _read_stage(section: ConfigSection) -> str:
    for key in ("stage", "type"):
        value = section.get(key)
        if isinstance(value, str):
            return value
        if value is not None:
            section.at(key).config_error("should be a string")
            break
    return "test"


def _read_coverage(section: ConfigSection) -> str | None:
    value = section.get("coverage")
    if value is None:
        return None
    if not isinstance(value, str) or not is_pattern(value):
        section.at("coverage").config_error("must be a regular expression")
        return None
    return value


def _read_release(section: ConfigSection) -> Opaque:
    value = section.get("release")
    if value is None:
        return {}
    release = section.at("release").section(value, _RELEASE_KEYS)
    if release is None:
        return {}
    for key in ("tag_name", "description"):
        if release.text(key) in (None, ""):
            release.error(key, "can't be blank")
    return release.config
