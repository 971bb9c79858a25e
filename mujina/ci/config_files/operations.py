"""Reading the CI file of a project with every file that it includes."""

import asyncio
import threading
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import Final, TypeVar

import msgspec

from mujina.adapters.outbound.client import Outbound, Timeouts
from mujina.adapters.outbound.dial import HostUnreachable
from mujina.adapters.outbound.guard import OutboundForbidden
from mujina.ci.language.compiler import CompiledConfig, compile_config, missing_files, parse_file
from mujina.ci.language.composition.includes import IncludedFile, ParsedFile, unreadable
from mujina.ci.language.composition.templates import no_template, read_template
from mujina.ci.language.config import JobRule
from mujina.ci.language.context import PipelineContext
from mujina.ci.language.patterns.globs import PathMatcher
from mujina.ci.language.variables import expand
from mujina.ci.language.yaml.values import MAX_BYTES
from mujina.code.commit_ranges.operations import merge_base
from mujina.code.commits import operations as commits
from mujina.code.commits.operations import ResolvedCommit
from mujina.code.files import operations as files
from mujina.code.pushes.changes import BRANCHES, TAGS, ZERO
from mujina.kernel import errors
from mujina.kernel.concurrency.fair_semaphore import FairSemaphore
from mujina.kernel.concurrency.priority import lower_priority
from mujina.kernel.http.params import Ref
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.services import Services
from mujina.workspaces.projects.rules import ProjectRow

DEFAULT_PATH: Final = ".gitlab-ci.yml"
MAX_PATHS: Final = 100_000
"""Files of a commit that `exists` is asked about."""
MAX_SECONDS: Final = 5.0
"""For all files of other servers together."""
MAX_REDIRECTS: Final = 3
NO_REMOTE_FILES: Final = "The instance does not fetch files of other servers"
TOO_SLOW: Final = f"The files of other servers took longer than {MAX_SECONDS:.0f} seconds"
TOO_LARGE: Final = "The file is larger than 1 MB"

_thread: Final = ThreadPoolExecutor(
    1, thread_name_prefix="ci-lint", initializer=lambda: lower_priority(threading.get_native_id())
)
"""A large file takes a second: one at a time, and requests of others come first."""
_limit: Final = FairSemaphore(1)
"""Users are served round-robin: a user who checks many files delays another user's pipeline by at most one check."""

Result = TypeVar("Result")


async def compute(actor: Actor, work: Callable[[], Result]) -> Result:
    """Run work on a CI file for this person beside the event loop."""
    async with _limit.slot(str(actor.id)):
        return await asyncio.get_running_loop().run_in_executor(_thread, work)


class LintedProject(msgspec.Struct, frozen=True):
    """The project whose CI file is checked, and the commit whose files it includes."""

    services: Services
    actor: Actor
    project: ProjectRow
    found: ResolvedCommit | None
    """None if the repository is empty."""
    since: str | None = None
    """The commit with which `changes` compares; None if it is not known."""


def read_file(found: ResolvedCommit, path: str) -> bytes:
    """The CI file at this path of the commit; empty if there is none. 413 if it is larger than a CI file may be."""
    try:
        blob = files.blob(found, path)
    except errors.NotFound:
        return b""
    if blob.data is None or len(blob.data) > MAX_BYTES:
        raise errors.too_large()
    return blob.data


async def compile_for_project(
    linted: LintedProject, content: bytes, context: PipelineContext
) -> tuple[CompiledConfig, PipelineContext]:
    """The CI file of the project with the files that it includes, as far as the actor may read them.

    Afterward the context has the paths that conditions of `include` asked for.
    """
    parsed = await compute(linted.actor, partial(parse_file, content))
    known: dict[IncludedFile, ParsedFile] = {}
    reader = _FileReader(linted)
    missing: list[IncludedFile] | None = None
    while missing is None or missing:
        for file in missing or []:
            known[file] = await reader.read(file)
        inclusions = [each for part in (parsed, *known.values()) for each in part.includes]
        context = await with_paths(linted, context, [rule for each in inclusions for rule in each.rules or []])
        missing = await compute(linted.actor, partial(missing_files, parsed, known.get, context))
    return await compute(linted.actor, partial(compile_config, parsed, known.get, context)), context


