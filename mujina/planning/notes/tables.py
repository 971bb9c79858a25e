"""What people and the instance itself say about issues, merge requests, snippets, commits and epics."""

from mujina.kernel.db.schema import flag, identity, index, number, searched, table, to, words

notes = table(
    "notes",
    identity(),
    words("noteable_kind"),  # issue | merge_request | snippet | commit | epic
    number("noteable_id"),
    to("project_id", "projects", null=True),
    to("author_id", "users"),
    words("body"),
    words("body_folded"),
    flag("system"),  # written by the instance because of what the author did
    words("action", null=True),  # of a system note that is said once: mentioned
    words("source_kind", null=True),  # what else a system note speaks of: issue | commit (by its project);
    number("source_id", null=True),  # whoever may not see that does not see the note either
    words("discussion_id"),  # 40 hexadecimal digits, shared by the notes of one discussion
    flag("individual", default=True),  # not part of a discussion that can be replied to
    words("created_at"),
    words("updated_at"),
    index("noteable_kind", "noteable_id", "created_at", "id"),
    index("noteable_kind", "noteable_id", "author_id"),
    index(
        "noteable_kind", "noteable_id", "source_kind", "source_id", unique=True, where="action = 'mentioned'",
        name="ix_notes_cross_references",
    ),
    index("source_kind", "source_id", where="source_kind IS NOT NULL"),
    index("discussion_id", "id"),
    index("project_id", "id"),
    index("author_id"),
)  # fmt: skip

note_texts = searched(
    "note_texts",
    "notes",
    words("noteable_kind"),
    number("noteable_id"),
    index("noteable_kind", "noteable_id"),
    texts=("body_folded",),
    unless="system",
)
