"""Projects and their stars."""

from mujina.kernel.db.ddl import (
    boolean,
    foreign_key,
    index,
    integer,
    kept_count,
    link_table,
    primary_key,
    search_index,
    table,
    text,
    timestamps,
)

projects = table(
    "projects",
    primary_key(),
    foreign_key("namespace_id", "namespaces"),
    text("name"),
    text("name_folded"),
    text("path"),
    text("path_folded"),
    text("description", null=True),
    text("description_folded", default=""),
    text("visibility"),
    foreign_key("creator_id", "users", null=True, on_delete="SET NULL"),
    boolean("archived"),
    text("default_branch", null=True),
    text("requested_branch", null=True),  # the requested default branch, until there is a branch
    text("tag_list", default=""),  # sorted, one to a line
    text("avatar", null=True),  # its file name in URLs
    text("avatar_key", null=True),  # its key in the storage of files
    boolean("issues_enabled", default=True),
    boolean("merge_requests_enabled", default=True),
    boolean("jobs_enabled", default=True),
    boolean("wiki_enabled", default=True),
    boolean("snippets_enabled", default=True),
    boolean("container_registry_enabled", default=True),
    boolean("shared_runners_enabled", default=True),
    boolean("resolve_outdated_diff_discussions"),
    boolean("public_jobs", default=True),
    text("merge_method", default="merge"),  # merge | rebase_merge | ff
    boolean("only_allow_merge_if_pipeline_succeeds"),
    boolean("only_allow_merge_if_all_discussions_are_resolved"),
    boolean("lfs_enabled", default=True),
    boolean("request_access_enabled"),
    boolean("printing_merge_request_link_enabled", default=True),
    text("ci_config_path", null=True),
    text("auto_cancel_pending_pipelines", default="enabled"),  # enabled | disabled
    integer("build_timeout", default=3600),  # seconds, for jobs that name no timeout
    text("build_git_strategy", default="fetch"),  # fetch | clone
    text("build_coverage_regex", null=True),  # for jobs that name no pattern
    integer("ci_default_git_depth", null=True),  # commits that a job gets; NULL, 0: all
    text("pages_access_level", default="enabled"),  # who sees its site: disabled | private | enabled | public
    boolean("keep_latest_artifact"),  # whether artifacts of the newest successful pipeline of a ref do not expire
    text("repository_storage", default="default"),
    integer("approvals_before_merge", default=0),
    boolean("reset_approvals_on_push", default=True),
    boolean("disable_overriding_approvers_per_merge_request"),
    text("stored_settings", null=True),  # JSON: settings that have no meaning here, as a user set them
    text("runners_token", default=""),  # encrypted
    text("runners_token_digest", null=True),
    text("import_url", null=True),  # encrypted: it may contain a password
    text("import_status", default="none"),  # none | scheduled | started | finished | failed
    text("import_error", null=True),
    boolean("mirror"),  # fetched again from its source
    foreign_key("mirror_user_id", "users", null=True, on_delete="SET NULL"),  # who is the author of what it fetches
    foreign_key("forked_from_id", "projects", null=True, on_delete="SET NULL"),
    # The first project of its fork network, which may be removed by now; NULL: this one. Forks of one source stay related
    # after the source is removed.
    integer("network_id", null=True),
    integer("star_count", default=0),
    *timestamps(),
    text("last_activity_at"),
    text("deleted_at", null=True),  # set: no answer shows it, a job removes the data
    index("namespace_id", "name", unique=True, where="deleted_at IS NULL"),
    index("namespace_id", "created_at", "id", where="deleted_at IS NULL"),
    # For the lists of all projects and their totals: rules about the namespace need no look-up of the row.
    index("archived", "visibility", "namespace_id", "id", "deleted_at", where="deleted_at IS NULL"),
    index("created_at", "id", "namespace_id", "visibility", "archived", "deleted_at", where="deleted_at IS NULL"),
    index("last_activity_at", "id", where="deleted_at IS NULL"),
    index("updated_at", "id", where="deleted_at IS NULL"),
    index("star_count", "id", where="deleted_at IS NULL"),
    index("name_folded", "id", where="deleted_at IS NULL"),
    index("path_folded", "id", where="deleted_at IS NULL"),
    index("forked_from_id", where="forked_from_id IS NOT NULL"),
    index("network_id", where="network_id IS NOT NULL"),
    index("runners_token_digest", where="runners_token_digest IS NOT NULL"),
    index("id", where="mirror", name="ix_projects_mirrors"),
    index("creator_id", where="creator_id IS NOT NULL"),
    index("mirror_user_id", where="mirror_user_id IS NOT NULL"),
)

project_texts = search_index(
    "project_texts",
    "projects",
    integer("namespace_id"),
    texts=("name_folded", "path_folded", "description_folded"),
    unless="deleted_at IS NOT NULL",
)
import_keys = table(
    "import_keys",
    foreign_key("project_id", "projects", key=True),  # fetched over SSH
    text("private_key", null=True),  # made for this source; encrypted; NULL: its URL has a password
    text("public_key", null=True),
    text("host_keys"),  # one on each line: the server is trusted if it has one of them
)

kept_count("project_counts", [projects.c.namespace_id, projects.c.visibility, projects.c.archived], until="deleted_at")

stars = link_table("stars", "user", "project", text("created_at"), index("project_id"))
