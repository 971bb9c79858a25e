"""Checking the signatures of commits and tags, when they are first shown; what was found is stored."""

import asyncio
from collections import defaultdict
from collections.abc import Mapping, Sequence
from time import thread_time
from typing import Final

import msgspec

from mujina.adapters.git.reading import signatures
from mujina.adapters.git.reading.signatures import SignedObject
from mujina.code.commits.operations import NEAR, Repository
from mujina.code.signatures import openpgp, ssh
from mujina.code.signatures.openpgp import ManySignatures, NamedKey, StoredKey
from mujina.code.signatures.rules import SignatureRow, find_signatures
from mujina.kernel.db.errors import ForeignKeyViolation, TemporaryFailure
from mujina.kernel.db.rows import insert_each, overwriting
from mujina.kernel.services import Services
from mujina.kernel.storage.errors import storage_problem
from mujina.kernel.text.folding import fold

MAX_SECONDS: Final = 0.3
"""Processor time that checking the signatures of one page may take, because a busy machine makes every check wait; the
others are checked when they are shown again."""
MAX_KEYS: Final = 5
"""Keys against which a signature is checked: the same subkey may be part of several."""
_MAX_ADDRESS_LENGTH: Final = 320
_MAX_NAME_LENGTH: Final = 255


class Checked(msgspec.Struct, kw_only=True):
    """The stored facts about a signature, as the columns of `commit_signatures`."""

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

    signed: SignedObject
    checked: Checked
    named: NamedKey | None = None


async def read(
    services: Services, code: Repository, project_id: int, ids: Sequence[str], *, required: bool = False
) -> dict[str, SignatureRow]:
    """The signatures of those of these commits and tags that have one, by id: one statement once all are checked.

    Where nothing can be stored, those that were not checked before are left out; if they are `required`, that is an
    error, which a secondary has the primary answer.
    """
    find = signatures.read_signatures
    near = len(ids) <= NEAR
    signed = find(code.repository, ids) if near else await asyncio.to_thread(find, code.repository, ids)
    if not signed:
        return {}
    shas = [each.id for each in signed]
    known = await _stored(services, project_id, shas)
    left = [each for each in signed if each.id not in known or known[each.id].outdated]
    if not left or (services.node_id is not None and not required):
        return known
    try:
        await _check_and_store(services, project_id, left)
    except Exception as error:
        if required or not (isinstance(error, TemporaryFailure) or storage_problem(error)):
            raise
        return known
    return await _stored(services, project_id, shas)


async def _stored(services: Services, project_id: int, shas: list[str]) -> dict[str, SignatureRow]:
    async with services.database.reading() as tx:
        return {row.sha: row for row in await find_signatures(tx, project_id, shas)}


async def _check_and_store(services: Services, project_id: int, signed: Sequence[SignedObject]) -> None:
    """Check these signatures, at least the first one, and store what was found."""
    parsed = await asyncio.to_thread(lambda: [_parsed(each) for each in signed])
    keys, owners = await _keys(services, parsed)
    checked = await asyncio.to_thread(_check, parsed, keys, owners)
    rows = [{"project_id": project_id, **msgspec.structs.asdict(each)} for each in sorted(checked, key=lambda c: c.sha)]
    try:
        async with services.database.transaction() as tx:
            await insert_each(tx, "commit_signatures", rows, _OVERWRITTEN)
    except ForeignKeyViolation:  # the project, or the user of a key, was removed meanwhile
        return


def _parsed(signed: SignedObject) -> Parsed:
    address = fold(signed.address).replace("\0", "")[:_MAX_ADDRESS_LENGTH]
    checked = Checked(sha=signed.id, kind="pgp", committer_folded=address)
    parsed = Parsed(signed, checked)
    if signed.signature.startswith(signatures.X509):
        checked.kind, checked.problem = "x509", "unverified"
    elif signed.signature.startswith(signatures.SSH):
        checked.kind = "ssh"
        found = ssh.check(signed.signature, signed.payload)
        checked.problem = "unverified" if found is None else None
        if found is not None:
            checked.fingerprint, checked.valid, checked.names_committer = found.fingerprint, found.valid, True
    else:
        try:
            parsed.named = openpgp.parse(signed.signature)
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
    end = thread_time() + MAX_SECONDS
    for each in parsed:
        if done and thread_time() > end:
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
    match = openpgp.check(named, parsed.signed.payload, keys[:MAX_KEYS])
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

_OVERWRITTEN: Final = overwriting(
    "project_id, sha",
    "problem, fingerprint, subkey, newest_key_id, user_id, valid, names_committer, signer_name, signer_email",
)
