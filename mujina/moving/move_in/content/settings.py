"""What a project has besides texts: releases, protected branches and tags, hooks without secrets, names of variables."""

from collections.abc import Iterable
from typing import Final, LiteralString

from mujina.ci.variables.operations import VALUE
from mujina.integrations.hooks.operations import URL
from mujina.integrations.hooks.rules import MAX_FAILURES
from mujina.kernel import clock
from mujina.kernel.db.rows import insert, insert_each, insert_id, timestamps
from mujina.kernel.db.transaction import Tx
from mujina.kernel.permissions.levels import DEVELOPER, MASTER
from mujina.moving.move_in.content.uploads import bring_files
from mujina.moving.move_in.runs import MoveRun, ProjectRun, collect
from mujina.moving.move_in.texts import UPLOAD
from mujina.moving.sources.records import SourceGrant, SourceRelease
from mujina.workspaces.owners.rules import Owner

_LEVELS: Final = (0, DEVELOPER, MASTER)
MAX_DESCRIPTION_LENGTH: Final = 1_000_000
_HOOK_FLAGS: Final = (
    "enable_ssl_verification", "push_events", "tag_push_events", "issues_events", "note_events", "merge_requests_events",
    "job_events", "pipeline_events", "wiki_page_events", "releases_events",
)  # fmt: skip


async def move_settings(target: ProjectRun) -> None:
    """Everything that is not here yet; what was changed here since stays as it is."""
    await _move_releases(target)
    await _move_protections(target)
    await _move_hooks(target)
    owner = Owner("project", target.id, 0)
    await move_variables(target.run, owner, target.project.id, target.run.address_of(target.project))


async def _move_releases(target: ProjectRun) -> None:
    releases = await collect(target.run.source.releases(target.project.id))
    page = target.run.address_of(target.project)
    urls = [_named_by_path(target, each.url) for release in releases for each in release.assets.links]
    links = [url for url in urls if url.startswith(f"{page}/")]
    await bring_files(target, [*(release.description for release in releases), *links])
    async with target.run.services.database.transaction() as tx:
        await target.run.people.prepare(tx, [release.author for release in releases])
        for release in releases:
            await _release(tx, target, release)


async def _release(tx: Tx, target: ProjectRun, release: SourceRelease) -> None:
    description = target.text(release.description, MAX_DESCRIPTION_LENGTH, f"/-/releases/{release.tag_name}")
    created_at = clock.iso(release.created_at)
    release_id: int | None = await insert_id(
        tx, "releases", "ON CONFLICT (project_id, tag) DO NOTHING", project_id=target.id, tag=release.tag_name,
        name=release.name, description=description, released_at=clock.iso(release.released_at or release.created_at),
        author_id=await target.run.people.id_of(tx, release.author) if release.author else None,
        created_at=created_at, updated_at=created_at,
    )  # fmt: skip
    if release_id is None:
        return
    target.run.report.created["releases"] += 1
    for each in release.assets.links:
        await insert_id(
            tx, "release_links", "ON CONFLICT DO NOTHING", release_id=release_id, name=each.name,
            url=_link_url(target, each.url), link_type=each.link_type, **timestamps(),
        )  # fmt: skip


def _link_url(target: ProjectRun, url: str) -> str:
    """Where the link leads to here: to the file that was moved, or to the one at the source if it could not be."""
    url = _named_by_path(target, url)
    found = UPLOAD.search(url)
    here = target.files.get(found[0], "") if found else ""
    return here if here.startswith("http") else target.run.texts.rewrite(url, target.files)


def _named_by_path(target: ProjectRun, url: str) -> str:
    """The link with the path of the project; newer sources name it by its id in links to files: `/-/project/1/uploads/…`."""
    by_id = f"{target.run.source.origin}/-/project/{target.project.id}/uploads/"
    return target.run.address_of(target.project, f"/uploads/{url[len(by_id) :]}") if url.startswith(by_id) else url


