"""What merge requests add to the fields of newer API versions of projects and issues."""

from mujina.kernel.http.requests.newer_fields import JsonObject
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.services import Services
from mujina.review.closing.related import COUNT_RELATED
from mujina.review.merge_requests.rules import RECEIVE_MERGE_REQUEST, merge_requests_enabled


async def add_request_right(services: Services, actor: Actor, projects: list[JsonObject]) -> None:
    """Adds `can_create_merge_request_in`."""
    async with services.database.reading() as tx:
        taking = await tx.values(
            f"""SELECT p.id FROM projects p
                WHERE p.id IN :ids AND {(RECEIVE_MERGE_REQUEST & merge_requests_enabled).for_scan}""",
            ids=[project["id"] for project in projects],
            **actor.bound,
        )
    for project in projects:
        project["can_create_merge_request_in"] = not actor.anonymous and project["id"] in taking


async def add_request_counts(services: Services, actor: Actor, issues: list[JsonObject]) -> None:
    """Adds `merge_requests_count`: those that close or mention the issue and that the actor may read."""
    ids = [issue["id"] for issue in issues]
    async with services.database.reading() as tx:
        counts = dict(await tx.rows(tuple[int, int], COUNT_RELATED, ids=ids, **actor.bound))
    for issue in issues:
        issue["merge_requests_count"] = counts.get(issue["id"], 0)
