"""What can be set on a project, when it is made and later."""

from typing import LiteralString

from mujina.kernel.access import Visibility, exceeds
from mujina.kernel.actor import Actor
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import NOT_LISTED, Problems
from mujina.kernel.params import UNSET
from mujina.kernel.text import fold
from mujina.workspaces.projects.params import ProjectSettings

LONGEST_DESCRIPTION = 2000
LONGEST_TAG = LONGEST_CONFIG_PATH = 255
MOST_TAGS = 100
ONLY_STORAGE = "default"


def check_settings(problems: Problems, actor: Actor, change: ProjectSettings, ceiling: Visibility | None) -> None:
    """The rules that creating and editing share; `ceiling` is the visibility of the group above."""
    problems.limit("description", change.description or None, LONGEST_DESCRIPTION)
    if change.visibility and ceiling and exceeds(change.visibility, ceiling):
        problems.add("visibility_level", f"{change.visibility} is not allowed in a {ceiling} group.")
    for name, tags in (("tag_list", change.tag_list or []), ("topics", change.topics or [])):
        problems.limit(name, max(tags, key=len, default=None), LONGEST_TAG)
        if len(tags) > MOST_TAGS:
            problems.add(name, f"is too long (maximum is {MOST_TAGS} tags)")
    path = change.ci_config_path or ""
    problems.limit("ci_config_path", path, LONGEST_CONFIG_PATH)
    if path.startswith("/") or ".." in path.split("/"):
        problems.add("ci_config_path", "cannot include leading slash or directory traversal.")
    if change.approvals_before_merge is not UNSET and change.approvals_before_merge < 0:
        problems.add("approvals_before_merge", "must be greater than or equal to 0")
    # Where repositories are is for administrators to say; others are not heard.
    if actor.admin and change.repository_storage not in (UNSET, ONLY_STORAGE):
        problems.add("repository_storage", NOT_LISTED)


_SETTERS: dict[str, LiteralString] = {
    "description": "description = :description, description_folded = :description_folded",
    "default_branch": "default_branch = CASE WHEN default_branch IS NULL THEN NULL ELSE :default_branch END",
    "issues_enabled": "issues_enabled = :issues_enabled",
    "merge_requests_enabled": "merge_requests_enabled = :merge_requests_enabled",
    "jobs_enabled": "jobs_enabled = :jobs_enabled",
    "wiki_enabled": "wiki_enabled = :wiki_enabled",
    "snippets_enabled": "snippets_enabled = :snippets_enabled",
    "resolve_outdated_diff_discussions": "resolve_outdated_diff_discussions = :resolve_outdated_diff_discussions",
    "container_registry_enabled": "container_registry_enabled = :container_registry_enabled",
    "shared_runners_enabled": "shared_runners_enabled = :shared_runners_enabled",
    "public_jobs": "public_jobs = :public_jobs",
    "public_builds": "public_jobs = :public_builds",
    "only_allow_merge_if_pipeline_succeeds":
        "only_allow_merge_if_pipeline_succeeds = :only_allow_merge_if_pipeline_succeeds",
    "only_allow_merge_if_all_discussions_are_resolved":
        "only_allow_merge_if_all_discussions_are_resolved = :only_allow_merge_if_all_discussions_are_resolved",
    "lfs_enabled": "lfs_enabled = :lfs_enabled",
    "request_access_enabled": "request_access_enabled = :request_access_enabled",
    "tag_list": "tag_list = :tag_list",
    "topics": "tag_list = :topics",
    "printing_merge_request_link_enabled": "printing_merge_request_link_enabled = :printing_merge_request_link_enabled",
    "ci_config_path": "ci_config_path = :ci_config_path",
    "approvals_before_merge": "approvals_before_merge = :approvals_before_merge",
}  # fmt: skip
"""How each setting is stored; others have operations of their own."""


async def store_settings(tx: Tx, project_id: int, change: ProjectSettings) -> None:
    """Store the settings that were given."""
    given = {name: value for name, value in change.given().items() if name in _SETTERS}
    if not given:
        return
    if "topics" in given:
        given.pop("tag_list", None)
    for tags in given.keys() & {"tag_list", "topics"}:
        given[tags] = "\n".join(sorted({plain for tag in given[tags] if (plain := " ".join(tag.split()))}))
    await tx.run(
        f"UPDATE projects SET {', '.join(_SETTERS[name] for name in given)} WHERE id = :id",
        id=project_id,
        description_folded=fold(change.description or ""),
        **given,
    )
