"""The one path by which a ref moves: pushes over HTTP and SSH, mirrors, and commits made through the API.

A push is checked while its objects are in quarantine. An approved push writes an intent, git moves the refs, one
transaction records what moved, and only then does the client get its answer. A file is locked meanwhile: a job recovers
an intent whose file is not, because its process died or gave up.

    push = Push(services, actor, repository, protocol="web")
    await push.move([Change("refs/heads/master", old, new)])      # checks, moves and records, or `PushRejected`
"""

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Generator, Sequence
from dataclasses import KW_ONLY, dataclass, field
from pathlib import Path
from time import monotonic
from typing import Final, Literal

from mujina.accounts.credentials.basic import BLOCKED
from mujina.adapters.file_locks import FileLock, is_locked, locked_file
from mujina.adapters.git import refs
from mujina.adapters.git.storage import RepositoryStorage, has_locked, unlock
from mujina.code.pushes import records
from mujina.code.pushes.access import AccessDenied, RepositoryRow, find_repository
from mujina.code.pushes.changes import ZERO, Change, PushSummary, first_branch
from mujina.code.pushes.checks.commits import check_commits
from mujina.code.pushes.checks.lfs import check_locks, check_pointers
from mujina.code.pushes.checks.missing_projects import message_about
from mujina.code.pushes.checks.policy import PushContext, PushPolicy, read_context
from mujina.code.pushes.checks.refs import NO_DEFAULT_DELETION, check_deletions, check_names, check_refs
from mujina.code.pushes.followers import announce, follow
from mujina.code.pushes.records import PushRow
from mujina.code.pushes.repo_paths import repo_path_to_write
from mujina.code.pushes.summaries import summarize, summarize_wiki
from mujina.kernel import errors
from mujina.kernel.concurrency.repository_slots import repository_slot
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.params import Ref
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.services import Services

POLICY_MAX_AGE: Final = 1.0
"""Prefetched policy may be at most this many seconds old when the hook asks; older policy is read again."""
STALE_LOCK_SECONDS: Final = 60
"""A process that died during a push may leave refs locked. Recovery removes locks that are at least this old."""
PushProtocol = Literal["http", "ssh", "web", "mirror"]
WithIntent = Callable[[Tx, int], Awaitable[None]]
"""Written in the transaction of the intent, which has this id; an error leaves neither."""


class PushRejected(Exception):
    """The push breaks a rule; the text is for the user who pushes."""


class Interrupted(Exception):
    """Git was killed while refs were moving: the client gets no answer, and a job recovers the push."""


