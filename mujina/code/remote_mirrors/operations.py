"""Push mirrors: creating, editing and deleting them, and what they make of the refs of the other server."""

from collections.abc import Mapping
from pathlib import Path
from typing import Any, Final, LiteralString

import msgspec

from mujina.adapters.git import git
from mujina.adapters.git import refs as git_refs
from mujina.adapters.git.transport.copying import Remote
from mujina.code.imports.operations import check_import_url, find_ssh_remote
from mujina.code.protected_branches.rules import wildcard
from mujina.code.pushes.changes import BRANCHES
from mujina.code.remote_mirrors.params import CreateMirror, EditMirror, MirrorChange
from mujina.code.remote_mirrors.rules import MirrorRow
from mujina.kernel import clock, errors
from mujina.kernel.db.rows import changed_columns, delete_row, insert_id, timestamps, update
from mujina.kernel.db.transaction import Tx
from mujina.kernel.errors import Problems
from mujina.kernel.events import Event, record
from mujina.kernel.http.params import UNSET, Unset
from mujina.kernel.jobs.queue import enqueue
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.services import Services
from mujina.workspaces.projects.operations import is_allowed_over_ssh, is_allowed_remote
from mujina.workspaces.projects.origins.ssh_keys import BLANK, ONLY_SSH, check_host_keys, joined, new_key_pair

URL: Final = "remote_mirrors.url"
"""The purpose for which addresses are encrypted."""
PRIVATE_KEY: Final = "remote_mirrors.private_key"
SSH: Final = "ssh_public_key"
PUSH: Final = "remote_mirrors.push"
MAX_URL_LENGTH: Final = 2000
MAX_MIRRORS: Final = 10
"""Mirrors of a project: each push to it leads to a push to each mirror."""
NOT_ALLOWED: Final = "is not an address that mirrors may push to"
HAS_MIRROR: Final[LiteralString] = """EXISTS (SELECT 1 FROM remote_mirrors rm
    WHERE rm.project_id = :project_id AND rm.enabled)"""


class MirrorFacts(msgspec.Struct, frozen=True):
    """What a push to mirrors needs to know of the project."""

    storage: str
    default_branch: str | None
    protected: list[str]
    """Names and patterns of branches."""

    def protects(self, ref: str) -> bool:
        branch = ref.removeprefix(BRANCHES)
        return ref.startswith(BRANCHES) and any(wildcard(name).fullmatch(branch) for name in self.protected)


async def create(tx: Tx, services: Services, actor: Actor, project_id: int, change: CreateMirror) -> int:
    """A new mirror; if it is enabled, everything is pushed to it soon."""
    ssh = change.auth_method == SSH
    _check(services, change, ssh=ssh)
    number = await tx.value("SELECT count(*) FROM remote_mirrors WHERE project_id = :id", id=project_id)
    if number >= MAX_MIRRORS:
        raise errors.bad_request(f"a project has at most {MAX_MIRRORS} mirrors")
    columns = {"enabled": False, "only_protected_branches": False, "keep_divergent_refs": False, **_columns(change)}
    keys = new_key_pair(services.vault, PRIVATE_KEY)._asdict() if ssh else {}
    mirror_id: int = await insert_id(
        tx, "remote_mirrors", project_id=project_id, user_id=actor.id or None,
        url=services.vault.encrypt(change.url, URL), auth_method=SSH if ssh else "password", **keys, **columns,
        **timestamps(),
    )  # fmt: skip
    await _record(tx, "remote_mirror.created", actor, mirror_id, project_id, {"enabled": (None, columns["enabled"])})
    if columns["enabled"]:
        await _schedule(tx, project_id, actor.id)
    return mirror_id


async def edit(tx: Tx, actor: Actor, mirror: MirrorRow, change: EditMirror) -> None:
    """Apply the change; an enabled mirror is pushed to soon. How it signs in stays as it is."""
    problems = Problems()
    if change.auth_method not in (UNSET, mirror.auth_method):
        problems.add("auth_method", "cannot be changed: create another mirror")
    _check_host_keys(problems, change.host_keys, ssh=mirror.private_key is not None)
    problems.refuse()
    columns = _columns(change)
    await update(tx, "remote_mirrors", {**columns, "updated_at": clock.now()}, id=mirror.id)
    changes = changed_columns(mirror, columns)
    await _record(tx, "remote_mirror.updated", actor, mirror.id, mirror.project_id, changes)
    if columns.get("enabled", mirror.enabled):
        await _schedule(tx, mirror.project_id, actor.id)