async def _move_protections(target: ProjectRun) -> None:
    branches = await collect(target.run.source.protected_branches(target.project.id))
    tags = await collect(target.run.source.protected_tags(target.project.id))
    async with target.run.services.database.transaction() as tx:
        for branch in branches:
            branch_id = await _protect(
                tx, target, "protected_branches", branch.name, allow_force_push=branch.allow_force_push
            )
            if branch_id is not None:
                await insert_each(tx, "protected_branch_grants", [
                    {"branch_id": branch_id, "verb": verb, "level": level}
                    for verb, grants in (("push", branch.push_access_levels), ("merge", branch.merge_access_levels))
                    for level in _granted(target, branch.name, grants)
                ])  # fmt: skip
        for tag in tags:
            tag_id = await _protect(tx, target, "protected_tags", tag.name)
            if tag_id is not None:
                grants = _granted(target, tag.name, tag.create_access_levels)
                await insert_each(tx, "protected_tag_grants", [{"tag_id": tag_id, "level": level} for level in grants])


async def _protect(tx: Tx, target: ProjectRun, table: LiteralString, name: str, **columns: bool) -> int | None:
    """The id of the new protection; None if there is one of this name."""
    made: int | None = await insert_id(
        tx, table, "ON CONFLICT (project_id, name) DO NOTHING", project_id=target.id, name=name, **columns,
        **timestamps(),
    )  # fmt: skip
    target.run.report.created[table.replace("_", " ")] += made is not None
    return made


def _granted(target: ProjectRun, name: str, grants: Iterable[SourceGrant]) -> list[int]:
    """The levels that may; only masters if none is left. Single users and groups get nothing by an import."""
    levels = set[int]()
    for grant in grants:
        if grant.user_id is None and grant.group_id is None and grant.access_level in _LEVELS:
            levels.add(grant.access_level)
        else:
            target.problem("/-/settings/repository", f"A grant on {name!r} to a user, group or level is left out.")
    return sorted(levels) or [MASTER]


async def _move_hooks(target: ProjectRun) -> None:
    """Hooks with their addresses and events, without their secrets, which no source tells. They wait to be resumed."""
    hooks = await collect(target.run.source.hooks(target.project.id))
    async with target.run.services.database.transaction() as tx:
        for hook in hooks:
            if await target.find(tx, "hook", hook.id) is not None:
                continue
            hook_id: int = await insert_id(
                tx, "hooks", project_id=target.id, url=target.run.services.vault.encrypt(hook.url, URL),
                confidential_issues_events=bool(hook.confidential_issues_events),
                created_at=clock.iso(hook.created_at), updated_at=clock.iso(hook.created_at),
                **{flag: getattr(hook, flag) for flag in _HOOK_FLAGS},
            )  # fmt: skip
            await insert(
                tx, "hook_queues", hook_id=hook_id, ready_at=clock.NEVER, failures=MAX_FAILURES,
                disabled_until=clock.NEVER,
            )  # fmt: skip
            await target.remember(tx, "hook", hook.id, hook_id)
            target.problem(
                "/-/settings/integrations", "A hook came without its secret: it is called after it is resumed."
            )
            target.run.report.created["hooks"] += 1


async def move_variables(run: MoveRun, owner: Owner, source_id: int, address: str) -> None:
    """Bring the names of variables with an empty value: values are secrets that their owners set again."""
    variables = await collect(run.source.variables(f"{owner.kind}s", source_id))
    async with run.services.database.transaction() as tx:
        for variable in variables:
            made = await insert_id(
                tx, "ci_variables", "ON CONFLICT DO NOTHING", key=variable.key,
                value=run.services.vault.encrypt("", VALUE), variable_type=variable.variable_type,
                environment_scope=variable.environment_scope, protected=variable.protected, **owner.ids, **timestamps(),
            )  # fmt: skip
            if made is not None:
                run.report.created["variables"] += 1
                reason = f"The variable {variable.key} came without its value."
                run.report.problem(f"{address}/-/settings/ci_cd", reason)
