"""The requests below `/-/testing`, by which tests in any language control the instance; each needs root's token."""

import asyncio
import hmac
from collections.abc import Awaitable, Callable
from typing import Any, Final, NamedTuple, get_type_hints

import msgspec

from mujina.adapters.mail import kept
from mujina.git.exchange import Exchange, MalformedRequest
from mujina.kernel import errors
from mujina.kernel.errors import ApiError
from mujina.kernel.http.applications import Application
from mujina.kernel.openapi.document import Schema
from mujina.kernel.services import Services
from mujina.seeds.description import World, WorldIds
from mujina.seeds.operations import SeedFailed
from mujina.testing import records
from mujina.testing.clock import ClockChange, ClockState
from mujina.testing.control import INTERRUPTED, Control, Switches
from mujina.testing.faults import Fault
from mujina.testing.records import RecordedDelivery, RecordedRequest
from mujina.testing.worlds import Worlds

PREFIX: Final = "/-/testing/"
MAX_BODY: Final = 64 << 20
_JSON: Final = "application/json"


class SwitchesChange(msgspec.Struct, forbid_unknown_fields=True, omit_defaults=True):
    """Changes of the instance; what is not given stays as it is."""

    version: str | None = None
    edition: str | None = None
    jobs: str | None = None
    read_only: bool | None = None


class RunJobs(msgspec.Struct):
    """The numbers of jobs and deliveries since the server started."""

    processed: int
    failed: int


class Mail(msgspec.Struct):
    sender: str
    to: str
    subject: str
    text: str


class Endpoint(NamedTuple):
    """The function that answers a method at a path, and the type of the body that it reads."""

    answer: Callable[..., Awaitable[Any]]
    body: Any
    returns: Any


ENDPOINTS: dict[tuple[str, str], Endpoint] = {}


def endpoint(method: str, path: str) -> Callable[[Callable[..., Awaitable[Any]]], Callable[..., Awaitable[Any]]]:
    """Declare the function that answers; its hints say what it reads and returns."""

    def declare(answer: Callable[..., Awaitable[Any]]) -> Callable[..., Awaitable[Any]]:
        hints = get_type_hints(answer)
        ENDPOINTS[method, path] = Endpoint(answer, hints.get("body"), hints["return"])
        return answer

    return declare


@endpoint("POST", "reset")
async def reset(worlds: Worlds) -> None:
    """Put the instance back into the state after the last seed, or after the start."""
    await worlds.reset()


@endpoint("POST", "seed")
async def seed(worlds: Worlds, body: World) -> WorldIds:
    """Replace everything by this world; a reset returns to it. The same world costs nothing the next time."""
    return await worlds.seed(body)


@endpoint("GET", "clock")
async def show_clock(worlds: Worlds) -> ClockState:
    """Show the time of the instance."""
    return worlds.control.clock.state


@endpoint("POST", "clock")
async def change_clock(worlds: Worlds, body: ClockChange) -> ClockState:
    """Set, advance or stop the clock; schedules and jobs that become due run, unless jobs are manual."""
    control = worlds.control
    try:
        control.clock.change(body)
    except ValueError:
        raise errors.bad_request(
            "the clock takes instants from 1970 to the end of 8999, such as 2030-01-31T12:00:00Z"
        ) from None
    if control.switches.jobs == "inline":
        await control.run_jobs()
    return control.clock.state


@endpoint("DELETE", "clock")
async def reset_clock(worlds: Worlds) -> None:
    """Return to the real time."""
    worlds.control.clock.reset()


@endpoint("POST", "jobs")
async def run_jobs(worlds: Worlds) -> RunJobs:
    """Run all due schedules and jobs and pending hook deliveries."""
    load = await worlds.control.run_jobs()
    return RunJobs(load.processed, load.failed)


@endpoint("GET", "settings")
async def show_settings(worlds: Worlds) -> Switches:
    """Show the settings that tests may change."""
    return worlds.control.switches


@endpoint("PUT", "settings")
async def change_settings(worlds: Worlds, body: SwitchesChange) -> Switches:
    """Change how jobs run, whether the instance is read-only, its version text and its edition."""
    control = worlds.control
    changed = msgspec.structs.asdict(control.switches) | msgspec.to_builtins(body)
    control.switch(msgspec.convert(changed, Switches))
    return control.switches


@endpoint("GET", "faults")
async def list_faults(worlds: Worlds) -> list[Fault]:
    """List the faults in force, with the number of requests that each has seen."""
    return worlds.control.faults.all


@endpoint("POST", "faults")
async def add_fault(worlds: Worlds, body: Fault) -> Fault:
    """Let requests fail, wait or break off."""
    if body.seen:
        raise errors.bad_request("`seen` is counted by the server")
    worlds.control.faults.all.append(body)
    return body


