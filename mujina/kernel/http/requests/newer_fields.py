"""Fields of newer API versions in bodies that the specification shows.

Those bodies have exactly the specified fields, unless `api_version_text` announces a newer API version: then clients expect
more of them. Each chapter adds its fields to the objects of a response after the handler has returned. By default nothing of
this runs.
"""

from collections.abc import Awaitable, Callable, Iterator
from functools import cache
from typing import Any, Final, cast, get_args, get_type_hints

import msgspec

from mujina.kernel.http.paging import Paged
from mujina.kernel.http.routing import Handler
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.product import ExtensionPoint
from mujina.kernel.services import Services
from mujina.settings import Settings

FIRST_NEWER_VERSION: Final = 13
"""The first major version whose clients expect these fields."""

JsonObject = dict[str, Any]
AddFields = Callable[[Services, Actor, list[JsonObject]], Awaitable[None]]
"""Adds fields to these objects of a response; an object that was deleted meanwhile stays as it is."""

NEWER_FIELDS: Final = ExtensionPoint[tuple[type[msgspec.Struct], AddFields]]("fields of newer API versions")
"""The entities that have such fields, and what adds them."""


def has_newer_fields(settings: Settings) -> bool:
    """Whether the instance announces a newer API version."""
    return int(settings.api_version_text.partition(".")[0]) >= FIRST_NEWER_VERSION


async def with_newer_fields(services: Services, actor: Actor, handler: Handler, answer: Any) -> Any:
    """The result of the handler, in which the entities that it declares to return have their fields of newer API versions.

    Documents do not say of what kind they are: a handler that declares several kinds returns none.
    """
    declared = _declared(handler)
    found = [(kind, add) for kind, add in services.product.all(NEWER_FIELDS) if kind in declared]
    if not found:
        return answer
    kinds = (msgspec.Raw, *(kind for kind, _ in found))  # a stored document is encoded already
    page = cast("Paged[Any]", answer) if isinstance(answer, Paged) else None
    items = page.items if page else cast("list[Any]", [answer])
    if isinstance(items, msgspec.Raw):
        items = msgspec.json.decode(items, type=list[msgspec.Raw])
    shown = [_as_json(item) if isinstance(item, kinds) else item for item in items]
    for add in dict.fromkeys(add for _, add in found):
        own = (msgspec.Raw, *(kind for kind, adds in found if adds is add))
        objects = [fields for item, fields in zip(items, shown, strict=True) if isinstance(item, own)]
        if objects:
            await add(services, actor, objects)
    return page.with_items(shown) if page else shown[0]


def _as_json(item: Any) -> JsonObject:
    return msgspec.json.decode(msgspec.json.encode(item))


@cache
def _declared(handler: Handler) -> frozenset[Any]:
    """The types of which the declared result of the handler consists."""
    return frozenset(_parts(get_type_hints(handler).get("return")))


def _parts(hint: Any) -> Iterator[Any]:
    yield hint
    for part in get_args(hint):
        yield from _parts(part)
