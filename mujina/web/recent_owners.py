"""The projects that a user looked at lately, by path: most requests are about one of them, and need no look-up of the path."""

from mujina.kernel.permissions.actor import Actor
from mujina.web.addresses import UrlOwner

MAX_PLACES = 4096


class RecentOwners:
    """Ids of projects by user and path. A project may have moved since: whoever loads one by its id compares its path.

    By user, so that the time of a response does not tell what others look at.
    """

    def __init__(self) -> None:
        self._ids: dict[tuple[int, str], int] = {}

    def find(self, actor: Actor, path: str) -> UrlOwner | None:
        """The project at the start of the path. Nothing lies below a project, so there is at most one."""
        end = path.find("/", 1)
        while end > 0:
            end = path.find("/", end + 1)
            start = path[1:end] if end > 0 else path[1:]
            if (id := self._ids.get((actor.id, start))) is not None:
                return UrlOwner("project", id, start, path[len(start) + 1 :])
        return None

    def remember(self, actor: Actor, owner: UrlOwner) -> None:
        """Keep a project that was looked up and that the actor may read."""
        if owner.kind == "project":
            if len(self._ids) >= MAX_PLACES:
                del self._ids[next(iter(self._ids))]
            self._ids[actor.id, owner.path] = owner.id

    def forget(self, actor: Actor, owner: UrlOwner) -> None:
        """It is no longer there, or not for this actor."""
        self._ids.pop((actor.id, owner.path), None)