@endpoint("DELETE", "faults")
async def remove_faults(worlds: Worlds) -> None:
    """Remove all faults."""
    worlds.control.faults.all.clear()


@endpoint("GET", "requests")
async def list_requests(worlds: Worlds) -> list[RecordedRequest]:  # noqa: ARG001 - all endpoints take it
    """List the requests since the last reset, oldest first; those to these endpoints are not among them."""
    return [*records.requests]


@endpoint("GET", "deliveries")
async def list_deliveries(worlds: Worlds) -> list[RecordedDelivery]:  # noqa: ARG001 - all endpoints take it
    """List the calls of hooks since the last reset, oldest first, with their secret tokens."""
    return [*records.deliveries]


@endpoint("GET", "mails")
async def list_mails(worlds: Worlds) -> list[Mail]:
    """List the mails since the last reset, oldest first."""
    found = [message for _, message in kept(worlds.control.services.settings.data)]
    bodies = [message.get_body(("plain",)) for message in found]
    return [
        Mail(str(message["From"]), str(message["To"]), str(message["Subject"]), body.get_content() if body else "")
        for message, body in zip(found, bodies, strict=True)
    ]


class TestingEndpoints:
    """Answers the requests of tests, and passes all others on."""

    __test__ = False  # not a test of pytest's

    def __init__(self, application: Application, services: Services) -> None:
        self._token = (services.settings.root_token or "").encode()
        self._control = Control(application, services)
        self._worlds = Worlds(self._control)

    async def __call__(self, scope: dict[str, Any], receive: Any, send: Any) -> None:
        """The ASGI application."""
        await self._worlds.begin()
        if not scope["path"].startswith(PREFIX):
            await self._control(scope, receive, send)
            return
        exchange = Exchange(scope, receive, send)
        try:
            status, body = await self._answer(exchange)
        except asyncio.CancelledError:
            if not self._control.interrupting:
                raise
            status, body = 503, msgspec.json.encode({"message": f"503 Service Unavailable - {INTERRUPTED}"})
        except ApiError as error:
            status, body = error.status, msgspec.json.encode(error.body)
        except (SeedFailed, MalformedRequest, msgspec.DecodeError) as error:
            status, body = 400, msgspec.json.encode({"message": f"400 Bad request - {error}"})
        await exchange.answer(status, body, _JSON)

    async def _answer(self, exchange: Exchange) -> tuple[int, bytes]:
        given = exchange.header("private-token") or exchange.header("authorization").removeprefix("Bearer ")
        if not hmac.compare_digest(given.encode(), self._token):
            raise errors.unauthorized()
        found = ENDPOINTS.get((exchange.method, exchange.path.removeprefix(PREFIX)))
        if found is None:
            raise errors.unknown_route()
        if found.answer not in (reset, seed):
            await self._control.admit()
        arguments = []
        if found.body is not None:
            body = b"".join([piece async for piece in exchange.body(MAX_BODY)])
            arguments.append(msgspec.json.decode(body or b"{}", type=found.body))
        answer = await found.answer(self._worlds, *arguments)
        return (204, b"") if found.returns is type(None) else (200, msgspec.json.encode(answer))


def documented() -> tuple[dict[str, Any], dict[str, Schema]]:
    """The paths and the schemas of these endpoints, for the OpenAPI document."""
    kinds = [
        kind for each in ENDPOINTS.values() for kind in (each.body, each.returns) if kind not in (None, type(None))
    ]
    found, schemas = msgspec.json.schema_components(kinds, ref_template="#/components/schemas/{name}")
    schema_of = dict(zip(map(repr, kinds), found, strict=True))
    paths: dict[str, Any] = {}
    for (method, path), each in ENDPOINTS.items():
        operations = paths.setdefault(PREFIX + path, {"servers": [{"url": "/"}]})
        operations[method.lower()] = _operation(each, schema_of)
    return paths, schemas


def _errors_of(each: Endpoint) -> tuple[str, ...]:
    """The errors of an endpoint, as the OpenAPI document names them; `default` has the 503 of a request that a reset interrupts."""
    return ("401", "default") if each.body is None else ("400", "401", "default")


def _operation(each: Endpoint, schema_of: dict[str, Schema]) -> dict[str, Any]:
    def content(kind: Any) -> dict[str, Any]:
        return {"content": {_JSON: {"schema": schema_of[repr(kind)]}}}

    response = {"204": {"description": "Done"}}
    if each.returns is not type(None):
        response = {"200": {"description": "OK", **content(each.returns)}}
    return {
        "operationId": f"testing_{each.answer.__name__}",
        "summary": (each.answer.__doc__ or "").rstrip("."),
        "tags": ["testing"],
        "security": [{"private_token": []}],
        "responses": response | {status: {"$ref": f"#/components/responses/{status}"} for status in _errors_of(each)},
        **({"requestBody": content(each.body)} if each.body is not None else {}),
    }
