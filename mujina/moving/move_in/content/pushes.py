"""Pushes, as feeds show them; what was pushed comes with the repository."""

from typing import Any, Final

from mujina.code.pushes.changes import BRANCHES, TAGS, ZERO
from mujina.moving.move_in.content.feed import show_in_feeds
from mujina.moving.move_in.runs import ProjectRun
from mujina.moving.sources.records import SourcePushData

KIND: Final = "repository.pushed"


async def move_pushes(target: ProjectRun) -> None:
    """Feeds show the pushes to the project that the source still knows, with their own dates and authors."""
    people = target.run.people
    async for page in target.run.source.pushes(target.project.id):
        async with target.run.services.database.transaction() as tx:
            await people.prepare(tx, [push.author for push in page])
            for push in [push for push in page if push.push_data.ref]:
                author_id, changes = await people.id_of(tx, push.author), _changes(push.push_data)
                await show_in_feeds(tx, target, KIND, target.id, author_id, push.created_at, changes=changes)


def _changes(push: SourcePushData) -> dict[str, Any]:
    """What the push did to its ref, as an event of a push tells it."""
    ref = f"{TAGS if push.ref_type == 'tag' else BRANCHES}{push.ref}"
    sha = (push.commit_from or ZERO, push.commit_to or ZERO)
    return {"ref": ref, "sha": sha, "commit_count": push.commit_count, "commit_title": push.commit_title}
