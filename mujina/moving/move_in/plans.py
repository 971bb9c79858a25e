"""Which groups and projects a run moves, and to which paths."""

from typing import Final

import msgspec

from mujina.moving.move_in.report import MoveReport
from mujina.moving.move_in.runs import collect
from mujina.moving.sources.forge import Forge
from mujina.moving.sources.operations import SourceError
from mujina.moving.sources.records import GroupRecord, SourceProject

MAX_GROUPS: Final = 10_000


class MovePlan(msgspec.Struct):
    """Groups, each after the one above it, and projects, with the paths that they get here."""

    groups: list[tuple[GroupRecord, str]] = []
    projects: list[tuple[SourceProject, str]] = []

    @property
    def paths(self) -> dict[str, str]:
        """Path of a project at the source → its path here."""
        return {project.path_with_namespace: path for project, path in self.projects}


async def plan_project(source: Forge, path: str, into: str | None) -> MovePlan:
    """One project, into the group `into`, or to the path that it has at the source, with the groups above it."""
    project = await source.project(path)
    plan = MovePlan()
    if into is None and project.namespace.kind == "group":
        await _add_groups_above(source, plan, f"{project.namespace.full_path}/{project.path}")
    above = into if into is not None else project.namespace.full_path
    plan.projects.append((project, f"{above}/{project.path}"))
    return plan


async def plan_group(source: Forge, path: str, into: str | None, report: MoveReport) -> MovePlan:
    """A group with everything below it, into the group `into`, or to the path that it has at the source."""
    group = await source.group(path)
    plan = MovePlan()
    if into is None:
        await _add_groups_above(source, plan, group.full_path)
    above = into if into is not None else group.full_path.rpartition("/")[0]
    waiting = [(group, f"{above}/{group.path}".removeprefix("/"))]
    seen = {group.id}
    while waiting:
        group, here = waiting.pop(0)
        plan.groups.append((group, here))
        plan.projects += [(each, f"{here}/{each.path}") for each in await collect(source.projects_of(group.id))]
        for below in await collect(source.subgroups(group.id)):
            if below.id in seen or len(seen) >= MAX_GROUPS:
                report.problem(f"{source.address}/{below.full_path}", "The tree of groups goes round, or has no end.")
                continue
            seen.add(below.id)
            waiting.append((below, f"{here}/{below.path}"))
    return plan


async def plan_all(source: Forge, into: str | None) -> MovePlan:
    """Every project of which the token's user is a member."""
    plan = MovePlan()
    known = set[str]()
    for project in await collect(source.projects()):
        above = project.namespace.full_path
        if into is None and project.namespace.kind == "group" and above not in known:
            known.add(above)
            await _add_groups_above(source, plan, f"{above}/{project.path}")
        plan.projects.append((project, f"{into if into is not None else above}/{project.path}"))
    return plan


async def _add_groups_above(source: Forge, plan: MovePlan, path: str) -> None:
    """The groups above a path, the highest first; one that the token may not read has to exist here."""
    parts = path.split("/")[:-1]
    present = {here for _, here in plan.groups}
    for end in range(1, len(parts) + 1):
        above = "/".join(parts[:end])
        if above not in present:
            try:
                plan.groups.append((await source.group(above), above))
            except SourceError as error:
                if error.status not in (403, 404):
                    raise
