"""OpenPGP keys with which people sign commits."""

from mujina.kernel.db.schema import identity, index, table, to, words

gpg_keys = table(
    "gpg_keys",
    identity(),
    to("user_id", "users"),
    words("key"),  # armored, as given
    words("fingerprint"),  # hexadecimal capitals
    words("primary_keyid"),  # the last sixteen digits of it
    words("addresses"),  # of its user ids, folded, one to a line: a signature counts if one is the signer's own
    words("created_at"),
    index("fingerprint", unique=True),
    index("primary_keyid", unique=True),
    index("user_id"),
)
