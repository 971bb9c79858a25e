"""The one check path of everything that moves a ref: pushes over HTTP and SSH, and commits made through the API.

A push is judged while its objects lie in quarantine; approved, it leaves an intent; git moves the refs; what moved is
recorded in one transaction; only then is anybody told. An intent whose process died is mended by a job.

    push = Push(services, actor, repository, protocol="web")
    await push.move([Change("refs/heads/master", old, new)])      # from inside: checks, moves, records; or `Refused`
"""

import asyncio
import contextlib
from collections.abc import Sequence
from pathlib import Path
from time import monotonic
from typing import Final, Literal

from mujina.accounts.credentials.basic import BLOCKED
from mujina.adapters import git_refs
from mujina.adapters.git_storage import RepositoryStorage, unlock
from mujina.code.repositories import operations
from mujina.code.repositories.changes import ZERO, Account, Change
from mujina.git.access import Denied, RepositoryRow, find_repository, storage_of
from mujina.git.accounts import account_for, account_for_wiki
from mujina.git.commit_checks import check_commits
from mujina.git.first_push import remarks_on
from mujina.git.lfs_checks import check_locks, check_pointers
from mujina.git.ref_checks import check_deletions, check_names, check_refs
from mujina.git.standing import Demands, Standing, read_standing
from mujina.kernel import errors
from mujina.kernel.actor import Actor
from mujina.kernel.params import Ref
from mujina.kernel.services import Services

FRESH_SECONDS: Final = 1.0
"""So long before the hook asks, at the most, is read what it is answered by; git that takes longer has it read anew."""
LOCKED_SECONDS: Final = 60
"""Whoever died in the middle of a push may have left its refs locked: since it is mended, for at least this long."""
PushProtocol = Literal["http", "ssh", "web", "mirror"]


class Refused(Exception):
    """The push breaks a rule; the text is for the person who pushes."""


class Unsettled(Exception):
    """Git was cut off while refs were moving: nobody is told anything, and the intent is mended later."""


class Push:
    """One push, from its proposal to its record."""

    def __init__(
        self,
        services: Services,
        actor: Actor,
        repository: RepositoryRow,
        *,
        wiki: bool = False,
        protocol: PushProtocol = "http",
        deploy_key: str | None = None,
    ) -> None:
        self.services = services
        self.actor = actor
        self.repository = repository
        self.wiki = wiki
        self.protocol: PushProtocol = protocol
        self.deploy_key = deploy_key
        self._id: int | None = None
        self._intended: Sequence[Change] = ()
        self._foreseen: tuple[float, Standing | None] = (0.0, None)
        self._place: Path | None = None
        self._settled = False

    @property
    def approved(self) -> bool:
        """Whether refs may be moving: from here on nobody is told anything until it is recorded."""
        return self._id is not None

    async def place(self) -> Path:
        """Where the repository is; looked for once, so that one that is removed meanwhile is not made anew."""
        if self._place is None:
            storage = storage_of(self.services, self.repository)
            self._place = await storage.repository(self.repository.id, wiki=self.wiki)
        return self._place

    async def look_ahead(self) -> None:
        """All of it has come: how things stand is read while git is busy with the objects, and not when it asks."""
        with contextlib.suppress(Exception):  # whatever it is, it is met again when git asks
            self._foreseen = monotonic(), await self._read_standing()

    async def judge(self, quarantine: str, changes: Sequence[Change]) -> str | None:
        """What is wrong with these changes; None, and an intent is left, if nothing is."""
        try:
            await self._check(quarantine, changes)
        except (Refused, Denied) as refusal:
            return str(refusal)
        await self._intend(changes)
        return None

    async def settle(self, moved: Sequence[Change]) -> None:
        """These refs have moved: once this returns, that is recorded for good."""
        assert self._id is not None
        account = await _account(
            await self.place(), moved, self.repository.default_branch, wiki=self.wiki, protocol=self.protocol
        )
        async with self.services.database.transaction() as tx:
            await operations.record_push(
                tx, self.actor, self._id, self.repository.id, account, self._intended, wiki=self.wiki
            )
        self._settled = True
        if self.repository.default_branch is None and not self.wiki:
            await self._name_default_branch()

    async def remarks(self) -> str:
        """What there is to say to whoever pushed, beside git's own words."""
        if self._id is None or self.wiki:
            return ""
        async with self.services.database.reading() as tx:
            return await remarks_on(tx, self.actor, self.repository, self._id, ssh=self.protocol == "ssh")

    async def close(self, *, clean: bool) -> None:
        """Git has ended. If it came to its own end it has told us of every ref that moved, or none did.

        Unless its hook was killed before it could: a ref that is where it was to go is left to whoever mends.
        """
        if self._settled or self._id is None:
            return
        if not clean:
            raise Unsettled
        tips = await git_refs.read_refs(await self.place(), [change.ref for change in self._intended])
        if not any(tips.get(change.ref, ZERO) == change.new for change in self._intended):
            await self._forget()

    async def _forget(self) -> None:
        assert self._id is not None
        async with self.services.database.transaction() as tx:
            await operations.drop_push(tx, self._id)

    async def move(self, changes: Sequence[Change]) -> None:
        """Move these refs of objects that are here already, all or none; `Refused`, or `git_refs.Moved`, if not."""
        if (refusal := await self.judge("", changes)) is not None:
            raise Refused(refusal)
        await self._carry_out(changes)

    async def take_over(self, changes: Sequence[Change]) -> None:
        """Move these refs as they were moved elsewhere: like any push, but held to no rule of this instance."""
        await self._intend(changes)
        await self._carry_out(changes)

    async def _intend(self, changes: Sequence[Change]) -> None:
        async with self.services.database.transaction() as tx:
            self._id = await operations.intend(
                tx, self.actor, self.repository.id, changes, wiki=self.wiki, protocol=self.protocol
            )
        self._intended = changes

    async def _carry_out(self, changes: Sequence[Change]) -> None:
        try:
            await git_refs.move_refs(await self.place(), [(change.ref, change.old, change.new) for change in changes])
        except git_refs.Moved:
            await self._forget()
            raise
        await self.settle(changes)

    async def _check(self, quarantine: str, changes: Sequence[Change]) -> None:
        """Access may have ended while the objects were on their way: it is read again, once they are here."""
        read_at, standing = self._foreseen
        if standing is None or monotonic() - read_at > FRESH_SECONDS:
            standing = await self._read_standing()
        place = await self.place()
        environment = _quarantined(place, quarantine)
        refusal = check_names(changes) or await check_deletions(place, changes)
        if refusal is None and standing.demands is not None:
            refusal = await self._check_rules(standing.repository, standing.demands, changes, place, environment)
        if refusal is None and not self.wiki:
            refusal = await check_pointers(self.services, self.actor, standing.repository, changes, place, environment)
        if refusal is not None:
            raise Refused(refusal)

    async def _check_rules(
        self,
        repository: RepositoryRow,
        demands: Demands,
        changes: Sequence[Change],
        place: Path,
        environment: dict[str, str],
    ) -> str | None:
        """What the project's rules have against a push of this person."""
        web, rule = self.protocol == "web", demands.rule
        refusal = await check_refs(self.actor, repository, demands, changes, place, environment, web=web)
        if refusal is None and rule is not None:
            default_branch = repository.default_branch
            refusal = await check_commits(self.services, rule, default_branch, changes, place, environment, web=web)
        return refusal or await check_locks(demands.locked, changes, place, environment)

    async def _read_standing(self) -> Standing:
        async with self.services.database.reading() as tx:
            standing = await read_standing(
                tx, self.actor, self.repository.id, wiki=self.wiki, deploy_key=self.deploy_key
            )
        # Compat: an administrator who acts as somebody through the API does so though that person is blocked.
        if standing.repository.blocked and self.protocol != "web":
            raise Denied(403, BLOCKED)
        return standing

    async def _name_default_branch(self) -> None:
        async with self.services.database.reading() as tx:
            branch = await tx.value("SELECT p.default_branch FROM projects p WHERE p.id = :id", id=self.repository.id)
        if branch is not None:
            await git_refs.set_head(await self.place(), branch)


