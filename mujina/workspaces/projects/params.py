"""The parameters of requests about projects."""

import re
from typing import Annotated, Any, ClassVar, Literal

from mujina.kernel.http.forms import Upload
from mujina.kernel.http.params import (
    EVERY_FIELD,
    UNSET,
    BadValue,
    Date,
    Dictionary,
    Form,
    Ids,
    Params,
    RequiredText,
    Texts,
    Timestamp,
    Unset,
    Words,
)
from mujina.kernel.permissions.levels import Visibility
from mujina.workspaces.stored_settings.params import StoredProjectSettings


def _read_feature(value: Any) -> bool:
    """`enabled` or `disabled`; a feature for members alone does not exist here."""
    if value not in ("enabled", "disabled"):
        raise BadValue("does not have a valid value")
    return value == "enabled"


FeatureAccess = Annotated[bool, Form(_read_feature, {"enum": ["disabled", "enabled"]})]
ProjectOrder = Literal[
    "id", "name", "path", "created_at", "updated_at", "last_activity_at", "star_count", "similarity",
    "repository_size", "storage_size", "packages_size", "wiki_size",
]  # fmt: skip


class ListProjects(Params):
    """The filters of every list of projects."""

    archived: bool | Unset | None = UNSET
    visibility: Visibility | Unset = UNSET
    order_by: ProjectOrder = "created_at"
    sort: Literal["asc", "desc"] = "desc"
    search: Words | Unset = UNSET
    simple: bool | Unset | None = UNSET
    owned: bool | Unset | None = UNSET
    membership: bool | Unset | None = UNSET
    starred: bool | Unset | None = UNSET
    statistics: bool | Unset | None = UNSET
    with_custom_attributes: bool | Unset | None = UNSET
    with_issues_enabled: bool | Unset | None = UNSET
    with_merge_requests_enabled: bool | Unset | None = UNSET
    min_access_level: Literal[10, 20, 30, 40, 50] | Unset = UNSET
    topic: Texts | Unset = UNSET
    topic_id: int | Unset | None = UNSET
    pagination: str | Unset = UNSET
    """`keyset`, with the order by id: pages follow each other by `id_after` or `id_before`, and have no total."""
    id_after: int | Unset | None = UNSET
    id_before: int | Unset | None = UNSET
    last_activity_after: Timestamp | Unset | None = UNSET
    last_activity_before: Timestamp | Unset | None = UNSET
    updated_after: Timestamp | Unset | None = UNSET
    updated_before: Timestamp | Unset | None = UNSET
    custom_attributes: Dictionary | Unset = UNSET


class ListGroupProjects(ListProjects):
    """By default the list of a group contains projects shared with it, and not those of its subgroups."""

    with_shared: bool | Unset | None = UNSET
    include_subgroups: bool | Unset | None = UNSET


class ProjectSettings(StoredProjectSettings):
    """Settings that both creating and editing a project accept."""

    description: str | Unset | None = UNSET
    issues_enabled: bool | Unset = UNSET
    merge_requests_enabled: bool | Unset = UNSET
    jobs_enabled: bool | Unset = UNSET
    wiki_enabled: bool | Unset = UNSET
    snippets_enabled: bool | Unset = UNSET
    resolve_outdated_diff_discussions: bool | Unset = UNSET
    container_registry_enabled: bool | Unset = UNSET
    shared_runners_enabled: bool | Unset = UNSET
    visibility: Visibility | Unset = UNSET
    public_jobs: bool | Unset = UNSET
    public_builds: bool | Unset = UNSET
    merge_method: Literal["merge", "rebase_merge", "ff"] | Unset = UNSET
    only_allow_merge_if_pipeline_succeeds: bool | Unset = UNSET
    only_allow_merge_if_all_discussions_are_resolved: bool | Unset = UNSET
    lfs_enabled: bool | Unset = UNSET
    request_access_enabled: bool | Unset = UNSET
    tag_list: Texts | Unset = UNSET
    topics: Texts | Unset = UNSET
    """The name that newer clients use for the tags."""
    issues_access_level: FeatureAccess | Unset = UNSET
    merge_requests_access_level: FeatureAccess | Unset = UNSET
    builds_access_level: FeatureAccess | Unset = UNSET
    wiki_access_level: FeatureAccess | Unset = UNSET
    snippets_access_level: FeatureAccess | Unset = UNSET
    container_registry_access_level: FeatureAccess | Unset = UNSET
    """These are the names that newer clients use for `issues_enabled` and the like."""
    avatar: Upload | Unset | None = UNSET
    ci_config_path: str | Unset | None = UNSET
    auto_cancel_pending_pipelines: Literal["enabled", "disabled"] | Unset = UNSET
    build_timeout: int | Unset = UNSET
    build_git_strategy: Literal["fetch", "clone"] | Unset = UNSET
    build_coverage_regex: str | Unset | None = UNSET
    ci_default_git_depth: int | Unset | None = UNSET
    keep_latest_artifact: bool | Unset = UNSET
    pages_access_level: Literal["disabled", "private", "enabled", "public"] | Unset = UNSET
    """Who sees the site: no one, members, those who read the project, or everyone."""
    repository_storage: str | Unset = UNSET
    approvals_before_merge: int | Unset = UNSET
    import_url: str | Unset = UNSET
    """Over HTTP or SSH, also `git@host:path`."""
    import_host_keys: Texts | Unset = UNSET
    """The public keys of the server, of which it must have one: for SSH."""
    mirror: bool | Unset = UNSET


