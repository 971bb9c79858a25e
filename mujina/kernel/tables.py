"""What the kernel itself keeps: what happened, what is still to be done, and what is done by the clock."""

from mujina.kernel.db.schema import boolean, iid_counters, index, integer, primary_key, table, text

events = table(
    "events",
    primary_key(),
    text("kind"),  # noun.past_tense: issue.updated
    integer("actor_id", null=True),  # NULL: the instance itself
    integer("author_id", null=True),  # whom feeds tell it of: who joined or left, otherwise the actor
    integer("project_id", null=True),  # no references: an event outlives what it speaks of
    integer("group_id", null=True),
    text("subject_kind"),  # the noun of the kind: issue
    integer("subject_id"),
    text("changes", default="{}"),  # JSON: {"title": [old, new]}
    boolean("confidential"),
    text("created_at"),
    # Covering: feeds walk and count them without reading what changed.
    index(
        "author_id", "id", "kind", "subject_kind", "subject_id", "project_id", "created_at", name="ix_events_of_author"
    ),
    index(
        "project_id", "id", "kind", "subject_kind", "subject_id", "author_id", "created_at", name="ix_events_of_project"
    ),
    index("subject_kind", "subject_id", "id"),
)

jobs = table(
    "jobs",
    primary_key(),
    text("task"),
    text("key"),  # jobs of one key run one after the other
    integer("wanted"),  # how often it was asked for since it was last taken
    text("ready_at"),  # nobody takes it before: when it was wanted for, the end of a back-off, the end of a lease
    text("again_at", null=True),  # when it is wanted next, if it was while it ran
    text("leased_by", null=True),  # the runner that has it
    integer("attempts", default=0),  # runs begun since the last good one
    text("last_error", null=True),
    text("parked_at", null=True),  # given up, until it is wanted again or an operator retries it
    text("created_at"),
    index("task", "key", unique=True),
    index("ready_at", where="parked_at IS NULL"),
)

schedules = table(
    "schedules",
    text("task", key=True),
    text("key", key=True),
    integer("seconds"),  # between two wants
    text("next_at"),
    index("next_at"),
)

iid_counters()
