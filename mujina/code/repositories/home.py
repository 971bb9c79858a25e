"""The home page of a project, beside its files."""

from collections.abc import Iterable
from hashlib import sha1
from typing import Final, NamedTuple

import msgspec

from mujina.accounts.users.entities import UserRef
from mujina.accounts.users.sign_in.addresses import users_by_address
from mujina.code.commits import operations as commits
from mujina.code.repositories.browsing import RepositoryLocation
from mujina.code.repositories.languages import shares
from mujina.kernel import clock, errors
from mujina.kernel.db.transaction import Tx
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.services import Services
from mujina.kernel.storage.recent_results import RecentResults
from mujina.workspaces.projects import entities
from mujina.workspaces.projects.entities import Project
from mujina.workspaces.projects.rules import ProjectRow

MAX_KEPT: Final = 1_000
MAX_CONTRIBUTORS: Final = 5
_TONES: Final = ("#3572a5", "#6b8e23", "#8a6d3b", "#b5651d", "#6a4590", "#2d5f8a", "#a3312b", "#24614f", "#757d85")


class LanguageShare(NamedTuple):
    """The part of a language in percent, with a color of its own."""

    name: str
    percent: float
    color: str


class RepositoryFacts(msgspec.Struct, frozen=True):
    """The facts about the files and the history of one commit; they never change."""

    languages: list[LanguageShare]
    contributors: list[tuple[str, str, int]]


class ProjectHome(msgspec.Struct, frozen=True):
    project: Project
    starred: bool
    commit_count: int = 0
    facts: RepositoryFacts | None = None
    authors: dict[str, UserRef] = {}
    """The users who wrote most commits, and the one who wrote the newest."""
    release: str = ""
    """The tag of the latest release; empty if there is none."""
    released_at: str = ""
    has_badges: bool = False


_facts_cache: Final = RecentResults[RepositoryFacts](MAX_KEPT)


async def read_home(
    services: Services, tx: Tx, actor: Actor, project: ProjectRow, location: RepositoryLocation | None
) -> ProjectHome:
    """The project as the API shows it, and its repository if the actor may read it: six statements at most."""
    shown = await entities.load_one(tx, services.vault, actor, project.id, managed=project.managed, statistics=True)
    starred, has_badges, release, released_at = await _further_facts(tx, actor, project.id)
    if location is None:
        return ProjectHome(shown, starred, has_badges=has_badges)
    facts = await _compute_facts(location)
    emails = {email for _, email, _ in facts.contributors[:MAX_CONTRIBUTORS]}
    authors = await users_by_address(tx, emails | {commits.show(location.found).author_email})
    _, count = await commits.history(location.found, "", "", "", offset=0, limit=1)
    return ProjectHome(
        project=shown, starred=starred, commit_count=count, facts=facts, authors=authors, release=release,
        released_at=released_at, has_badges=has_badges,
    )  # fmt: skip


async def _further_facts(tx: Tx, actor: Actor, project_id: int) -> tuple[bool, bool, str, str]:
    """Whether the actor starred it, whether it or a group above it has badges, and the latest release."""
    row = await tx.row(
        tuple[bool, bool, str | None, str | None],
        """SELECT EXISTS (SELECT 1 FROM stars star WHERE star.project_id = p.id AND star.user_id = :actor),
             EXISTS (SELECT 1 FROM badges bd WHERE bd.project_id = p.id)
             OR EXISTS (SELECT 1 FROM group_tree t JOIN badges bd ON bd.group_id = t.ancestor_id
                        WHERE t.group_id = p.namespace_id),
             latest.tag, latest.released_at
           FROM projects p LEFT JOIN releases latest ON latest.id = (
             SELECT rel.id FROM releases rel WHERE rel.project_id = p.id AND rel.released_at <= :now
             ORDER BY rel.released_at DESC, rel.id DESC LIMIT 1)
           WHERE p.id = :id""",
        id=project_id,
        now=clock.now(),
        **actor.bound,
    )
    return (False, False, "", "") if row is None else (row[0], row[1], row[2] or "", row[3] or "")


async def _compute_facts(location: RepositoryLocation) -> RepositoryFacts:
    key = f"{location.project.id} {location.found.id}".encode()
    kept = _facts_cache.get(key)
    if kept is None:
        kept = RepositoryFacts(await language_shares(location), await commits.contributors(location.found))
        _facts_cache.put(key, kept, 1)
    return kept


async def language_shares(location: RepositoryLocation) -> list[LanguageShare]:
    """The languages of the default branch; none if it is too large to be measured."""
    try:
        sizes = await commits.file_sizes(location.found.code)
    except errors.ApiError:
        return []
    found = shares(sizes)
    tones = _tones(found)
    return [LanguageShare(name, percent, tone) for (name, percent), tone in zip(found.items(), tones, strict=True)]


def _tones(languages: Iterable[str]) -> list[str]:
    """A language has one color everywhere, unless a larger one of the project has it."""
    chosen: list[str] = []
    for language in languages:
        first = sha1(language.encode(), usedforsecurity=False).digest()[0] % len(_TONES)
        turned = (*_TONES[first:], *_TONES[:first])
        chosen.append(next((tone for tone in turned if tone not in chosen), turned[0]))
    return chosen
