"""Projects and who starred them."""

from mujina.kernel.db.schema import counted, flag, identity, index, number, searched, table, to, words

projects = table(
    "projects",
    identity(),
    to("namespace_id", "namespaces"),
    words("name"),
    words("name_folded"),
    words("path"),
    words("path_folded"),
    words("description", null=True),
    words("description_folded", default=""),
    words("visibility"),
    to("creator_id", "users", null=True, gone="SET NULL"),
    flag("archived"),
    words("default_branch", null=True),
    words("wished_branch", null=True),  # what that is to be, as said when there was no branch yet
    words("tag_list", default=""),  # sorted, one to a line
    words("avatar", null=True),  # its name in addresses
    words("avatar_key", null=True),  # its name in the store of files
    flag("issues_enabled", default=True),
    flag("merge_requests_enabled", default=True),
    flag("jobs_enabled", default=True),
    flag("wiki_enabled", default=True),
    flag("snippets_enabled", default=True),
    flag("container_registry_enabled", default=True),
    flag("shared_runners_enabled", default=True),
    flag("resolve_outdated_diff_discussions"),
    flag("public_jobs", default=True),
    flag("only_allow_merge_if_pipeline_succeeds"),
    flag("only_allow_merge_if_all_discussions_are_resolved"),
    flag("lfs_enabled", default=True),
    flag("request_access_enabled"),
    flag("printing_merge_request_link_enabled", default=True),
    words("ci_config_path", null=True),
    words("repository_storage", default="default"),
    number("approvals_before_merge", default=0),
    words("runners_token", default=""),  # encrypted
    words("import_url", null=True),  # encrypted: it may carry a password
    words("import_status", default="none"),  # none | scheduled | started | finished | failed
    words("import_error", null=True),
    flag("mirror"),  # what its source gets later it gets too
    to("mirror_user_id", "users", null=True, gone="SET NULL"),  # in whose name
    to("forked_from_id", "projects", null=True, gone="SET NULL"),
    number("star_count", default=0),
    words("created_at"),
    words("updated_at"),
    words("last_activity_at"),
    words("deleted_at", null=True),  # set: gone from every answer, data removed in the background
    index("namespace_id", "name", unique=True, where="deleted_at IS NULL"),
    index("namespace_id", "created_at", "id", where="deleted_at IS NULL"),
    # The lists of all projects are counted and walked along these: they know who may see a project without looking it up.
    index("archived", "visibility", "namespace_id", "id", "deleted_at", where="deleted_at IS NULL"),
    index("created_at", "id", "namespace_id", "visibility", "archived", "deleted_at", where="deleted_at IS NULL"),
    index("last_activity_at", "id", where="deleted_at IS NULL"),
    index("updated_at", "id", where="deleted_at IS NULL"),
    index("name_folded", "id", where="deleted_at IS NULL"),
    index("path_folded", "id", where="deleted_at IS NULL"),
    index("forked_from_id", where="forked_from_id IS NOT NULL"),
    index("id", where="mirror", name="ix_projects_mirrors"),
    index("mirror_user_id", where="mirror_user_id IS NOT NULL"),
)

project_texts = searched(
    "project_texts",
    "projects",
    number("namespace_id"),
    texts=("name_folded", "path_folded", "description_folded"),
    unless="deleted_at IS NOT NULL",
)
counted("project_counts", projects, "namespace_id", "visibility", "archived", until="deleted_at")

stars = table(
    "stars",
    to("user_id", "users", key=True),
    to("project_id", "projects", key=True),
    words("created_at"),
    index("project_id"),
)
