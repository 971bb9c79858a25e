"""Badges of the newest pipeline of a branch or tag, for pages elsewhere."""

from typing import Final

from mujina.ci.badges import entities
from mujina.ci.badges.drawing import draw_coverage, draw_status
from mujina.code.pipelines.rules import READ_PIPELINES
from mujina.kernel import errors
from mujina.kernel.html.pages import PageRequest, view
from mujina.kernel.http.dispatcher import Response
from mujina.kernel.http.params import UNSET, Params, Unset
from mujina.workspaces.projects.rules import ProjectRow

STATUS_BADGES: Final = ("pipeline.svg", "build.svg")
"""The second is the name of former years."""
COVERAGE_BADGE: Final = "coverage.svg"


class BadgeOfJob(Params):
    job: str | Unset = UNSET
    """The coverage of one job instead of the whole pipeline."""


@view("/{project}/badges/{tail:path}", to=READ_PIPELINES)
async def show_badge(request: PageRequest, project: ProjectRow, tail: str, query: BadgeOfJob) -> Response:
    """The ref is everything before the last slash: `feature/x/pipeline.svg`."""
    ref, _, name = tail.rpartition("/")
    if not ref or name not in (*STATUS_BADGES, COVERAGE_BADGE):
        raise errors.not_found("Badge")
    async with request.reading() as tx:
        if name == COVERAGE_BADGE:
            drawn = draw_coverage(await entities.newest_coverage(tx, project.id, ref, query.job or None))
        else:
            drawn = draw_status(await entities.newest_status(tx, project.id, ref))
    headers = {"Cache-Control": "private, no-store"}  # proxies of images would show it for hours
    return Response(drawn.encode(), headers=headers, content_type="image/svg+xml")