@dataclass(eq=False)
class Push:
    """One push, from its proposal to its record."""

    services: Services
    actor: Actor
    repository: RepositoryRow
    _: KW_ONLY
    wiki: bool = False
    protocol: PushProtocol = "http"
    deploy_key: str | None = None
    merging: bool = False
    """Whether the right to merge into a protected branch suffices."""
    _lock: FileLock | None = field(default=None, init=False)
    _id: int | None = field(default=None, init=False)
    _intended: Sequence[Change] = field(default=(), init=False)
    _moved: Sequence[Change] = field(default=(), init=False)
    _prefetched: tuple[float, PushContext | None] = field(default=(0.0, None), init=False)
    _repo_path: Path | None = field(default=None, init=False)
    _recorded: bool = field(default=False, init=False)

    @property
    def approved(self) -> bool:
        """Whether refs may be moving. If so, the client gets no answer until the push is recorded."""
        return self._id is not None

    @contextlib.contextmanager
    def under_way(self) -> Generator[int]:
        """While the block runs, the push is not recovered, nor while a git that inherits this open file runs."""
        with locked_file(_locks(self.services)) as self._lock:
            yield self._lock.file

    async def repo_path(self) -> Path:
        """The folder of the repository. Looked up once: a repository removed meanwhile is not created again."""
        if self._repo_path is None:
            repository = self.repository
            self._repo_path = await repo_path_to_write(self.services, repository.storage, repository.id, wiki=self.wiki)
        return self._repo_path

    async def prefetch_policy(self) -> None:
        """Read the policy while git indexes the objects, so that the hook need not wait for it."""
        with contextlib.suppress(Exception):  # the hook reads it again and raises the same error
            self._prefetched = monotonic(), await self._read_context()

    async def check(self, quarantine: str, changes: Sequence[Change]) -> str | None:
        """Why these changes are rejected; None after their intent has been written. The push is `under_way`."""
        try:
            await self._check(quarantine, changes)
            await self._intend(changes)
        except (PushRejected, AccessDenied) as error:
            return str(error)
        return None

    async def record(self, moved: Sequence[Change]) -> None:
        """Records that these refs have moved: when this returns, they and the record are durable."""
        assert self._id is not None
        self._moved = moved
        await refs.sync_refs(await self.repo_path(), [change.ref for change in moved])
        summary = await _summarize(
            await self.repo_path(), moved, self.repository, wiki=self.wiki, protocol=self.protocol
        )
        followed = [] if self.wiki else await follow(self.services, self.actor, self.repository.id, moved)
        async with self.services.database.transaction() as tx:
            if await records.record_push(
                tx, self.actor, self._id, self.repository.id, summary, self._intended, wiki=self.wiki
            ):
                for store in followed:
                    await store(tx)
        self._recorded = True
        if self.repository.default_branch is None and not self.wiki:
            await self._set_head()

    async def message(self) -> str:
        """The text that git shows to the user after a recorded push; mostly empty."""
        if self._id is None or self.wiki:
            return ""
        async with self.services.database.reading() as tx:
            created = await message_about(tx, self.actor, self.repository, self._id, ssh=self.protocol == "ssh")
            return created + await announce(tx, self.actor, self.repository, self._moved)

    async def close(self, *, clean: bool) -> None:
        """Git has ended. If it exited by itself, its hook has reported every ref that moved, or no ref has moved.

        The hook itself may have been killed: if a ref is where it should go, the intent stays for recovery.
        """
        if self._recorded or self._id is None:
            return
        if not clean:
            raise Interrupted
        tips = await refs.read_refs(await self.repo_path(), [change.ref for change in self._intended])
        if not any(tips.get(change.ref, ZERO) == change.new for change in self._intended):
            await self._delete_intent()

    async def _delete_intent(self) -> None:
        assert self._id is not None
        async with self.services.database.transaction() as tx:
            await records.delete_intent(tx, self._id)

    async def move(
        self, changes: Sequence[Change], with_intent: WithIntent | None = None, *, dry_run: bool = False
    ) -> None:
        """Move refs to objects of this repository, all or none; `PushRejected` or `refs.RefMoved` if none.

        A `dry_run` only checks whether they may move.
        """
        async with repository_slot(self.repository.id):
            try:
                await self._check("", changes)
            except AccessDenied as denied:
                raise PushRejected(str(denied)) from None
            if not dry_run:
                await self._carry_out(changes, with_intent)

    async def mirror(self, changes: Sequence[Change]) -> None:
        """Move refs as another instance moved them: recorded like any push, and subject to no rule."""
        await self._carry_out(changes)

    async def _intend(self, changes: Sequence[Change], with_intent: WithIntent | None = None) -> None:
        assert self._lock is not None
        async with self.services.database.transaction() as tx:
            # Another branch may have become the default one since the check. No rule applies to deploy keys.
            ruled = not self.wiki and self.deploy_key is None
            if ruled and await records.deletes_default_branch(tx, self.repository.id, changes):
                raise PushRejected(NO_DEFAULT_DELETION)
            push_id = await records.create_intent(
                tx, self.actor, self.repository.id, changes, wiki=self.wiki, protocol=self.protocol,
                lock=self._lock.name,
            )  # fmt: skip
            if with_intent is not None:
                await with_intent(tx, push_id)
        self._id, self._intended = push_id, changes

    async def _carry_out(self, changes: Sequence[Change], with_intent: WithIntent | None = None) -> None:
        moves = [(change.ref, change.old, change.new) for change in changes]
        repo_path = await self.repo_path()  # before the intent, which says that it exists
        with self.under_way() as lock:
            await self._intend(changes, with_intent)
            try:
                await refs.move_refs(repo_path, moves, share=[lock])
            except refs.RefMoved:
                await self._delete_intent()
                raise
            await self.record(changes)

    async def _check(self, quarantine: str, changes: Sequence[Change]) -> None:
        """Access may have ended while the client sent its objects: it is read again after they have arrived."""
        read_at, context = self._prefetched
        if context is None or monotonic() - read_at > POLICY_MAX_AGE:
            context = await self._read_context()
        repo_path = await self.repo_path()
        environment = _quarantined(repo_path, quarantine)
        problem = check_names(changes) or await check_deletions(repo_path, changes)
        if problem is None and context.policy is not None:
            problem = await self._check_policy(context.repository, context.policy, changes, repo_path, environment)
        if problem is None and not self.wiki:
            problem = await check_pointers(
                self.services, self.actor, context.repository, changes, repo_path, environment
            )
        if problem is not None:
            raise PushRejected(problem)

    async def _check_policy(
        self,
        repository: RepositoryRow,
        policy: PushPolicy,
        changes: Sequence[Change],
        repo_path: Path,
        environment: dict[str, str],
    ) -> str | None:
        """Which rule of the project the changes break; None if none."""
        web, rule = self.protocol == "web", policy.rule
        problem = await check_refs(repository, policy, changes, repo_path, environment, web=web, merging=self.merging)
        if problem is None and rule is not None:
            default_branch = repository.default_branch
            problem = await check_commits(self.services, rule, default_branch, changes, repo_path, environment, web=web)
        return problem or await check_locks(policy.locked, changes, repo_path, environment)

    async def _read_context(self) -> PushContext:
        async with self.services.database.reading() as tx:
            context = await read_context(tx, self.actor, self.repository.id, wiki=self.wiki, deploy_key=self.deploy_key)
        # Compat: an administrator may act through the API for a user who is blocked.
        if context.repository.blocked and self.protocol != "web":
            raise AccessDenied(403, BLOCKED)
        return context

    async def _set_head(self) -> None:
        async with self.services.database.reading() as tx:
            branch = await tx.value("SELECT p.default_branch FROM projects p WHERE p.id = :id", id=self.repository.id)
        if branch is not None:
            await refs.set_head(await self.repo_path(), branch)


