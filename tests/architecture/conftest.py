from collections.abc import Generator, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import pytest

from mujina.kernel.http.routing import Route
from tests.architecture import samples
from tests.harness.canaries import CANARIES
from tests.harness.cast import Cast, Person
from tests.harness.client import Answer, Raw
from tests.harness.files import ForgetfulFiles
from tests.harness.permission_world import Ids, fill
from tests.harness.rolled_back import RolledBack
from tests.harness.stage import Stage


@dataclass(frozen=True)
class World:
    """The cast with at least one of every resource around them, for tests that walk all routes."""

    cast: Cast
    ids: dict[str, Ids]
    """By the visibility of the project."""
    database: RolledBack
    files: ForgetfulFiles

    def path(self, route: Route, visibility: str = "private") -> str:
        """The path of the route to what exists in this project."""
        return fill(route.path, self.ids[visibility], route.verb)

    def params(self, route: Route, visibility: str = "private") -> dict[str, Any]:
        """The fewest parameters with which the route can succeed in this project."""
        return samples.params(route, self.cast.names, self.ids[visibility])

    def ask(
        self,
        who: Person,
        route: Route,
        params: Mapping[str, Any] | None = None,
        *,
        visibility: str = "private",
        path: str = "",
        raw: Raw = Raw(),
    ) -> Answer:
        """The answer of the route; what it changed is undone."""
        for verb, earlier_path, earlier_params in samples.BEFORE.get(f"{route.verb} {route.path}", []):
            self.cast.root.ask(verb, fill(earlier_path, self.ids[visibility]), params=earlier_params)
        if raw == Raw():
            raw = samples.BODIES.get(f"{route.verb} {route.path}", raw)
        answer = who.ask(route.verb, path or self.path(route, visibility), raw, params)
        if route.verb != "GET" and answer.status < 400:
            self.reset()
        return answer

    def visit(self, routes: Iterable[Route]) -> Iterator[Route]:
        """Each route in an unchanged world, and an error that names the route if it let a secret out."""
        for route in routes:
            yield route
            if route.verb != "GET":
                self.reset()
            assert CANARIES.settle() == [], f"{route.verb} {route.path}"

    def reset(self) -> None:
        """Undo everything that was asked until now."""

        async def start_again() -> None:
            await self.database.forget()
            await self.database.begin()

        self.cast.root.loop.run_until_complete(start_again())
        self.files.forget()


@contextmanager
def world_of(stage: Stage) -> Generator[World]:
    """The world on the engine of the stage; what happens to it inside is undone."""
    database, files, cast, ids = stage.permission_world
    stage.loop.run_until_complete(database.begin())
    yield World(cast, ids, database, files)
    stage.loop.run_until_complete(database.forget())
    files.forget()


@pytest.fixture
def world(stage: Stage) -> Iterator[World]:
    with world_of(stage) as world:
        yield world
