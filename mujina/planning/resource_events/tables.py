"""Changes of labels, states, milestones and weights of issues and merge requests, one row each."""

from mujina.kernel.db.ddl import foreign_key, index, integer, primary_key, table, text

resource_events = table(
    "resource_events",
    primary_key(),
    foreign_key("project_id", "projects"),
    text("noteable_kind"),  # issue | merge_request
    integer("noteable_id"),
    text("field"),  # label | state | milestone | weight
    text("action"),  # add | remove; of a state: closed | reopened | merged
    foreign_key("user_id", "users", null=True, on_delete="SET NULL"),
    foreign_key("label_id", "labels", null=True, on_delete="SET NULL"),
    foreign_key("milestone_id", "milestones", null=True, on_delete="SET NULL"),
    integer("weight", null=True),
    text("created_at"),
    index("noteable_id", "noteable_kind", "field", "id"),
    index("project_id"),
    index("user_id", where="user_id IS NOT NULL"),
    index("label_id", where="label_id IS NOT NULL"),
    index("milestone_id", where="milestone_id IS NOT NULL"),
)
