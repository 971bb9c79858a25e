"""The settings of the current project or group as pages to go to, by what is typed."""

from functools import cache
from typing import Final, Literal

from mujina.activity.completion.destinations import MIN_LENGTH, MOST_OF_KIND
from mujina.activity.completion.entities import Completion
from mujina.instance.editions.rules import has_feature
from mujina.kernel.html.pages import Container, PageRequest, pages_of
from mujina.kernel.permissions.rules import Rule
from mujina.kernel.product import Product
from mujina.kernel.text.folding import fold
from mujina.workspaces.ldap_groups.rules import are_links_offered

_LDAP, _PUSH_RULE = "LDAP links", "Push rule"
TOPICS: Final[dict[Literal["project", "group"], dict[str, tuple[str, ...]]]] = {
    "project": {
        "/{project}/edit": (
            "General",
            "Visibility and features",
            "Merge requests",
            "Rename, transfer, archive, remove",
        ),
        "/{project}/settings/repository": ("Repository", "Protected branches", "Deploy keys", _PUSH_RULE, "Mirror"),
        "/{project}/settings/integrations": ("Webhooks",),
        "/{project}/export": ("Export",),
        "/{project}/audit_events": ("Audit events",),
    },
    "group": {
        "/groups/{group}/-/edit": ("General", "Visibility", "Change path, transfer, remove"),
        "/groups/{group}/-/hooks": ("Webhooks",),
        "/groups/{group}/-/ldap_group_links": (_LDAP,),
        "/groups/{group}/-/audit_events": ("Audit events",),
    },
}
"""What the pages of settings are about, by the paths that the pages declare."""


@cache
def settings_rules(product: Product, kind: Literal["project", "group"]) -> dict[str, Rule]:
    """The rule of each page of settings, by its path: the one that the page itself asks."""
    pages = [page for page in pages_of(product) if page.verb == "GET" and page.path in TOPICS[kind]]
    return {page.path: page.to for page in pages if page.to is not None}


def settings_destinations(request: PageRequest, container: Container | None, search: str) -> list[Completion]:
    """The settings that match, of the pages that the answers in `container.rights` allow: at most four."""
    if container is None or request.actor.anonymous or len(search) < MIN_LENGTH:
        return []
    title, words = f"{container.kind.capitalize()} settings", fold(search)
    absent = {_PUSH_RULE} if not has_feature("push_rules") else set[str]()
    if not are_links_offered(request):
        absent.add(_LDAP)
    return [
        Completion(topic, title, path.replace("/{project}", container.path).replace("/{group}", container.path))
        for path, topics in TOPICS[container.kind].items()
        if container.rights.get(path)
        for topic in topics
        if topic not in absent and words in fold(f"{topic} {title}")
    ][:MOST_OF_KIND]
