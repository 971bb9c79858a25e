"""OpenPGP keys with which users sign commits."""

from mujina.kernel.db.schema import foreign_key, index, primary_key, table, text

gpg_keys = table(
    "gpg_keys",
    primary_key(),
    foreign_key("user_id", "users"),
    text("key"),  # armored, as the client sent it
    text("fingerprint"),  # upper-case hexadecimal
    text("primary_keyid"),  # the last sixteen digits of it
    text("addresses"),  # of its user ids, folded, one on each line: a signature counts if one belongs to the signer
    text("created_at"),
    index("fingerprint", unique=True),
    index("primary_keyid", unique=True),
    index("user_id"),
)
