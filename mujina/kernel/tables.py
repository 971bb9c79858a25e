"""What the kernel itself keeps: what happened, what is still to be done, and what is done by the clock."""

from mujina.kernel.db.schema import flag, identity, index, number, numbered, table, words

events = table(
    "events",
    identity(),
    words("kind"),  # noun.past_tense: issue.updated
    number("actor_id", null=True),  # NULL: the instance itself
    number("author_id", null=True),  # whom feeds tell it of: who joined or left, otherwise the actor
    number("project_id", null=True),  # no references: an event outlives what it speaks of
    number("group_id", null=True),
    words("subject_kind"),  # the noun of the kind: issue
    number("subject_id"),
    words("changes", default="{}"),  # JSON: {"title": [old, new]}
    flag("confidential"),
    words("created_at"),
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
    identity(),
    words("task"),
    words("key"),  # jobs of one key run one after the other
    number("wanted"),  # how often it was asked for since it was last taken
    words("ready_at"),  # nobody takes it before: when it was wanted for, the end of a back-off, the end of a lease
    words("again_at", null=True),  # when it is wanted next, if it was while it ran
    words("leased_by", null=True),  # the runner that has it
    number("attempts", default=0),  # runs begun since the last good one
    words("last_error", null=True),
    words("parked_at", null=True),  # given up, until it is wanted again or an operator retries it
    words("created_at"),
    index("task", "key", unique=True),
    index("ready_at", where="parked_at IS NULL"),
)

schedules = table(
    "schedules",
    words("task", key=True),
    words("key", key=True),
    number("seconds"),  # between two wants
    words("next_at"),
    index("next_at"),
)

numbered()
