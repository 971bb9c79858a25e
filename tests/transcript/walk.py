"""Every route, asked by several callers and with every parameter: first reads, then writes, then removals."""

from collections.abc import Iterable
from typing import Any

from tests.transcript.recorder import Answer, Recorder
from tests.transcript.routes import Route, elsewhere, fill, minimum, variants
from tests.transcript.world import World

MISSING = 999_999
_LAST = {"PUT /application/settings"}
"""What changes the answers of every later write."""
_ENDS_TOKEN = {"POST /personal_access_tokens/self/rotate", "DELETE /personal_access_tokens/self"}
"""What takes the token of its caller, who would get a 401 to everything that follows: asked at the end."""
_OWN = ("/user/", "/todos/", "/notification_settings")
"""Below these, a caller finds their own objects; those of the reporter stand there."""


class Walk:
    def __init__(self, recorder: Recorder, world: World, routes: list[Route]) -> None:
        self.recorder = recorder
        self.world = world
        self.routes = routes

    def all(self) -> None:
        routes = [route for route in self.routes if route.name not in _ENDS_TOKEN]
        reads = [route for route in routes if route.verb == "GET"]
        removals = [route for route in routes if route.verb == "DELETE"]
        writes = [route for route in routes if route.verb not in {"GET", "DELETE"}]
        for route in reads:
            self._read(route)
        for route in sorted(writes, key=lambda route: route.name in _LAST):
            self._write(route)
        self._look_again(reads)
        for route in sorted(removals, key=lambda route: -route.depth):
            self._write(route)
        self._look_again(reads)
        for route in self.routes:
            if route.name in _ENDS_TOKEN:
                self._write(route)

    def _read(self, route: Route) -> None:
        first = self._ask("root", route)
        for caller in ("master", "reporter", "guest", "stranger", "anonymous"):
            self._ask(caller, route)
        if route.path.startswith("/projects/{id}"):
            for caller, visibility in (("anonymous", "public"), ("stranger", "internal"), ("external", "internal")):
                self._ask(caller, route, at={"/projects/:": self.world.projects[visibility]})
        self._ask("root", route, headers={"Sudo": "reporter"})
        if etag := first.headers.get("etag"):
            self._ask("root", route, headers={"If-None-Match": etag})
        self._ask_elsewhere(route)
        least = minimum(route, self.world, self.recorder.number)
        caller = self._able(route)
        for name in [name for name in route.params if name not in {"page", "per_page"}]:
            for value in variants(route, name, self.world, self.recorder.number):
                self._ask(caller, route, least | {name: value})
        if route.required:
            self._ask(caller, route, {})
        if route.is_list:
            for page, size in ((1, 2), (2, 2), (99, 20), (0, 0), ("x", 101)):
                self._ask(caller, route, least | {"page": page, "per_page": size})

    def _write(self, route: Route) -> None:
        at = elsewhere(route, self.world)
        for caller in ("anonymous", "stranger", "guest", "blocked", "read_user"):
            self._ask(caller, route, at=at)
        self._ask_elsewhere(route)
        if route.required:
            self._ask(self._able(route), route, {}, at=at)
        if route.verb == "DELETE":
            self._ask(self._able(route), route, at=at)
            self._ask(self._able(route), route, at=at)
            return
        for name in route.params:
            for value in variants(route, name, self.world, self.recorder.number):
                self._ask(self._able(route), route, {**self._least(route), name: value}, at=at)
        self._ask("developer", route, at=at)
        self._ask(self._able(route), route, at=at)

    def _look_again(self, reads: Iterable[Route]) -> None:
        """What the changes left."""
        for route in reads:
            self._ask(self._able(route), route)
            if route.is_list:
                self._ask(self._able(route), route, self._least(route) | {"per_page": 100})

    def _ask_elsewhere(self, route: Route) -> None:
        """Where the last capture names nothing, and where it is no number."""
        if "{" in route.path:
            head, _, tail = route.path.rpartition("{")
            for name in (MISSING, "no-such%2Fname"):
                path = fill(head.rstrip("/"), self.world.standing) + f"/{name}{tail.partition('}')[2]}"
                self._send(self._able(route), route, path, self._least(route))

    def _able(self, route: Route) -> str:
        """A caller whom the route answers."""
        return "reporter" if route.path.startswith(_OWN) and route.path != "/user/activities" else "root"

    def _least(self, route: Route) -> dict[str, Any]:
        return minimum(route, self.world, self.recorder.number)

    def _ask(
        self,
        caller: str,
        route: Route,
        params: dict[str, Any] | None = None,
        at: dict[str, Any] | None = None,
        headers: dict[str, str] | None = None,
    ) -> Answer:
        path = fill(route.path, self.world.standing | (at or {}))
        return self._send(caller, route, path, self._least(route) if params is None else params, headers)

    def _send(
        self, caller: str, route: Route, path: str, params: dict[str, Any], headers: dict[str, str] | None = None
    ) -> Answer:
        return self.recorder.ask(caller, f"{route.verb} {path}", params, route=route.name, headers=headers)
