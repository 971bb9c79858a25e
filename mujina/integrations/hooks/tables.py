"""Web hooks of projects and groups, and system hooks."""

from mujina.kernel.db.ddl import boolean, foreign_key, index, primary_key, table, text, timestamps

# A hook of a project has `project_id`, one of a group `group_id`, a system hook neither. That of a service, which no list of hooks
# shows, has `service_id` too.
hooks = table(
    "hooks",
    primary_key(),
    foreign_key("project_id", "projects", null=True),
    foreign_key("group_id", "groups", null=True),
    text("url"),  # encrypted: it may contain a password
    text("token", null=True),  # encrypted
    boolean("enable_ssl_verification", default=True),
    boolean("push_events"),
    boolean("tag_push_events"),
    boolean("issues_events"),
    boolean("confidential_issues_events"),
    boolean("note_events"),
    boolean("confidential_note_events"),
    boolean("merge_requests_events"),
    boolean("job_events"),
    boolean("pipeline_events"),
    boolean("wiki_page_events"),
    boolean("repository_update_events"),
    boolean("releases_events"),
    boolean("deployment_events"),  # stored for clients: there is no such event yet
    text("name", null=True),
    text("description", null=True),
    text("push_events_branch_filter", default=""),  # only pushes to these branches; * stands for any text; empty: all
    text("custom_webhook_template", null=True),  # stored for clients: bodies are always those of the event
    *timestamps(),
    foreign_key("service_id", "services", null=True),  # the service that is called instead of the URL
    index("service_id", unique=True, where="service_id IS NOT NULL"),
    index("project_id", "id", where="project_id IS NOT NULL"),
    index("group_id", "id", where="group_id IS NOT NULL"),
    index("id", where="project_id IS NULL AND group_id IS NULL", name="ix_hooks_of_the_instance"),
)
