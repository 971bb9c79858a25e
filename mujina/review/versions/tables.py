"""Versions of merge requests: what is compared. Commits and differences are read from git by these ids."""

from mujina.kernel.db.ddl import boolean, foreign_key, index, primary_key, table, text

merge_request_versions = table(
    "merge_request_versions",
    primary_key(),
    foreign_key("merge_request_id", "merge_requests"),
    text("head_sha", null=True),  # the tip of the source branch; null: there was none
    text("base_sha", null=True),  # the merge base
    text("start_sha", null=True),  # the tip of the target branch
    text("state"),  # empty | collected | overflow
    text("real_size", null=True),  # the number of files, with a plus if there are more
    text("closing", default="[]"),  # the references that the messages of its commits close, as JSON
    foreign_key("pusher_id", "users", null=True, on_delete="SET NULL"),  # whose push made it
    boolean("followed"),  # whether notes and positions of discussions were brought up to it
    text("created_at"),
    index("merge_request_id", "id"),
    index("merge_request_id", where="NOT followed", name="ix_merge_request_versions_unfollowed"),
    index("pusher_id", where="pusher_id IS NOT NULL"),
)
