"""Checking the signatures of commits, when they are first shown; what was found is stored."""

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence
from time import monotonic
from typing import Final

import msgspec

from mujina.adapters import git_signatures
from mujina.adapters.git_signatures import SignedCommit
from mujina.code.commits.operations import NEAR, Code, CommitInfo
from mujina.code.signatures import openpgp, ssh
from mujina.code.signatures.openpgp import ManySignatures, NamedKey, StoredKey
from mujina.code.signatures.rules import SignatureRow, find_signatures
from mujina.kernel.db.errors import ForeignKeyViolation, TemporaryFailure
from mujina.kernel.services import Services
from mujina.kernel.storage_errors import storage_problem
from mujina.kernel.text import fold

MAX_SECONDS: Final = 0.3
"""What checking the signatures of one page may take; the others are checked when they are shown again."""
MAX_KEYS: Final = 5
"""Keys against which a signature is checked: the same subkey may be part of several."""
_MAX_ADDRESS_LENGTH: Final = 320
_MAX_NAME_LENGTH: Final = 255
_SSH: Final = b"-----BEGIN SSH SIGNATURE-----"
_X509: Final = b"-----BEGIN SIGNED MESSAGE-----"


class Checked(msgspec.Struct, kw_only=True):
    """What is stored of a signature, as the columns of `commit_signatures`."""

    sha: str
    kind: str
    committer_folded: str
    problem: str | None = None
    key_id: str | None = None
    fingerprint: str | None = None
    subkey: str | None = None
    newest_key_id: int = 0
    user_id: int | None = None
    valid: bool = False
    names_committer: bool = False
    signer_name: str | None = None
    signer_email: str | None = None


class Parsed(msgspec.Struct):
    """A signature before it is checked against a key."""

    commit: SignedCommit
    checked: Checked
    named: NamedKey | None = None


async def read(
    services: Services, code: Code, project_id: int, commits: Sequence[CommitInfo], *, required: bool = False
) -> dict[str, SignatureRow]:
    """The signatures of those of these commits that have one, by their ids: one statement once all are checked.

    Where nothing can be stored, those that were not checked before are left out; if they are `required`, that is an
    error, which a secondary has the primary answer.
    """
    near = len(commits) <= NEAR
    ids, find = [commit.id for commit in commits], git_signatures.signed_ids
    signed = find(code.repository, ids) if near else await asyncio.to_thread(find, code.repository, ids)
    if not signed:
        return {}
    known = await _stored(services, project_id, signed)
    missing = {sha for sha in signed if sha not in known or known[sha].outdated}
    left = [commit for commit in commits if commit.id in missing]
    if not left or (services.node_id is not None and not required):
        return known
    try:
        await check(services, code, project_id, left)
    except Exception as error:
        if required or not (isinstance(error, TemporaryFailure) or storage_problem(error)):
            raise
        return known
    return await _stored(services, project_id, signed)


async def _stored(services: Services, project_id: int, shas: list[str]) -> dict[str, SignatureRow]:
    async with services.database.reading() as tx:
        return {row.sha: row for row in await find_signatures(tx, project_id, shas)}


async def check(services: Services, code: Code, project_id: int, commits: Sequence[CommitInfo]) -> None:
    """Check the signatures of these commits, at least the first one, and store what was found."""
    committers = {commit.id: commit.committer_email for commit in commits}
    parsed = await asyncio.to_thread(_parse, code, committers)
    keys, owners = await _keys(services, parsed)
    checked = await asyncio.to_thread(_check, parsed, keys, owners)
    rows = [{"project_id": project_id, **msgspec.structs.asdict(each)} for each in sorted(checked, key=lambda c: c.sha)]
    try:
        async with services.database.transaction() as tx:
            await tx.run_each(_STORE, rows)
    except ForeignKeyViolation:  # the project, or the user of a key, was removed meanwhile
        return


def _parse(code: Code, committers: Mapping[str, str]) -> list[Parsed]:
    return [_parsed(each, committers[each.id]) for each in git_signatures.read_signatures(code.repository, committers)]


