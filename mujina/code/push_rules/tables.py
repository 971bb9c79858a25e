"""Push rules: what each push to a project must satisfy."""

from mujina.kernel.db.ddl import boolean, foreign_key, index, integer, primary_key, table, text, timestamps

push_rules = table(
    "push_rules",
    primary_key(),
    foreign_key("project_id", "projects", null=True),
    boolean("is_default"),  # of no project: new ones get a copy of it
    text("commit_message_regex", null=True),
    text("branch_name_regex", null=True),
    text("author_email_regex", null=True),
    text("file_name_regex", null=True),  # names must not match; the others must
    boolean("deny_delete_tag"),
    boolean("member_check"),
    boolean("prevent_secrets"),
    integer("max_file_size", default=0),  # megabytes; 0: no limit
    *timestamps(),
    index("project_id", unique=True),
    index("is_default", unique=True, where="is_default"),
)
