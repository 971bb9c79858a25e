"""The policy for a push, read in one transaction: whether the actor may push, and which rules apply."""

from collections.abc import Mapping, Sequence

import msgspec

from mujina.code.lfs.locks import locked_by_others
from mujina.code.protected_branches.rules import Protection, protections
from mujina.code.protected_tags.rules import TagProtection, tag_protections
from mujina.code.push_rules.rules import PushRuleRow, enforced_push_rule
from mujina.code.pushes.access import RepositoryRow, find_repository, find_repository_by_deploy_key
from mujina.code.pushes.collaboration import collaboration_branches
from mujina.instance.application_settings.params import MASTERS_ONLY
from mujina.instance.application_settings.rules import read_settings
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.params import Ref
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.permissions.levels import DEVELOPER, MASTER


class PushPolicy(msgspec.Struct, frozen=True):
    """The rules of a project that apply to a push of one actor."""

    branches: frozenset[str] | None
    """The only branches that the actor may push to; None: all that no protection covers."""
    protected: Sequence[Protection]
    tags: list[TagProtection]
    first_push_level: int
    """The level required while the project has no default branch: any branch might become it."""
    rule: PushRuleRow | None
    locked: Mapping[str, str]
    """Paths that other users have locked in LFS, and their names."""


class PushContext(msgspec.Struct, frozen=True):
    repository: RepositoryRow
    policy: PushPolicy | None
    """None: no rule about branches, tags or commits applies."""


async def read_context(tx: Tx, actor: Actor, project_id: int, *, wiki: bool, deploy_key: str | None) -> PushContext:
    """The repository and the policy as they are now; `AccessDenied` if the actor may not push."""
    ref = Ref.of(project_id)
    if deploy_key is not None:
        # Compat: a deploy key that may push represents no user, and no rule applies to it.
        return PushContext(await find_repository_by_deploy_key(tx, deploy_key, ref, "receive-pack", wiki=wiki), None)
    repository = await find_repository(tx, actor, ref, "receive-pack", wiki=wiki)
    return PushContext(repository, None if wiki else await _policy(tx, actor, repository))


async def _policy(tx: Tx, actor: Actor, repository: RepositoryRow) -> PushPolicy:
    first_push_level = MASTER
    if repository.default_branch is None and (await read_settings(tx)).default_branch_protection != MASTERS_ONLY:
        first_push_level = DEVELOPER
    return PushPolicy(
        branches=None if repository.member else await collaboration_branches(tx, actor, repository.id),
        protected=await protections(tx, actor, repository.id, repository.level),
        tags=await tag_protections(tx, actor, repository.id, repository.level),
        first_push_level=first_push_level,
        rule=await enforced_push_rule(tx, repository.id),
        locked=await locked_by_others(tx, repository.id, actor) if repository.lfs_enabled else {},
    )
