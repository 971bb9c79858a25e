"""Those who change one repository through the API go in turn, each from where the one before arrived."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import wraps
from time import monotonic
from typing import Any, Concatenate, Final, ParamSpec
from weakref import WeakValueDictionary

from mujina.kernel.errors import Overtaken
from mujina.kernel.http import Call
from mujina.kernel.params import Ref

Rest = ParamSpec("Rest")

PATIENCE_SECONDS: Final = 5
"""Turns are kept within a process: those of others, and whoever pushes, may be faster, even many times in a row."""

_lines: WeakValueDictionary[str, asyncio.Lock] = WeakValueDictionary()


def in_turn(
    route: Callable[Concatenate[Call, Ref, Rest], Awaitable[Any]],
) -> Callable[Concatenate[Call, Ref, Rest], Awaitable[Any]]:
    """Nobody is refused because another was faster: what was overtaken begins again, and sees what the other did."""

    @wraps(route)
    async def waited(call: Call, id: Ref, *args: Rest.args, **rest: Rest.kwargs) -> Any:
        async with _lines.setdefault(id.text, asyncio.Lock()):
            begun = monotonic()
            while True:
                try:
                    return await route(call, id, *args, **rest)
                except Overtaken:
                    if monotonic() - begun > PATIENCE_SECONDS:
                        raise

    return waited
