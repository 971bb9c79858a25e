"""SSH keys: each is in use once, by a user or as a deploy key."""

from mujina.kernel.db.ddl import boolean, foreign_key, index, integer, primary_key, table, text, timestamps

ssh_keys = table(
    "ssh_keys",
    primary_key(),
    foreign_key("user_id", "users", null=True),  # null: a deploy key
    text("title"),
    text("key"),  # one line: type, base64, comment
    text("family"),  # rsa | dsa | ecdsa | ed25519 | ecdsa_sk | ed25519_sk
    integer("bits"),
    text("md5"),  # aa:bb:…
    boolean("from_directory"),  # it goes when the directory no longer has it
    text("expires_at", null=True),  # from then on it opens nothing; NULL: never
    text("sha256"),  # base64 without padding, as `ssh-keygen -l` prints it
    *timestamps(),
    index("sha256", unique=True),
    index("md5"),
    index("user_id"),
)