def _quarantined(place: Path, quarantine: str) -> dict[str, str]:
    """An environment in which git sees the objects of the push beside those of the repository."""
    objects = place / "objects"
    if not quarantine or not Path(quarantine).is_relative_to(objects.resolve()):
        return {}
    return {"GIT_OBJECT_DIRECTORY": quarantine, "GIT_ALTERNATE_OBJECT_DIRECTORIES": str(objects)}


async def mend(services: Services, push_id: int) -> None:
    """Whoever made this intent has not come back: record what did move, forget the rest."""
    async with services.database.reading() as tx:
        push = await operations.find_intent(tx, push_id)
        if push is None:
            return
        changes = await operations.intended_changes(tx, push_id)
        overtaken = [change for change in changes if await operations.overtaken(tx, push, change)]
        told = [change for change in changes if await operations.told_already(tx, push, change)]
    place = await RepositoryStorage.of(services.settings.data, push.storage).repository(push.project_id, wiki=push.wiki)
    await asyncio.to_thread(unlock, place, LOCKED_SECONDS)
    tips = await git_refs.read_refs(place, [change.ref for change in changes])
    arrived = [change for change in changes if tips.get(change.ref, ZERO) == change.new or change in overtaken]
    moved = [change for change in arrived if change not in told]
    account = await _account(place, moved, push.default_branch, wiki=push.wiki, protocol=push.protocol)
    async with services.database.transaction() as tx:
        if moved:
            actor = Actor(id=push.actor_id or 0)
            await operations.record_push(tx, actor, push.id, push.project_id, account, changes, wiki=push.wiki)
        else:
            await operations.drop_push(tx, push.id)


async def _account(
    place: Path, moved: Sequence[Change], default_branch: str | None, *, wiki: bool, protocol: str
) -> Account:
    if wiki:
        return await account_for_wiki(place, moved, web=protocol == "web")
    return await account_for(place, moved, default_branch)


async def move_for_api(
    services: Services, actor: Actor, project_id: int, changes: Sequence[Change], *, wiki: bool = False
) -> None:
    """Move refs for a caller of the API: checked, moved and recorded like any push, refused in the API's own way."""
    try:
        async with services.database.reading() as tx:
            repository = await find_repository(tx, actor, Ref.of(project_id), "receive-pack", wiki=wiki)
        await Push(services, actor, repository, wiki=wiki, protocol="web").move(changes)
    except Denied as denied:
        raise errors.not_found("Project") if denied.status == 404 else errors.forbidden(denied.text) from None
    except Refused as refused:
        raise errors.bad_request(str(refused)) from None
    except git_refs.Moved:
        raise errors.Overtaken from None
