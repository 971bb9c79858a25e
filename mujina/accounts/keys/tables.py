"""SSH keys: each opens one door only, whoever's it is."""

from mujina.kernel.db.schema import identity, index, number, table, to, words

ssh_keys = table(
    "ssh_keys",
    identity(),
    to("user_id", "users", null=True),  # NULL: a key of projects, not of a person
    words("title"),
    words("key"),  # one line: type, base64, comment
    words("family"),  # rsa | dsa | ecdsa | ed25519 | ecdsa_sk | ed25519_sk
    number("bits"),
    words("md5"),  # aa:bb:…
    words("sha256"),  # base64 without padding, as `ssh-keygen -l` prints it
    words("created_at"),
    words("updated_at"),
    index("sha256", unique=True),
    index("user_id"),
)
