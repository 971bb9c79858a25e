"""What the database has to say of a push, read in one go: may this person still push here, and what is asked of them."""

from collections.abc import Mapping, Sequence

import msgspec

from mujina.code.lfs.locks import locked_by_others
from mujina.code.protected_branches.rules import Protection, protections
from mujina.code.push_rules.rules import PushRuleRow, push_rule_of
from mujina.git.access import RepositoryRow, find_deployed, find_repository
from mujina.instance.application_settings.params import MASTERS_ONLY
from mujina.instance.application_settings.rules import read_settings
from mujina.kernel.access import DEVELOPER, MASTER
from mujina.kernel.actor import Actor
from mujina.kernel.db.transaction import Tx
from mujina.kernel.params import Ref


class Demands(msgspec.Struct, frozen=True):
    """What a project asks of a push, as it stands for whoever pushes."""

    protected: Sequence[Protection]
    first: int
    """The level it takes to push while there is no default branch: every branch might become it."""
    rule: PushRuleRow | None
    locked: Mapping[str, str]
    """Paths that others have locked, and who."""


class Standing(msgspec.Struct, frozen=True):
    repository: RepositoryRow
    demands: Demands | None
    """None: whoever pushes is held to no rule of branches, tags or commits."""


async def read_standing(tx: Tx, actor: Actor, project_id: int, *, wiki: bool, deploy_key: str | None) -> Standing:
    """How things stand now; `Denied` for whoever may not push, or may no longer."""
    ref = Ref.of(project_id)
    if deploy_key is not None:
        # Compat: a deploy key that may push stands for no person, and is held to no rule.
        return Standing(await find_deployed(tx, deploy_key, ref, "receive-pack", wiki=wiki), None)
    repository = await find_repository(tx, actor, ref, "receive-pack", wiki=wiki)
    return Standing(repository, None if wiki else await _demands(tx, actor, repository))


async def _demands(tx: Tx, actor: Actor, repository: RepositoryRow) -> Demands:
    first = MASTER
    if repository.default_branch is None and (await read_settings(tx)).default_branch_protection != MASTERS_ONLY:
        first = DEVELOPER
    return Demands(
        await protections(tx, actor, repository.id, repository.level),
        first,
        await push_rule_of(tx, repository.id),
        await locked_by_others(tx, repository.id, actor) if repository.lfs_enabled else {},
    )
