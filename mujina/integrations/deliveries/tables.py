"""Events on their way to hooks: captured, built into payloads, delivered, logged."""

from mujina.kernel.db.ddl import boolean, foreign_key, index, integer, primary_key, table, text

# Written in the transaction of the event if a hook may want it; deleted once its payloads are built.
hook_events = table(
    "hook_events",
    primary_key(),
    integer("event_id"),
    text("snapshot"),  # JSON: the subject as it was then
    text("visited", default=""),  # ids of the hooks whose deliveries led to it, joined by -: they do not get it
    integer("attempts", default=0),  # failures to build its payloads
)

# What is sent, the same for every hook that gets it; kept as long as the log shows it.
hook_payloads = table(
    "hook_payloads",
    primary_key(),
    text("key"),  # the header X-Gitlab-Event-UUID; with the id of the hook, the header Idempotency-Key
    text("event"),  # the header X-Gitlab-Event
    text("trigger"),  # push_hooks | issue_hooks | …, as the log shows it
    text("flag", null=True),  # the flag of the hooks that get it; NULL: every system hook
    integer("project_id", null=True),  # no foreign key: the event that a project was removed outlives it
    text("body"),  # JSON
    text("visited", default=""),  # as in hook_events
    text("created_at"),
    index("key"),
    index("created_at"),
)

# The queue of each hook, in the order of the ids; deleted once it is delivered.
hook_deliveries = table(
    "hook_deliveries",
    primary_key(),
    foreign_key("hook_id", "hooks"),
    foreign_key("payload_id", "hook_payloads"),
    integer("attempts", default=0),
    boolean("asked_for"),  # by an operator: the hook gets it whatever its flags are
    text("created_at"),
    index("hook_id", "id"),
    index("payload_id"),
)

# One row for each hook that has had a delivery: the lease of its queue, and how its receiver does.
hook_queues = table(
    "hook_queues",
    foreign_key("hook_id", "hooks", key=True),
    text("ready_at", null=True),  # not before: a back-off, a pause, the end of a lease; NULL: nothing waits
    text("leased_by", null=True),  # the process that delivers
    integer("enqueued", default=0),  # how many deliveries it has got: a change tells that more came
    integer("failures", default=0),  # in a row
    text("disabled_until", null=True),
    index("ready_at", where="ready_at IS NOT NULL"),
)

# One row for each attempt, kept for seven days, without secrets.
hook_logs = table(
    "hook_logs",
    primary_key(),
    foreign_key("hook_id", "hooks"),
    foreign_key("payload_id", "hook_payloads"),
    text("url"),
    text("request_headers"),  # JSON
    text("response_headers"),  # JSON
    text("response_body"),
    text("response_status"),  # 200 | internal error
    integer("milliseconds"),
    text("error", null=True),
    text("created_at"),
    index("hook_id", "id"),
    index("payload_id"),
    index("created_at"),
)

# The one row names the process that builds payloads: events are built in their order.
hook_builders = table(
    "hook_builders",
    integer("id", key=True),
    text("leased_by"),
    text("leased_until"),
)
