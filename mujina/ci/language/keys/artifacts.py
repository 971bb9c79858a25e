"""`artifacts`."""

from typing import Final

from mujina.ci.language.config import ArtifactsEntry
from mujina.ci.language.durations import read_duration
from mujina.ci.language.problems import ConfigSection

_KEYS: Final = (
    "name", "untracked", "paths", "when", "expire_in", "reports", "expose_as", "exclude", "public", "access",
)  # fmt: skip
_WHEN: Final = ("on_success", "on_failure", "always")
_ACCESS: Final = ("all", "developer", "maintainer", "none")
NEVER: Final = "never"
REPORTS: Final = frozenset({
    "accessibility", "annotations", "api_fuzzing", "browser_performance", "cluster_image_scanning", "cobertura",
    "codequality", "container_scanning", "coverage_fuzzing", "cyclonedx", "dast", "dependency_scanning", "dotenv",
    "jacoco", "junit", "license_scanning", "load_performance", "lsif", "metrics", "performance", "repository_xray",
    "requirements", "requirements_v2", "sast", "secret_detection", "terraform",
})  # fmt: skip
"""The kinds of reports that a runner uploads beside the archive."""
_COVERAGE_REPORT: Final = "coverage_report"
_COVERAGE_FORMATS: Final = ("cobertura", "jacoco")


def read_artifacts(section: ConfigSection) -> ArtifactsEntry | None:
    value = section.get("artifacts")
    if value is None:
        return None
    artifacts = section.at("artifacts").section(value, _KEYS)
    if artifacts is None:
        return None
    name, untracked, paths = artifacts.text("name"), artifacts.boolean("untracked"), artifacts.texts("paths")
    when = artifacts.choice("when", _WHEN, "on_success, on_failure or always")
    expire_in = _read_expiry(artifacts)
    return ArtifactsEntry(
        name=name, untracked=untracked is True, paths=paths or [], exclude=artifacts.texts("exclude") or [],
        when=when or "on_success", expire_in=expire_in, expose_as=artifacts.text("expose_as"),
        access=_read_access(artifacts), reports=_read_reports(artifacts),
    )  # fmt: skip


def _read_access(artifacts: ConfigSection) -> str:
    """Who may download them; `public: false` is the older word for developers."""
    access = artifacts.choice("access", _ACCESS, "all, developer, maintainer or none") or "all"
    return "developer" if artifacts.boolean("public") is False and access == "all" else access


def _read_reports(artifacts: ConfigSection) -> dict[str, list[str]]:
    """The paths of each report; that of a coverage report is filed under its format."""
    value = artifacts.get("reports")
    if value is None:
        return {}
    reports = artifacts.at("reports").section(value, (*REPORTS, _COVERAGE_REPORT))
    if reports is None:
        return {}
    found = {kind: reports.text_or_texts(kind) for kind in reports.config if kind in REPORTS}
    if reports.has(_COVERAGE_REPORT):
        report = reports.at(_COVERAGE_REPORT).section(reports.get(_COVERAGE_REPORT), ("coverage_format", "path"))
        path = report.text("path") if report else None
        kind = report.choice("coverage_format", _COVERAGE_FORMATS, "cobertura or jacoco") if report else None
        if report is not None and not (path and kind):
            report.location.config_error("should have a coverage_format and a path")
        elif path and kind:
            found[kind] = [path]
    return {kind: paths for kind, paths in found.items() if paths}


def _read_expiry(artifacts: ConfigSection) -> str | None:
    """When the artifacts expire, as it is written."""
    value = artifacts.get("expire_in")
    if value is None:
        return None
    if value != NEVER and read_duration(value) is None:
        artifacts.error("expire_in", "should be a duration")
        return None
    return str(value)
