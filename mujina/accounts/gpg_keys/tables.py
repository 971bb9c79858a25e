"""OpenPGP keys with which people sign commits."""

from mujina.kernel.db.schema import foreign_key, index, primary_key, table, text

gpg_keys = table(
    "gpg_keys",
    primary_key(),
    foreign_key("user_id", "users"),
    text("key"),  # armored, as given
    text("fingerprint"),  # hexadecimal capitals
    text("primary_keyid"),  # the last sixteen digits of it
    text("addresses"),  # of its user ids, folded, one to a line: a signature counts if one is the signer's own
    text("created_at"),
    index("fingerprint", unique=True),
    index("primary_keyid", unique=True),
    index("user_id"),
)
