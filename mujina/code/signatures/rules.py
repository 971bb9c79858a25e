"""When a signature of a commit counts as verified, and the only way to look signatures up."""

from typing import Annotated, Literal, LiteralString

from mujina.accounts.emails.rules import CONFIRMED
from mujina.kernel.db.rows import Row
from mujina.kernel.db.transaction import Tx

Status = Literal[
    "verified", "unverified", "same_user_different_email", "other_user", "unverified_key", "unknown_key",
    "multiple_signatures",
]  # fmt: skip

_NAMES_CONFIRMED: LiteralString = f"""EXISTS (
    SELECT 1 FROM emails a WHERE a.user_id = k.user_id AND {CONFIRMED}
    AND REPLACE('\n' || k.addresses || '\n', '\n' || a.email_folded || '\n', '') <> '\n' || k.addresses || '\n')"""
"""Whether the user of the key has confirmed an address that the key names."""

STATUS: LiteralString = f"""CASE
    WHEN s.problem IS NOT NULL THEN s.problem
    WHEN k.id IS NULL AND sk.id IS NULL
        AND NOT (s.valid AND s.names_committer AND a.id IS NOT NULL AND rk.user_id IS NULL) THEN 'unknown_key'
    WHEN k.id IS NOT NULL AND NOT {_NAMES_CONFIRMED} THEN 'unverified_key'
    WHEN NOT s.valid THEN 'unverified'
    WHEN a.id IS NULL THEN 'other_user'
    WHEN NOT s.names_committer THEN 'same_user_different_email'
    ELSE 'verified' END"""
"""The state of the signature `s`: a removed key counts, unless its user revoked it or no longer has the address."""

_OUTDATED: LiteralString = """(
    coalesce(k.user_id, sk.user_id, s.user_id, 0) <> coalesce(s.user_id, 0)
    OR (NOT s.valid AND s.problem IS NULL AND EXISTS (
        SELECT 1 FROM gpg_key_handles nh WHERE nh.key_id = s.key_id AND nh.gpg_key_id > s.newest_key_id)))"""
"""Whether a key was added since the signature was checked that may have made it."""

FROM: LiteralString = f"""commit_signatures s
    LEFT JOIN gpg_keys k ON s.kind = 'pgp' AND k.fingerprint = s.fingerprint
    LEFT JOIN gpg_key_handles h ON h.gpg_key_id = k.id AND h.fingerprint = s.subkey
    LEFT JOIN ssh_keys sk ON s.kind = 'ssh' AND sk.sha256 = s.fingerprint AND sk.user_id IS NOT NULL
    LEFT JOIN revoked_gpg_keys rk ON rk.user_id = s.user_id AND rk.fingerprint = s.fingerprint
    LEFT JOIN users u ON u.id = coalesce(k.user_id, sk.user_id, s.user_id) AND u.deleted_at IS NULL
    LEFT JOIN emails a ON a.user_id = u.id AND a.email_folded = s.committer_folded AND {CONFIRMED}"""


class SignatureRow(Row, alias="s"):
    """A signature with the keys that have made it (`k` or `sk`) and their user (`u`)."""

    sha: str
    kind: Literal["pgp", "ssh", "x509"]
    status: Annotated[Status, STATUS]
    outdated: Annotated[bool, _OUTDATED]
    key_id: str | None
    fingerprint: str | None
    signer_name: str | None
    signer_email: str | None
    gpg_key_id: Annotated[int | None, "k.id"]
    primary_key_id: Annotated[str | None, "k.primary_keyid"]
    subkey_id: Annotated[int | None, "h.id"]
    ssh_key_id: Annotated[int | None, "sk.id"]
    ssh_key: Annotated[str | None, "sk.key"]
    ssh_key_created_at: Annotated[str | None, "sk.created_at"]
    user_id: Annotated[int | None, "u.id"]
    username: Annotated[str | None, "u.username"]
    user_name: Annotated[str | None, "u.name"]
    user_state: Annotated[str | None, "u.state"]
    user_avatar: Annotated[str | None, "u.avatar"]

    @property
    def known(self) -> bool:
        """Whether the user is the one of the key."""
        return self.gpg_key_id is not None or self.ssh_key_id is not None or self.status == "verified"


async def find_signatures(tx: Tx, project_id: int, shas: list[str]) -> list[SignatureRow]:
    """The known signatures of these commits."""
    return await tx.rows(
        SignatureRow,
        f"SELECT {SignatureRow.columns} FROM {FROM} WHERE s.project_id = :project_id AND s.sha IN :shas",
        project_id=project_id,
        shas=shas,
    )
