"""Signatures of commits and tags: what was found out when each was first shown. Statuses follow from this, keys and addresses."""

from mujina.kernel.db.ddl import boolean, foreign_key, index, integer, table, text

commit_signatures = table(
    "commit_signatures",
    foreign_key("project_id", "projects", key=True),
    text("sha", key=True),
    text("kind"),  # pgp | ssh | x509
    text("problem", null=True),  # unverified | multiple_signatures: it could not be checked against any key
    text("key_id", null=True),  # of the OpenPGP key that it names: sixteen digits
    text("fingerprint", null=True),  # of the whole OpenPGP key, not of a subkey; or of the SSH key (SHA-256, base64)
    text("subkey", null=True),  # fingerprint of the subkey, if one has made it
    integer("newest_key_id", default=0),  # the last of the keys it was checked against, in `gpg_keys`
    foreign_key("user_id", "users", null=True, on_delete="SET NULL"),  # who had the key when it was checked
    boolean("valid"),  # made by this key, of this commit
    boolean("names_committer"),  # the key has a user id with this address
    text("signer_name", null=True),  # of the user id
    text("signer_email", null=True),
    text("committer_folded"),  # the address of the committer or tagger
    index("user_id", where="user_id IS NOT NULL"),
)