def _quarantined(repo_path: Path, quarantine: str) -> dict[str, str]:
    """The environment in which git reads the objects of the push together with those of the repository."""
    objects = repo_path / "objects"
    if not quarantine or not Path(quarantine).is_relative_to(objects.resolve()):
        return {}
    return {"GIT_OBJECT_DIRECTORY": quarantine, "GIT_ALTERNATE_OBJECT_DIRECTORIES": str(objects)}


def _locks(services: Services) -> Path:
    """The folder of the files that are locked by the pushes under way."""
    return services.settings.data / "pushes"


async def recover(services: Services, push_id: int) -> bool:
    """If the process that wrote this intent did not finish, record the refs that moved, or delete the intent.

    False if that has to wait: for the process, for another attempt at the same change, or for a git that still has a
    ref locked.
    """
    async with services.database.reading() as tx:
        push = await records.find_intent(tx, push_id)
        if push is None:
            return True
        if _is_under_way(services, push.lock):
            return False
        changes = await records.intended_changes(tx, push_id)
    repo_path = RepositoryStorage.of(services.settings.data, push.storage).repository(push.project_id, wiki=push.wiki)
    await asyncio.to_thread(unlock, repo_path, STALE_LOCK_SECONDS)
    if has_locked(repo_path, [change.ref for change in changes]):
        return False
    moved, recorded = await _moved_changes(services, push, repo_path, changes)
    await refs.sync_refs(repo_path, [change.ref for change in moved])
    summary = await _summarize(repo_path, moved, push, wiki=push.wiki, protocol=push.protocol)
    actor = Actor(id=push.actor_id or 0)
    followed = [] if push.wiki else await follow(services, actor, push.project_id, moved)
    async with services.database.transaction() as tx:
        if not moved:
            await records.delete_intent(tx, push.id)
            return True
        # Another attempt may have moved the ref: its intent was written before the tips were read, so it is found here.
        attempts = await records.lock_attempts(tx, push)
        if any(_is_under_way(services, lock) for lock in attempts):
            return False
        if await records.refs_recorded_elsewhere(tx, push) != recorded:
            return False
        if await records.record_push(tx, actor, push.id, push.project_id, summary, changes, wiki=push.wiki):
            for store in followed:
                await store(tx)
    return True


async def _moved_changes(
    services: Services, push: PushRow, repo_path: Path, changes: Sequence[Change]
) -> tuple[list[Change], list[str]]:
    """The changes that this push made, and the refs that another recorded push changed in the same way."""
    tips = await refs.read_refs(repo_path, [change.ref for change in changes])
    # After the tips: a push that moved a ref on wrote its intent before that, so it is found here.
    async with services.database.reading() as tx:
        continued = await records.continued_refs(tx, push)
        recorded = await records.refs_recorded_elsewhere(tx, push)
    done = [change for change in changes if tips.get(change.ref, ZERO) == change.new or change.ref in continued]
    return [change for change in done if change.ref not in recorded], recorded


def _is_under_way(services: Services, lock: str | None) -> bool:
    return lock is not None and is_locked(_locks(services), lock)


async def _summarize(
    repo_path: Path, moved: Sequence[Change], project: RepositoryRow | PushRow, *, wiki: bool, protocol: str
) -> PushSummary:
    if wiki:
        return await summarize_wiki(repo_path, moved, web=protocol == "web")
    return await summarize(repo_path, moved, project.default_branch or first_branch(moved, project.requested_branch))


async def move_refs(
    services: Services,
    actor: Actor,
    project_id: int,
    changes: Sequence[Change],
    *,
    wiki: bool = False,
    dry_run: bool = False,
) -> None:
    """Move refs for an API request: checked, moved and recorded like any push; errors are those of the API.

    A `dry_run` only checks whether they may move.
    """
    try:
        async with services.database.reading() as tx:
            repository = await find_repository(tx, actor, Ref.of(project_id), "receive-pack", wiki=wiki)
        await Push(services, actor, repository, wiki=wiki, protocol="web").move(changes, dry_run=dry_run)
    except AccessDenied as denied:
        raise errors.not_found("Project") if denied.status == 404 else errors.forbidden(denied.text) from None
    except PushRejected as rejected:
        raise errors.bad_request(str(rejected)) from None
    except refs.RefMoved:
        raise errors.BranchMoved from None
