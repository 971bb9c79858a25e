"""Runners: the programs that execute jobs, and the projects that they work for."""

from mujina.kernel.db.ddl import boolean, foreign_key, index, integer, link_table, primary_key, table, text, timestamps

# A runner of a group has `group_id`; those of projects have rows in `runner_projects`.
runners = table(
    "runners",
    primary_key(),
    text("runner_type"),  # instance_type | group_type | project_type
    foreign_key("group_id", "groups", null=True),
    foreign_key("creator_id", "users", null=True, on_delete="SET NULL"),  # NULL: it registered itself
    text("token_digest"),
    text("description", null=True),
    boolean("active", default=True),  # false: paused
    text("tag_list", default=""),  # sorted, one to a line
    boolean("run_untagged", default=True),
    boolean("locked"),  # no further project may enable it
    text("access_level", default="not_protected"),  # not_protected | ref_protected
    integer("maximum_timeout", null=True),  # seconds
    text("maintenance_note", null=True),
    # What the runner says about itself.
    text("name", null=True),
    text("version", null=True),
    text("revision", null=True),
    text("platform", null=True),
    text("architecture", null=True),
    text("executor", null=True),
    text("ip_address", null=True),
    text("contacted_at", null=True),  # written at most once in `CONTACT_MINUTES`
    *timestamps(),
    index("token_digest", unique=True),
    index("runner_type", "id"),
    index("group_id", where="group_id IS NOT NULL"),
    index("creator_id", where="creator_id IS NOT NULL"),
)

runner_projects = link_table(
    "runner_projects",
    "runner",
    "project",
    text("created_at"),
    index("project_id", "runner_id"),
)
