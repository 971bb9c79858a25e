"""An address for every page: what its captures are filled with in the world of tests."""

import re
from typing import Any

from mujina.kernel.html.page_arguments import CAPTURE
from mujina.kernel.html.pages import PageRoute
from tests.architecture.conftest import World

QUERIES: dict[str, str] = {
    "/profile/chat_accounts/new": "request=x",
    "/users/password/edit": "reset_password_token=x",
    "/profile/personal_access_tokens/revoke": "id=1",
    "/autocomplete/references": "project_id=1&sign=%40&search=a",
    "/profile/gpg_keys/remove": "id=1",
    "/profile/gpg_keys/revoke": "id=1",
    "/search": "search=answer&scope=notes",
    "/{project}/refs/switch": "ref=topic&path=README.md&destination=blob",
}
"""Parameters without which a page has nothing to show, by its path."""

CAPTURES: dict[str, Any] = {
    "username": "reporter", "ref": "master", "name": "v1", "slug": "home", "provider": "ldapmain", "format": "zip",
    "path": "master", "tail": "master", "noun": "issues", "key": "A_KEY",
}  # fmt: skip
"""By the name of a capture."""

OF_PAGES: dict[str, dict[str, Any]] = {
    "/{project}/badges/{tail:path}": {"tail": "master/pipeline.svg"},
    "/{project}/blob/{tail:path}": {"tail": "master/README.md"},
    "/{project}/raw/{tail:path}": {"tail": "master/README.md"},
    "/{project}/blame/{tail:path}": {"tail": "master/README.md"},
    "/{project}/delete/{tail:path}": {"tail": "master/README.md"},
    "/{project}/refs/{tail:path}": {"tail": "master/logs_tree"},
    "/{project}/repository/{tail:path}": {"tail": "master/archive.zip"},
    "/{project}/-/archive/{tail:path}": {"tail": "master/x.zip"},
    "/{project}/-/releases/{name:path}/downloads/{path:path}": {"name": "v1", "path": "tool"},
    "/{project}/compare/{tail:path}": {"tail": "master...topic"},
    **{f"/{{project}}/services/{{slug}}{end}": {"slug": "emails-on-push"} for end in ("", "/edit", "/delete", "/test")},
    "/{project}/edit/{tail:path}": {"tail": "master/README.md"},
    "/admin/groups/{path:path}": {"path": "company/department/team"},
    "/admin/projects/{path:path}": {"path": "company/department/team/private"},
}
"""By the path of a page."""

_API_WORDS = {
    "commit": "repository/commits",
    "commits": "repository/commits",
    "tags": "repository/tags",
    "branches": "repository/branches",
}
"""Where the API has the objects of pages, below a project."""


def address(page: PageRoute, world: World, visibility: str = "private") -> str:
    """The address of the page, with something to show in the project of this visibility."""
    place = getattr(world.cast, visibility)
    path = page.path.replace("/{project}", f"/{place.path}").replace("/{group}", f"/{world.cast.team.path}")
    own = {**CAPTURES, **OF_PAGES.get(page.path, {})}
    filled = CAPTURE.sub(
        lambda capture: str(_value(capture[1], capture.start(), page.path, path, own, world.ids[visibility])), path
    )
    query = QUERIES.get(page.path)
    return f"{filled}?{query}" if query else filled


def _value(name: str, at: int, template: str, path: str, own: dict[str, Any], ids: dict[str, Any]) -> Any:
    if name in ("username", "tail"):  # pages name users so, the API by their ids; a tail is no id
        return own[name]
    before = template[: template.index("{" + name)]
    if before.endswith("/milestones/"):  # pages name milestones by their numbers, the API by their ids
        return 1
    for owner, place in (("/{project}", "/projects/:"), ("/groups/{group}", "/groups/:"), ("/admin", "")):
        if before.startswith(owner):
            rest = CAPTURE.sub(":", before.removeprefix(owner))
            words = [
                rest,
                re.sub(r"^/(\w+)", lambda word: "/" + _API_WORDS.get(word[1], word[1]), rest),
                rest.replace("/-/", "/"),
                rest.replace("/-/", "/").replace("/settings/", "/"),
            ]
            for each in words:
                if (shape := f"{place}{each}:") in ids:
                    return ids[shape]
    return own.get(name, 1)