_SCP = re.compile(r"([^/@:\s]+@[^/@:\s]+):(?!//)/?(.+)")


def to_url(text: str) -> str:
    """The URL of a repository; that of `git@host:path` begins with `ssh://`."""
    scp = _SCP.fullmatch(text)
    return f"ssh://{scp[1]}/{scp[2]}" if scp else text


ACCESS_LEVELS = {
    "issues_access_level": "issues_enabled",
    "merge_requests_access_level": "merge_requests_enabled",
    "builds_access_level": "jobs_enabled",
    "wiki_access_level": "wiki_enabled",
    "snippets_access_level": "snippets_enabled",
    "container_registry_access_level": "container_registry_enabled",
}
"""The levels of features, and the settings that they change."""
ECHOED = (*StoredProjectSettings.__struct_fields__, *ACCESS_LEVELS)
"""The settings that a project shows once a user has set them by these names."""


class NewProject(ProjectSettings):
    """Settings that only creating a project accepts, for oneself or for another user."""

    path: str | Unset = UNSET
    namespace_id: int | Unset | None = UNSET
    printing_merge_request_link_enabled: bool | Unset = UNSET


class CreateProject(NewProject):
    name: str | Unset = UNSET
    default_branch: str | Unset = UNSET
    initialize_with_readme: bool | Unset | None = UNSET

    at_least_one_of: ClassVar = ("name", "path")


class CreateProjectForUser(NewProject):
    name: str


class EditProject(ProjectSettings):
    """A field left out stays as it is."""

    name: RequiredText | Unset = UNSET
    path: RequiredText | Unset = UNSET
    default_branch: str | Unset = UNSET

    at_least_one_of: ClassVar = EVERY_FIELD

    @property
    def moves(self) -> bool:
        """Whether it may change the name, path or visibility of the project."""
        return not (self.name is UNSET and self.path is UNSET and self.visibility is UNSET)


class ForkProject(Params):
    namespace: str | Unset = UNSET
    """Id, path or name; the caller's own if left out."""
    name: str | Unset = UNSET
    path: str | Unset = UNSET
    """Name and path are those of the source if left out."""


class MoveProject(Params):
    namespace: str
    """Id or path."""


class ShowProject(Params):
    statistics: bool | Unset | None = UNSET
    with_custom_attributes: bool | Unset | None = UNSET


class ListProjectUsers(Params):
    search: Words | Unset = UNSET


class ListContributedProjects(Params):
    order_by: ProjectOrder = "created_at"
    sort: Literal["asc", "desc"] = "desc"
    simple: bool | Unset | None = UNSET


class ListProjectGroups(Params):
    search: Words | Unset = UNSET
    skip_groups: Ids | Unset = UNSET
    with_shared: bool | Unset | None = UNSET


class ShareProject(Params):
    group_id: int
    group_access: Literal[10, 20, 30, 40]
    expires_at: Date | Unset | None = UNSET
