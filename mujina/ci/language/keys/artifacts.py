"""`artifacts`."""

from typing import Final

from mujina.ci.language.config import ArtifactsEntry
from mujina.ci.language.durations import read_duration
from mujina.ci.language.problems import ConfigSection

_KEYS: Final = (
    "name", "untracked", "paths", "when", "expire_in", "reports", "expose_as", "exclude", "public", "access",
)  # fmt: skip
_WHEN: Final = ("on_success", "on_failure", "always")
NEVER: Final = "never"


def read_artifacts(section: ConfigSection) -> ArtifactsEntry | None:
    value = section.get("artifacts")
    if value is None:
        return None
    artifacts = section.at("artifacts").section(value, _KEYS)
    if artifacts is None:
        return None
    name, untracked, paths = artifacts.text("name"), artifacts.boolean("untracked"), artifacts.texts("paths")
    when = artifacts.choice("when", _WHEN, "on_success, on_failure or always")
    text, seconds = _read_expiry(artifacts)
    public = artifacts.boolean("public")
    return ArtifactsEntry(
        name=name, untracked=untracked is True, paths=paths or [], exclude=artifacts.texts("exclude") or [],
        when=when or "on_success", expire_in=text, expire_seconds=seconds, expose_as=artifacts.text("expose_as"),
        public=public is not False and artifacts.text("access") in (None, "all"), reports=artifacts.opaque("reports"),
    )  # fmt: skip


def _read_expiry(artifacts: ConfigSection) -> tuple[str | None, int | None]:
    """When the artifacts expire, as it is written and in seconds; 0 is never."""
    value = artifacts.get("expire_in")
    if value is None:
        return None, None
    seconds = 0 if value == NEVER else read_duration(value)
    if seconds is None:
        artifacts.error("expire_in", "should be a duration")
        return None, None
    return str(value), seconds
