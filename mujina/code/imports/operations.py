"""Repositories fetched from another server: where from, and which refs follow."""

import base64
from collections.abc import Collection, Mapping
from pathlib import Path, PurePosixPath

from mujina.accounts.mails.operations import enqueue_mail
from mujina.adapters.git import git
from mujina.adapters.git import refs as git_refs
from mujina.adapters.git.transport.copying import MIRROR_REFS, Remote, SshLogin
from mujina.adapters.outbound.client import Outbound
from mujina.adapters.outbound.url import OutboundTarget
from mujina.code.pushes.access import find_repository
from mujina.code.pushes.changes import BRANCHES, TAGS, ZERO, Change
from mujina.code.pushes.checks.refs import check_names
from mujina.code.pushes.operations import Push
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.params import Ref
from mujina.kernel.permissions.actor import SYSTEM, Actor
from mujina.kernel.services import Services
from mujina.workspaces.projects.origins.imports import PRIVATE_KEY, PURPOSE, Import

REASONS = {
    "Authentication failed": "The credentials were not accepted",
    "could not read Username": "The credentials are missing or were not accepted",
    "Host key verification failed": "The server has none of the host keys that were given for it",
    "Permission denied (publickey)": "The key was not accepted: the other server has to know its public half",
    "Permission denied (password)": "The credentials were not accepted",
    "The connection failed": "The host could not be reached",
    "not found": "There is no repository at this address",
    "redirect": "The address leads elsewhere, and redirects are not followed",
    "error in ": "It holds something that git does not let in",
    "fsck error": "It holds something that git does not let in",
    "died of signal 25": "It is larger than imports may be",  # SIGXFSZ
    "error: 30": "The address leads elsewhere, and redirects are not followed",
}
"""Git's messages → our own for users: git's messages may disclose addresses of the internal network."""


class Diverged(Exception):
    """Some refs have diverged from those of the source; they stay as they are, all others follow."""


def explain(failure: git.GitCommandError, otherwise: str) -> str:
    """Why git failed, in our words."""
    return next((text for sign, text in REASONS.items() if sign in failure.stderr), otherwise)


async def check_import_url(services: Services, url: str) -> Remote:
    """The remote, pinned to an allowed address of its host; `OutboundForbidden` or `HostUnreachable` if there is none."""
    target = OutboundTarget.parse(url)
    pin = await Outbound(services.settings.outbound_allow).pinned(url)
    address = f"[{pin.address}]" if ":" in pin.address else pin.address
    # Git's library takes no IPv6 address for a name: it is in the URL, and nothing is looked up.
    pinned = "" if ":" in target.host else f"{pin.host}:{pin.port}:{address}"
    authorization = None
    if target.auth is not None:
        authorization = "Basic " + base64.b64encode(":".join(target.auth).encode()).decode()
    plain = f"{target.scheme}://{target.authority}{target.path}"
    return Remote(plain, pinned, authorization)


async def find_ssh_remote(services: Services, url: str, private_key: str, host_keys: str) -> Remote:
    """`check_import_url` for SSH: the server has one of the host keys; without a private key, the URL has a password."""
    target = OutboundTarget.parse(url, ssh=True)
    pin = await Outbound(services.settings.outbound_allow).pinned(url, ssh=True)
    user, password = target.auth or ("", "")
    host = f"[{target.host}]" if ":" in target.host else target.host
    login = SshLogin(
        address=pin.address, port=pin.port, user=user, private_key=private_key, host_keys=host_keys.splitlines(),
        password=password,
    )  # fmt: skip
    return Remote(f"ssh://{host}{target.path}", ssh=login)


async def find_source(services: Services, importing: Import) -> Remote:
    """Where a project is fetched from; `UnreadableSecret` if the key that encrypted it is lost."""
    url = services.vault.decrypt(importing.url, PURPOSE)
    if importing.host_keys is None:
        return await check_import_url(services, url)
    private_key = importing.private_key and services.vault.decrypt(importing.private_key, PRIVATE_KEY)
    return await find_ssh_remote(services, url, private_key or "", importing.host_keys)


async def mail_failure(tx: Tx, user_id: int | None) -> None:
    """Tell the user that a mirror began to fail, if they are still here."""
    address: str | None = await tx.value(
        "SELECT u.email FROM users u WHERE u.id = :id AND u.state = 'active' AND u.deleted_at IS NULL", id=user_id
    )
    if address is not None:
        await enqueue_mail(tx, user_id or 0, "mirror_failed", address)


async def update_mirror(services: Services, actor: Actor, project_id: int, repo_path: Path) -> None:
    """Fast-forward branches and create refs as fetched below `MIRROR_REFS`, and record them like a push.

    `Diverged` if a ref could not follow without losing commits or colliding with another name.
    """
    local = await git_refs.read_below(repo_path, BRANCHES, TAGS)
    fetched = await git_refs.read_below(repo_path, MIRROR_REFS)
    named = {f"refs/{name.removeprefix(MIRROR_REFS)}": tip for name, tip in fetched.items()}
    wanted = [Change(ref, local.get(ref, ZERO), tip) for ref, tip in named.items()]
    moved = [change for change in wanted if change.old != change.new and check_names([change]) is None]
    folders = {folder for ref in local for folder in _folders(ref)}
    changes = [
        change
        for change in moved
        if (_is_free(change.ref, local, folders) if change.creates else await _is_fast_forward(repo_path, change))
    ]
    if changes:
        async with services.database.reading() as tx:
            repository = await find_repository(tx, SYSTEM, Ref.of(project_id), "upload-pack")
        await Push(services, actor, repository, protocol="mirror").mirror(changes)
    if len(changes) < len(moved):
        raise Diverged


async def drop_invalid_refs(repo_path: Path) -> dict[str, str]:
    """Delete fetched refs whose names could not be pushed. The remaining branches, and their tips."""
    refs = await git_refs.read_below(repo_path, BRANCHES, TAGS)
    invalid = [ref for ref, tip in refs.items() if check_names([Change(ref, ZERO, tip)]) is not None]
    if invalid:
        await git_refs.drop_refs(repo_path, invalid)
    return {ref: tip for ref, tip in refs.items() if ref.startswith(BRANCHES) and ref not in invalid}


def _is_free(ref: str, local: Mapping[str, str], folders: Collection[str]) -> bool:
    """Whether no ref collides with the name: `a` excludes `a/b`, and the other way round."""
    return ref not in folders and not any(folder in local for folder in _folders(ref))


def _folders(ref: str) -> list[str]:
    return [str(folder) for folder in PurePosixPath(ref).parents]


async def _is_fast_forward(repo_path: Path, change: Change) -> bool:
    """Only branches are fast-forwarded; a tag never moves."""
    return change.branch is not None and await git_refs.is_ancestor(repo_path, change.old, change.new)
