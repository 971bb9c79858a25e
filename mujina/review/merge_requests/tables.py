"""Merge requests and their stored documents. A request belongs to its target project, which numbers it."""

from mujina.kernel.db.ddl import (
    Part,
    boolean,
    documents,
    foreign_key,
    index,
    integer,
    kept_count,
    kept_link_count,
    link_table,
    primary_key,
    search_index,
    shown_in_documents,
    table,
    text,
    timestamps,
)

merge_requests = table(
    "merge_requests",
    primary_key(),
    foreign_key("project_id", "projects"),  # the target
    integer("iid"),
    foreign_key("source_project_id", "projects", null=True, on_delete="SET NULL"),
    text("source_branch"),
    text("target_branch"),
    text("title"),
    text("title_folded"),
    text("description", null=True),
    text("description_folded", default=""),
    text("state", default="opened"),  # opened | closed | merged | locked
    boolean("draft"),  # what the beginning of the title says
    foreign_key("author_id", "users"),
    foreign_key("milestone_id", "milestones", null=True, on_delete="SET NULL"),
    boolean("discussion_locked"),
    boolean("squash"),
    boolean("force_remove_source_branch"),
    integer("approvals_before_merge", null=True),
    text("merge_status", default="unchecked"),  # unchecked | can_be_merged | cannot_be_merged
    text("checked_pair", default=""),  # the ids, source and target, for which merge_status was computed
    boolean("behind"),  # whether the source lacked the tip of the target when merge_status was computed
    boolean("conflicting"),  # whether the last comparison that was decided found a conflict
    foreign_key("merging_push_id", "pushes", null=True, on_delete="SET NULL"),  # set: the server is merging it
    text("merging_sha", null=True),  # the commit that this push moves the target branch to
    text("merging_squash_sha", null=True),
    foreign_key("remover_id", "users", null=True, on_delete="SET NULL"),  # who removes the source branch once merged
    text("merge_commit_sha", null=True),
    text("squash_commit_sha", null=True),
    text("merge_error", null=True),
    boolean("merge_when_pipeline_succeeds"),
    foreign_key("merge_user_id", "users", null=True, on_delete="SET NULL"),  # who enabled the automatic merge;
    integer("should_remove_source_branch", null=True),  # 1 | 0; null: as force_remove_source_branch says
    text("merge_commit_message", null=True),
    text("squash_commit_message", null=True),
    foreign_key("rebaser_id", "users", null=True, on_delete="SET NULL"),  # who asked for the last rebase
    text("rebase_sha", null=True),  # the head that the last rebase made: approvals survive it
    boolean("allow_collaboration"),  # those who may push to the target may push to the source branch
    foreign_key("merged_by_id", "users", null=True, on_delete="SET NULL"),
    text("merged_at", null=True),
    foreign_key("closed_by_id", "users", null=True, on_delete="SET NULL"),
    text("closed_at", null=True),
    integer("time_estimate", default=0),
    integer("total_time_spent", default=0),
    integer("user_notes_count", default=0),
    *timestamps(),
    index("project_id", "iid", unique=True),
    # Two requests for the same branches cannot both be open, even if two clients ask at once.
    index(
        "source_project_id", "source_branch", "project_id", "target_branch", unique=True, where="state = 'opened'",
        name="ix_merge_requests_open_branches",
    ),
    index("project_id", "target_branch", where="state = 'opened'", name="ix_merge_requests_open_into"),
    # Lists find the ids of a page in these indexes alone, before they read rows.
    index("project_id", "created_at", "id", "state"),
    index("project_id", "updated_at", "id", "state"),
    index("created_at", "id", "project_id", "state"),
    index("updated_at", "id", "project_id", "state"),
    index("author_id", "created_at", "id", "project_id", "state"),
    index("milestone_id", where="milestone_id IS NOT NULL"),
    index("merge_user_id", where="merge_user_id IS NOT NULL"),
    index("source_project_id", where="state = 'opened'", name="ix_merge_requests_open_from"),
    index(
        "source_project_id", "project_id", where="source_project_id <> project_id", name="ix_merge_requests_from_forks"
    ),
    index("merging_push_id", where="merging_push_id IS NOT NULL"),
    index("remover_id", where="remover_id IS NOT NULL"),
    index("rebaser_id", where="rebaser_id IS NOT NULL"),
    index("merge_commit_sha", where="merge_commit_sha IS NOT NULL"),
    index("squash_commit_sha", where="squash_commit_sha IS NOT NULL"),
    index("merged_by_id", where="merged_by_id IS NOT NULL"),
    index("closed_by_id", where="closed_by_id IS NOT NULL"),
)  # fmt: skip

kept_count("merge_request_counts", [merge_requests.c.project_id, merge_requests.c.state])

merge_request_texts = search_index(
    "merge_request_texts",
    "merge_requests",
    integer("project_id"),
    integer("author_id"),
    index("project_id"),
    texts=("title_folded", "description_folded"),
    unless="id IS NULL",  # none is left out
)

merge_request_labels = link_table(
    "merge_request_labels",
    "merge_request",
    "label",
    index("label_id", "merge_request_id"),
)

kept_link_count("merge_request_label_counts", merge_request_labels.c.label_id, merge_requests, ["project_id", "state"])

merge_request_assignees = link_table(
    "merge_request_assignees",
    "merge_request",
    "user",
    index("user_id", "merge_request_id"),
)

merge_request_reviewers = link_table(
    "merge_request_reviewers",
    "merge_request",
    "user",
    index("user_id", "merge_request_id"),
)

documents(
    "merge_request_documents",
    "merge_requests",
    Part("merge_request_labels", "merge_request_id"),
    Part("merge_request_assignees", "merge_request_id"),
    Part("merge_request_reviewers", "merge_request_id"),
    Part("merge_request_versions", "merge_request_id", columns=("head_sha", "state")),
    Part("approvals", "merge_request_id"),
    Part("awards", "subject_id", only=lambda row: f"{row}.subject_kind = 'merge_request'"),
    # Discussions block merging until they are resolved.
    Part(
        "notes", "noteable_id", columns=("system", "individual", "resolved_at"),
        only=lambda row: f"{row}.noteable_kind = 'merge_request' AND NOT {row}.system AND NOT {row}.individual",
    ),
    # A pipeline is shown where it decides whether a request is merged.
    Part(
        "pipelines", columns=("status",),
        ids=lambda row: f"""SELECT mr.id FROM merge_requests mr JOIN projects p ON p.id = mr.project_id
            WHERE mr.source_project_id = {row}.project_id AND mr.source_branch = {row}.ref AND mr.state = 'opened'
            AND p.only_allow_merge_if_pipeline_succeeds""",
    ),
)  # fmt: skip
shown_in_documents(
    "projects", "merge_method", "only_allow_merge_if_pipeline_succeeds",
    "only_allow_merge_if_all_discussions_are_resolved", "approvals_before_merge", project="id",
)  # fmt: skip
# A fork that is deleted is no longer the source of its requests.
shown_in_documents(
    "projects",
    "deleted_at",
    projects="""SELECT DISTINCT mr.project_id AS id FROM merge_requests mr
        WHERE mr.source_project_id = OLD.id AND mr.source_project_id <> mr.project_id""",
)