def _parsed(commit: SignedCommit, committer: str) -> Parsed:
    address = fold(committer).replace("\0", "")[:_MAX_ADDRESS_LENGTH]
    checked = Checked(sha=commit.id, kind="pgp", committer_folded=address)
    parsed = Parsed(commit, checked)
    if commit.signature.startswith(_X509):
        checked.kind, checked.problem = "x509", "unverified"
    elif commit.signature.startswith(_SSH):
        checked.kind = "ssh"
        found = ssh.check(commit.signature, commit.payload)
        checked.problem = "unverified" if found is None else None
        if found is not None:
            checked.fingerprint, checked.valid, checked.names_committer = found.fingerprint, found.valid, True
    else:
        try:
            parsed.named = openpgp.parse(commit.signature)
        except ManySignatures:
            checked.problem = "multiple_signatures"
        else:
            checked.problem = "unverified" if parsed.named is None else None
            checked.key_id = parsed.named and parsed.named.key_id
    return parsed


async def _keys(services: Services, parsed: Sequence[Parsed]) -> tuple[dict[str, list[StoredKey]], dict[str, int]]:
    """The stored OpenPGP keys by the key IDs that the signatures name, and the users of their SSH keys."""
    key_ids = {each.named.key_id for each in parsed if each.named is not None}
    prints = {each.checked.fingerprint for each in parsed if each.checked.fingerprint is not None}
    keys: defaultdict[str, list[StoredKey]] = defaultdict(list)
    owners: dict[str, int] = {}
    async with services.database.reading() as tx:
        if key_ids:
            for key in await tx.rows(StoredKey, _CANDIDATES, key_ids=list(key_ids)):
                keys[key.key_id].append(key)
        if prints:
            owners = dict(await tx.rows(tuple[str, int], _OWNERS, prints=list(prints)))
    return keys, owners


def _check(parsed: Sequence[Parsed], keys: Mapping[str, list[StoredKey]], owners: Mapping[str, int]) -> list[Checked]:
    done: list[Checked] = []
    end = monotonic() + MAX_SECONDS
    for each in parsed:
        if done and monotonic() > end:
            break
        if each.checked.kind == "ssh":
            each.checked.user_id = owners.get(each.checked.fingerprint or "")
        elif each.named is not None:
            _match(each, each.named, keys.get(each.named.key_id, []))
        done.append(each.checked)
    return done


def _match(parsed: Parsed, named: NamedKey, keys: Sequence[StoredKey]) -> None:
    checked = parsed.checked
    checked.newest_key_id = max((key.id for key in keys), default=0)
    match = openpgp.check(named, parsed.commit.payload, keys[:MAX_KEYS])
    if match is None:
        return
    checked.fingerprint, checked.subkey, checked.user_id = match.key.fingerprint, match.subkey, match.key.user_id
    checked.valid = match.valid
    named_signers = [signer for signer in match.signers if signer.address == checked.committer_folded]
    checked.names_committer = bool(named_signers)
    for signer in [*named_signers, *match.signers][:1]:
        checked.signer_name = signer.name.replace("\0", "")[:_MAX_NAME_LENGTH]
        checked.signer_email = signer.address[:_MAX_ADDRESS_LENGTH]


_CANDIDATES: Final = """
    SELECT h.key_id, k.id, k.user_id, k.fingerprint, k.key FROM gpg_key_handles h JOIN gpg_keys k ON k.id = h.gpg_key_id
    WHERE h.key_id IN :key_ids ORDER BY CASE WHEN h.fingerprint = k.fingerprint THEN 0 ELSE 1 END, k.id LIMIT 500
"""
_OWNERS: Final = "SELECT sk.sha256, sk.user_id FROM ssh_keys sk WHERE sk.sha256 IN :prints AND sk.user_id IS NOT NULL"

_STORE: Final = """
    INSERT INTO commit_signatures
        (project_id, sha, kind, problem, key_id, fingerprint, subkey, newest_key_id, user_id, valid, names_committer,
         signer_name, signer_email, committer_folded)
    VALUES
        (:project_id, :sha, :kind, :problem, :key_id, :fingerprint, :subkey, :newest_key_id, :user_id, :valid,
         :names_committer, :signer_name, :signer_email, :committer_folded)
    ON CONFLICT (project_id, sha) DO UPDATE SET
        problem = excluded.problem, fingerprint = excluded.fingerprint, subkey = excluded.subkey,
        newest_key_id = excluded.newest_key_id, user_id = excluded.user_id, valid = excluded.valid,
        names_committer = excluded.names_committer, signer_name = excluded.signer_name,
        signer_email = excluded.signer_email
"""