async def remove(tx: Tx, actor: Actor, mirror: MirrorRow) -> None:
    await delete_row(tx, "remote_mirrors", "Remote Mirror", id=mirror.id)
    await _record(tx, "remote_mirror.deleted", actor, mirror.id, mirror.project_id, {"enabled": (mirror.enabled, None)})


async def sync(tx: Tx, actor: Actor, mirror: MirrorRow) -> None:
    """Push to the mirror soon; 400 if it is switched off."""
    if not mirror.enabled:
        raise errors.bad_request("the mirror is not enabled")
    await _schedule(tx, mirror.project_id, actor.id)


async def push_after_change(tx: Tx, event: Event) -> None:
    """A task pushes what was pushed here to the mirrors of the project."""
    await _schedule(tx, event.project_id or 0, event.actor_id)


async def _schedule(tx: Tx, project_id: int, user_id: int | None) -> None:
    await enqueue(tx, PUSH, project_id, owner_id=user_id)
    await tx.run(
        """UPDATE remote_mirrors SET update_status = 'scheduled'
           WHERE project_id = :project_id AND enabled AND update_status <> 'scheduled'""",
        project_id=project_id,
    )


def _check(services: Services, change: CreateMirror, *, ssh: bool) -> None:
    """400 unless the mirror could be made."""
    problems = Problems()
    problems.require("url", change.url, MAX_URL_LENGTH)
    if change.url and not (is_allowed_over_ssh if ssh else is_allowed_remote)(services, change.url):
        problems.add("url", NOT_ALLOWED)
    if ssh and not change.host_keys:
        problems.add("host_keys", BLANK)
    _check_host_keys(problems, change.host_keys, ssh=ssh)
    problems.refuse()


def _check_host_keys(problems: Problems, lines: list[str] | Unset, *, ssh: bool) -> None:
    if lines is UNSET:
        return
    if ssh:
        check_host_keys(problems, "host_keys", lines)
    else:
        problems.add("host_keys", ONLY_SSH)


async def find_remote(services: Services, mirror: MirrorRow) -> Remote:
    """The other repository at a checked address; `OutboundForbidden` or `HostUnreachable` if there is none."""
    url = services.vault.decrypt(mirror.url, URL)
    if mirror.private_key is None:
        return await check_import_url(services, url)
    return await find_ssh_remote(
        services, url, services.vault.decrypt(mirror.private_key, PRIVATE_KEY), mirror.host_keys
    )


def _columns(change: MirrorChange) -> dict[str, Any]:
    given = {name: value for name, value in change.sent_fields().items() if name not in ("url", "auth_method")}
    if isinstance(change.host_keys, list):
        given["host_keys"] = joined(change.host_keys)
    return given


async def _record(tx: Tx, kind: str, actor: Actor, mirror_id: int, project_id: int, changes: dict[str, Any]) -> None:
    await record(tx, kind, actor, subject_id=mirror_id, project_id=project_id, changes=changes)


async def plan_push(
    repo_path: Path, mirror: MirrorRow, local: Mapping[str, str], remote: Mapping[str, str], facts: MirrorFacts
) -> tuple[list[str], list[str]]:
    """What to push, as git spells it, and the refs that have diverged over there and stay.

    A branch that is gone here is deleted there if the default branch has its commits.
    """
    refspecs, diverged = list[str](), list[str]()
    for ref, tip in local.items():
        there = remote.get(ref)
        if there == tip or (mirror.only_protected_branches and not facts.protects(ref)):
            continue
        if there is not None and mirror.keep_divergent_refs and not await _contains(repo_path, tip, there):
            diverged.append(ref)
        else:
            refspecs.append(f"+{ref}:{ref}")
    kept = local.get(f"{BRANCHES}{facts.default_branch}")
    if kept is not None and not mirror.only_protected_branches:
        gone = {ref: tip for ref, tip in remote.items() if ref.startswith(BRANCHES) and ref not in local}
        refspecs += [f":{ref}" for ref, tip in gone.items() if await _contains(repo_path, kept, tip)]
    return refspecs, diverged


async def _contains(repo_path: Path, tip: str, other: str) -> bool:
    """Whether the other commit is known here and part of the history of the tip."""
    try:
        return await git_refs.is_ancestor(repo_path, other, tip)
    except git.GitCommandError:
        return False
