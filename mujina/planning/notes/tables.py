"""Comments and system notes on issues, merge requests, snippets, commits and epics."""

from mujina.kernel.db.ddl import (
    boolean,
    foreign_key,
    index,
    integer,
    kept_count,
    primary_key,
    search_index,
    table,
    text,
    timestamps,
)

notes = table(
    "notes",
    primary_key(),
    text("noteable_kind"),  # issue | merge_request | snippet | commit | epic
    integer("noteable_id"),
    foreign_key("project_id", "projects", null=True),
    foreign_key("author_id", "users"),
    text("body"),
    text("body_folded"),
    boolean("system"),  # written by the instance about an action of the author
    text("action", null=True),  # of a system note that is written once: mentioned
    text("source_kind", null=True),  # what a system note refers to: issue | commit (by its project);
    integer("source_id", null=True),  # users who may not read it do not see the note
    text("discussion_id"),  # 40 hexadecimal digits, shared by the notes of one discussion
    boolean("individual", default=True),  # not part of a discussion that can be replied to
    text("resolved_at", null=True),  # of a note in a discussion on a merge request
    foreign_key("resolved_by_id", "users", null=True, on_delete="SET NULL"),
    *timestamps(),
    index("noteable_kind", "noteable_id", "created_at", "id", "source_kind"),  # covers counts and the ids of a page
    index("noteable_kind", "noteable_id", "author_id"),
    index("noteable_kind", "noteable_id", "id"),  # the order of discussions
    index(
        "noteable_kind", "noteable_id", "discussion_id", "source_kind", where="NOT individual", name="ix_notes_threads"
    ),
    index(
        "noteable_kind", "noteable_id", "source_kind", "source_id", unique=True, where="action = 'mentioned'",
        name="ix_notes_cross_references",
    ),
    index("source_kind", "source_id", where="source_kind IS NOT NULL"),
    index("noteable_kind", "noteable_id", "source_kind", where="source_kind IS NOT NULL", name="ix_notes_sourced"),
    index("discussion_id", "id"),
    index("project_id", "id"),
    index(
        "noteable_kind", "noteable_id", where="resolved_at IS NULL AND NOT individual AND NOT system",
        name="ix_notes_unresolved",
    ),
    index("author_id"),
    index("resolved_by_id", where="resolved_by_id IS NOT NULL"),
)  # fmt: skip

kept_count("note_counts", [notes.c.noteable_kind, notes.c.noteable_id])

note_texts = search_index(
    "note_texts",
    "notes",
    text("noteable_kind"),
    integer("noteable_id"),
    index("noteable_kind", "noteable_id"),
    texts=("body_folded",),
    unless="system",
)
