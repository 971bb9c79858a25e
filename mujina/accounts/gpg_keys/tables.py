"""OpenPGP keys with which users sign commits."""

from mujina.kernel.db.ddl import foreign_key, index, primary_key, table, text

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

gpg_key_handles = table(  # the primary key and the subkeys of each key: signatures name one of them
    "gpg_key_handles",
    primary_key(),
    foreign_key("gpg_key_id", "gpg_keys"),
    text("fingerprint"),
    text("key_id"),
    index("key_id"),
    index("gpg_key_id"),
)

revoked_gpg_keys = table(  # keys that a user has revoked and not added again: their signatures no longer count
    "revoked_gpg_keys",
    foreign_key("user_id", "users", key=True),
    text("fingerprint", key=True),
    text("created_at"),
)
