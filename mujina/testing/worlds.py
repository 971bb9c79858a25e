"""The worlds that tests have asked for: each is built once, and restored from then on."""

import asyncio
from typing import Final, NamedTuple

import msgspec

from mujina.seeds.description import World, WorldIds
from mujina.seeds.operations import Seeder
from mujina.seeds.requests import requests_to
from mujina.testing import records
from mujina.testing.control import Control, State

MAX_WORLDS: Final = 50
"""Worlds that are kept; a further one is built anew each time."""
_NOTHING: Final = msgspec.json.encode(World())


class BuiltWorld(NamedTuple):
    state: State
    ids: WorldIds


class Worlds:
    """Seeds the instance, and resets it to the last seed."""

    def __init__(self, control: Control) -> None:
        self.control = control
        self._built: dict[bytes, BuiltWorld] = {}
        self._current: BuiltWorld | None = None
        self._turn = asyncio.Lock()

    async def begin(self) -> BuiltWorld:
        """Keep the state before the first request: the world in which nothing is described."""
        if _NOTHING not in self._built:
            async with self._turn:
                if _NOTHING not in self._built:
                    self._current = self._built[_NOTHING] = BuiltWorld(await self.control.begin(), WorldIds())
        return self._built[_NOTHING]

    async def reset(self) -> None:
        """The last seed, and nothing that came after it."""
        current = self._current or await self.begin()
        async with self._turn:
            with self.control.closed():
                await self.control.restore(current.state)

    async def seed(self, world: World) -> WorldIds:
        """The described world, and nothing else."""
        key, nothing = msgspec.json.encode(world), await self.begin()
        async with self._turn:
            with self.control.closed():
                built = self._built.get(key)
                await self.control.restore((built or nothing).state)
                if built is None:
                    built = await self._build(world, nothing.state)
                    if len(self._built) < MAX_WORLDS:
                        self._built[key] = built
                self._current = built
            return built.ids

    async def _build(self, world: World, nothing: State) -> BuiltWorld:
        """Build the world in the empty instance, which a failure leaves empty."""
        settings = self.control.services.settings
        ask = requests_to(self.control.application, settings.root_token or "", f"{settings.host}:{settings.port}")
        try:
            ids = await Seeder(ask, tokens=True).seed(world)
        except BaseException:
            await self.control.restore(nothing)
            raise
        state = await self.control.keep()
        records.reset()
        return BuiltWorld(state, ids)