class _FileReader:
    """Reads the files that one CI file includes."""

    def __init__(self, linted: LintedProject) -> None:
        self._linted = linted
        self._left = MAX_SECONDS

    async def read(self, file: IncludedFile) -> ParsedFile:
        """The file, or why it cannot be read."""
        if file.kind == "template":
            content = read_template(file.location) or no_template()
        elif file.kind == "remote":
            content = await self._fetch(file.location)
        else:
            content = await self._read(file)
        if isinstance(content, str):
            return unreadable(content)
        return await compute(self._linted.actor, partial(parse_file, content, file.shown_location, file.given_inputs))

    async def _read(self, file: IncludedFile) -> bytes | str:
        """The file of a repository; no sentence says whether a project exists that the actor may not read."""
        try:
            found = await self._commit_of(file)
            blob = None if found is None else files.blob(found, file.location.lstrip("/"))
        except (errors.NotFound, errors.Forbidden, errors.BadRequest):
            return ""
        if blob is None:
            return ""
        return TOO_LARGE if blob.data is None or len(blob.data) > MAX_BYTES else blob.data

    async def _commit_of(self, file: IncludedFile) -> ResolvedCommit | None:
        """The commit that the included file is part of."""
        if not file.project:
            return self._linted.found
        if "\0" in file.project + file.ref:
            return None
        _, code = await commits.find_code(self._linted.services, self._linted.actor, Ref(file.project))
        return commits.find(code, file.ref or None)

    async def _fetch(self, url: str) -> bytes | str:
        """The file of another server, or a sentence that says why there is none."""
        settings = self._linted.services.settings
        if not settings.remote_includes:
            return NO_REMOTE_FILES
        if self._left <= 0:
            return TOO_SLOW
        clock = asyncio.get_running_loop().time
        begun = clock()
        outbound = Outbound(settings.outbound_allow)
        try:
            response = await outbound.get(
                url, timeouts=Timeouts(self._left, self._left, self._left), follow=MAX_REDIRECTS, max_bytes=MAX_BYTES
            )
        except (OutboundForbidden, HostUnreachable) as error:
            return str(error)
        finally:
            self._left -= clock() - begun
            await outbound.aclose()
        if response.status != 200:
            return f"The server answered with status {response.status}"
        return TOO_LARGE if response.truncated else response.body


async def with_paths(
    linted: LintedProject, context: PipelineContext, rules: Iterable[JobRule], *, changes: bool = False
) -> PipelineContext:
    """The context with the paths that these rules ask about, and with the changed ones if `changes` asks for them."""
    found = linted.found
    if found is None:
        return context
    rules = list(rules)
    if context.files is None and any(rule.exists is not None for rule in rules):
        context = msgspec.structs.replace(context, files=await _paths_of(found))
    changes = changes or any(rule.changes is not None and rule.compare_to is None for rule in rules)
    if context.changes is None and changes and linted.since not in (None, ZERO):
        paths = await files.changed_paths(found, linted.since)
        context = msgspec.structs.replace(context, changes=None if paths is None else PathMatcher(paths))
    refs = {expand(rule.compare_to, context.visible) for rule in rules if rule.compare_to is not None}
    for ref in sorted(refs - context.compared.keys() - context.unknown_refs):
        context = await _with_compared(found, context, ref)
    return context


async def _with_compared(found: ResolvedCommit, context: PipelineContext, ref: str) -> PipelineContext:
    """The context with the files that changed since the commit left the history of the ref."""
    try:
        base = await merge_base(found.code, [ref.removeprefix(BRANCHES).removeprefix(TAGS), found.id])
    except (errors.NotFound, errors.BadRequest):
        return msgspec.structs.replace(context, unknown_refs=context.unknown_refs | {ref})
    paths = await files.changed_paths(found, base.id)
    compared = {**context.compared, ref: None if paths is None else PathMatcher(paths)}
    return msgspec.structs.replace(context, compared=compared)


async def _paths_of(found: ResolvedCommit) -> PathMatcher:
    """The files of the commit."""
    entries, _ = await files.tree(found, "", recursive=True, offset=0, limit=MAX_PATHS)
    return PathMatcher([entry.path for entry in entries if entry.type == "blob"])
