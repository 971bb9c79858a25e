"""The settings of a project: their checks and their storage."""

import re
from typing import Any, Final

from mujina.kernel.db.rows import Row, find_row, update
from mujina.kernel.db.sql.selection import Selection
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import NOT_LISTED, Problems
from mujina.kernel.http.params import UNSET, Unset
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.permissions.levels import Visibility, exceeds
from mujina.kernel.text.folding import folded_columns
from mujina.kernel.text.patterns import check_pattern
from mujina.workspaces.projects.entities import Project
from mujina.workspaces.projects.params import ACCESS_LEVELS, ECHOED, NewProject, ProjectSettings
from mujina.workspaces.projects.views.basics import read_tags
from mujina.workspaces.stored_settings.params import StoredProjectSettings
from mujina.workspaces.stored_settings.storing import is_given, merged
from mujina.workspaces.topics.links import link_topics

_FILE_OF_ANOTHER_PROJECT: Final = re.compile(r".+\.ya?ml@.+")
MAX_DESCRIPTION = 2000
MAX_TAG_LENGTH = MAX_CONFIG_PATH = 255
MAX_TAGS = 100
MIN_TIMEOUT, MAX_TIMEOUT = 600, 30 * 86_400
"""Seconds that a job may take."""
MAX_GIT_DEPTH = 1_000
ONLY_STORAGE = "default"


def check_settings(problems: Problems, actor: Actor, change: ProjectSettings, ceiling: Visibility | None) -> None:
    """The checks that creating and editing share; `ceiling` is the visibility of the group above."""
    problems.limit("description", change.description or None, MAX_DESCRIPTION)
    if change.visibility and ceiling and exceeds(change.visibility, ceiling):
        problems.add("visibility_level", f"{change.visibility} is not allowed in a {ceiling} group.")
    for name, tags in (("tag_list", change.tag_list or []), ("topics", change.topics or [])):
        problems.limit(name, max(tags, key=len, default=None), MAX_TAG_LENGTH)
        if len(tags) > MAX_TAGS:
            problems.add(name, f"is too long (maximum is {MAX_TAGS} tags)")
    path = change.ci_config_path or ""
    problems.limit("ci_config_path", path, MAX_CONFIG_PATH)
    if path.startswith("/") or ".." in path.split("/"):
        problems.add("ci_config_path", "cannot include leading slash or directory traversal.")
    if "://" in path or _FILE_OF_ANOTHER_PROJECT.fullmatch(path):
        problems.add("ci_config_path", "must be a file of this project; the file itself can include those of others")
    _check_jobs(problems, change)
    check_approvals(problems, change.approvals_before_merge)
    # Only administrators choose the storage of repositories; from others the parameter is ignored.
    if actor.admin and change.repository_storage not in (UNSET, ONLY_STORAGE):
        problems.add("repository_storage", NOT_LISTED)


def _check_jobs(problems: Problems, change: ProjectSettings) -> None:
    """The settings that runners get with each job."""
    if change.build_timeout is not UNSET and not MIN_TIMEOUT <= change.build_timeout <= MAX_TIMEOUT:
        problems.add("build_timeout", "needs to be between 10 minutes and 1 month")
    if change.ci_default_git_depth and not 0 <= change.ci_default_git_depth <= MAX_GIT_DEPTH:
        problems.add("ci_default_git_depth", f"must be between 0 and {MAX_GIT_DEPTH}")
    if change.build_coverage_regex:
        check_pattern(problems, "build_coverage_regex", change.build_coverage_regex)


def check_approvals(problems: Problems, number: int | Unset) -> None:
    if number is not UNSET and number < 0:
        problems.add("approvals_before_merge", "must be greater than or equal to 0")


_STORED = (
    frozenset(NewProject.__struct_fields__)
    - {"visibility", "path", "namespace_id", "avatar", "repository_storage", "import_url", "import_host_keys", "mirror"}
    - frozenset(StoredProjectSettings.__struct_fields__)
)
"""Settings that are columns; the others have operations of their own, or nothing stores them."""

_ALIASES = {
    "public_builds": "public_jobs",
    "topics": "tag_list",
    **ACCESS_LEVELS,
}
"""Names under which some clients send a setting; of both names the alias counts."""


class StoredSettings(Row, alias="p", of=Project, own=True):
    """The settings of a project whose changes an event records, with their old values."""

    lfs_enabled: bool
    tag_list: str
    reset_approvals_on_push: bool
    disable_overriding_approvers_per_merge_request: bool


async def read_settings_of(tx: Tx, project_id: int) -> StoredSettings:
    """The settings as they are stored now."""
    selection = Selection("projects p", "p.id = :id", id=project_id)
    return await find_row(tx, StoredSettings, selection, "Project")


async def visibility_limits(tx: Tx, project_id: int) -> tuple[Visibility | None, Visibility | None]:
    """The visibility of the group above and of the source of a fork: the project may not show more than either."""
    found = await tx.row(
        tuple[Visibility | None, Visibility | None],
        """SELECT g.visibility, source.visibility FROM projects p LEFT JOIN groups g ON g.id = p.namespace_id
           LEFT JOIN projects source ON source.id = p.forked_from_id WHERE p.id = :id""",
        id=project_id,
    )
    return found or (None, None)


async def store_settings(tx: Tx, project_id: int, change: ProjectSettings) -> dict[str, Any]:
    """Store the settings that the change contains, and return them as they are stored; the row is locked."""
    settings = {name: value for name, value in change.sent_fields().items() if name in _STORED}
    for alias in settings.keys() & _ALIASES.keys():
        settings[_ALIASES[alias]] = settings.pop(alias)
    if "build_coverage_regex" in settings:
        settings["build_coverage_regex"] = settings["build_coverage_regex"] or None
    if "tag_list" in settings:
        tags = {" ".join(tag.split()) for tag in settings["tag_list"]} - {""}
        settings["tag_list"] = "\n".join(sorted(tags))
    others: dict[str, Any] = {}
    if is_given(change, ECHOED):
        stored = await tx.value("SELECT p.stored_settings FROM projects p WHERE p.id = :id", id=project_id)
        others["stored_settings"] = merged(stored, change, ECHOED)
    await update(tx, "projects", {**settings, **folded_columns(settings, "description"), **others}, id=project_id)
    if "tag_list" in settings:
        await link_topics(tx, project_id, read_tags(settings["tag_list"]))
    return settings


async def replace_topic(tx: Tx, project_id: int, name: str, other: str | None) -> None:
    """The project has the other topic instead of this one; None: it has none instead."""
    stored = await tx.value("SELECT p.tag_list FROM projects p WHERE p.id = :id FOR UPDATE", id=project_id)
    tags = sorted({*read_tags(stored or ""), other or name} - {name})
    await update(tx, "projects", {"tag_list": "\n".join(tags)}, id=project_id)
    await link_topics(tx, project_id, tags)
