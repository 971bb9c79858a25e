"""Requests that change one repository through the API and name its project alike run one after another in a process."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import wraps
from time import monotonic
from typing import Concatenate, Final, ParamSpec, TypeVar, cast
from weakref import WeakValueDictionary

from mujina.kernel.errors import BranchMoved
from mujina.kernel.http.params import Ref
from mujina.workspaces.projects.rules import ProjectRow

Request = TypeVar("Request")
Rest = ParamSpec("Rest")
Result = TypeVar("Result")

RETRY_SECONDS: Final = 5
"""The lock holds within one process: other processes and pushes may move the ref first, even many times in a row."""
MIN_ATTEMPTS: Final = 20
"""The minimum of attempts: on a busy machine the time is over after a few."""

_locks: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()


def with_repository_lock(
    handler: Callable[Concatenate[Request, Rest], Awaitable[Result]],
) -> Callable[Concatenate[Request, Rest], Awaitable[Result]]:
    """Run the route or form under the repository's lock. If the ref moved meanwhile, run it again on the new state."""

    @wraps(handler)
    async def locked(request: Request, *args: Rest.args, **rest: Rest.kwargs) -> Result:
        # A route names the project by `id`, a form has it found already.
        found = rest.get("project")
        name = str(found.id) if isinstance(found, ProjectRow) else cast("Ref", rest["id"]).text
        return await under_repository_lock(name, lambda: handler(request, *args, **rest))

    return locked


async def under_repository_lock(name: str, work: Callable[[], Awaitable[Result]]) -> Result:
    """The result of work that changes the repository of the project with this id or path."""
    async with _locks.setdefault(name, asyncio.Lock()):
        return await retry_on_branch_moved(work)


async def retry_on_branch_moved(work: Callable[[], Awaitable[Result]]) -> Result:
    """The result of work that is done again, on the new state, if a ref moved meanwhile."""
    started, attempts = monotonic(), 0
    while True:
        try:
            return await work()
        except BranchMoved:
            attempts += 1
            if attempts >= MIN_ATTEMPTS and monotonic() - started > RETRY_SECONDS:
                raise
