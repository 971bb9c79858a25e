"""Which forge is at an address, and the source that reads it."""

from collections.abc import Iterable, Mapping
from contextlib import aclosing
from typing import Any, Final, Literal, cast
from urllib.parse import urlsplit

from mujina.moving.sources.api_v4 import ApiV4
from mujina.moving.sources.forge import Forge, ReportProblem
from mujina.moving.sources.operations import SourceClient, SourceError
from mujina.moving.sources.pulls.gitea import Gitea
from mujina.moving.sources.pulls.github import GitHub
from mujina.moving.sources.redmine.forge import Redmine

SourceKind = Literal["gitlab", "gitea", "github", "redmine"]
GITHUB_HOSTS: Final = ("github.com", "www.github.com", "api.github.com")
GITHUB: Final = "https://github.com"
_SIGNS: Final[Mapping[SourceKind, tuple[str, str]]] = {
    "gitlab": ("/api/v4/version", "version"),
    "gitea": ("/version", "version"),
    "github": ("/meta", "verifiable_password_authentication"),
    "redmine": ("/projects.json?limit=1", "projects"),
}
"""What only this forge answers below its address: a path, and a field of the answer."""


async def open_source(
    allow: Iterable[str], address: str, token: str, problem: ReportProblem, kind: SourceKind | None
) -> Forge:
    """The source at the address; without a kind, the forge that answers, or else a GitLab.

    `allow`: local networks that may be called.
    """
    if urlsplit(address).hostname in GITHUB_HOSTS:
        kind = "github"
    for each in _SIGNS if kind is None else ():
        async with aclosing(_client(each, allow, address, token)) as client:
            if await _answers(client, *_SIGNS[each]):
                kind = each
                break
    client = _client(kind or "gitlab", allow, address, token)
    if kind == "gitea":
        return Gitea(client, problem, address)
    if kind == "github":
        return GitHub(client, problem, GITHUB if _is_github(address) else address)
    return Redmine(client, problem) if kind == "redmine" else ApiV4(client, problem)


def _client(kind: SourceKind, allow: Iterable[str], address: str, token: str) -> SourceClient:
    authorization = {"Authorization": f"token {token}"} if token else {}
    if kind == "gitea":
        return SourceClient(allow, f"{address}/api/v1", authorization, page_size=("limit", 50))
    if kind == "github":
        api = "https://api.github.com" if _is_github(address) else f"{address}/api/v3"
        header = {"Accept": "application/vnd.github+json", **authorization}
        return SourceClient(allow, api, header, pages_address=GITHUB if _is_github(address) else address)
    if kind == "redmine":
        header = {"X-Redmine-API-Key": token} if token else {}
        return SourceClient(allow, address, header, page_size=("limit", 100))
    return SourceClient(allow, address, {"PRIVATE-TOKEN": token})


def _is_github(address: str) -> bool:
    return urlsplit(address).hostname in GITHUB_HOSTS


async def _answers(client: SourceClient, path: str, field: str) -> bool:
    try:
        answer = await client.json(path)
    except SourceError:
        return False
    return isinstance(answer, dict) and field in cast("dict[str, Any]", answer)
