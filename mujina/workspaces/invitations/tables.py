"""Invitations to groups and projects for addresses that no account has."""

from mujina.kernel.db.ddl import foreign_key, index, integer, primary_key, table, text

invitations = table(
    "invitations",
    primary_key(),
    text("source_kind"),  # group | project
    integer("source_id"),
    text("email"),
    text("email_folded"),
    integer("level"),
    text("expires_on"),  # of the access
    foreign_key("inviter_id", "users"),  # who sent it, or changed it last
    text("digest", null=True),  # of the token in the link; NULL: not mailed yet
    text("created_at"),
    text("sent_at"),  # when a mail was asked for last
    index("source_kind", "source_id", "email_folded", unique=True),
    index("digest", unique=True),
    index("email_folded"),
    index("inviter_id"),
    index("sent_at"),
)
