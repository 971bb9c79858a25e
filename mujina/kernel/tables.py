"""The tables of the kernel: events, jobs, processes that run them, schedules, counters of limits, epochs of documents."""

from mujina.kernel.db.ddl import boolean, document_epochs, iid_counters, index, integer, primary_key, table, text

events = table(
    "events",
    primary_key(),
    text("kind"),  # noun.past_tense: issue.updated
    integer("actor_id", null=True),  # NULL: the instance itself
    integer("author_id", null=True),  # whose feed shows it: the user who joined or left, otherwise the actor
    integer("project_id", null=True),  # no foreign key: an event outlives its subject
    integer("group_id", null=True),
    text("subject_kind"),  # the noun of the kind: issue
    integer("subject_id"),
    text("changes", default="{}"),  # JSON: {"title": [old, new]}
    boolean("confidential"),
    text("created_at"),
    # Covering: feeds read and count events without reading `changes`. By time: a feed of some days starts at once.
    index(
        "author_id", "created_at", "id", "kind", "subject_kind", "subject_id", "project_id", name="ix_events_of_author"
    ),
    index(
        "project_id", "created_at", "id", "kind", "subject_kind", "subject_id", "author_id", name="ix_events_of_project"
    ),
    index("subject_kind", "subject_id", "id"),
)

jobs = table(
    "jobs",
    primary_key(),
    text("task"),
    text("key"),  # jobs of one key run one after the other
    integer("owner_id", default=0),  # the user it is for, whose share of the slots it takes; 0: the instance
    integer("enqueued"),  # how often since it was last taken
    text("ready_at"),  # not taken before: the time it was enqueued for, the end of a back-off or of a lease
    text("again_at", null=True),  # when to run again, if it was enqueued while it ran
    text("leased_by", null=True),  # the runner that took it
    integer("attempts", default=0),  # runs started since the last success
    text("last_error", null=True),
    text("parked_at", null=True),  # not tried again until it is enqueued again or an operator retries it
    text("created_at"),
    index("task", "key", unique=True),
    index("ready_at", where="parked_at IS NULL"),
)

# What each process in the background does and has done; the row without a name has the counts of those that are gone.
background_processes = table(
    "background_processes",
    text("name", key=True),
    text("hostname"),
    integer("pid"),
    text("queues"),  # separated by spaces
    integer("concurrency"),
    integer("busy"),
    integer("processed"),
    integer("failed"),
    text("started_at"),
    text("seen_at"),
)

limit_counters = table(
    "limit_counters",
    text("key", key=True),  # what is counted, of whom, and in which span of time
    integer("number"),
    text("counted_at"),  # the last one; under a key that names a span of time, the first
    index("counted_at"),
)

schedules = table(
    "schedules",
    text("task", key=True),
    text("key", key=True),
    integer("seconds"),  # between two runs
    text("next_at"),
    index("next_at"),
)

iid_counters()
document_epochs()
