"""What a project asks of everything that is pushed to it."""

from mujina.kernel.db.schema import flag, identity, index, number, table, to, words

push_rules = table(
    "push_rules",
    identity(),
    to("project_id", "projects"),
    words("commit_message_regex", null=True),
    words("branch_name_regex", null=True),
    words("author_email_regex", null=True),
    words("file_name_regex", null=True),  # names must not match; the others must
    flag("deny_delete_tag"),
    flag("member_check"),
    flag("prevent_secrets"),
    number("max_file_size", default=0),  # megabytes; 0: no limit
    words("created_at"),
    words("updated_at"),
    index("project_id", unique=True),
)
