"""The primary's endpoints for its secondaries: joining, status reports and files.

    POST /api/v4/geo/join               with the code of `mujina geo add-secondary`
    POST /api/v4/geo/status             with the credential of a node
    GET  /api/v4/geo/transfers/:kind/:id

Git fetches are in `replication/git/credentials.py`.
"""

import asyncio
import re
from collections.abc import Mapping
from typing import Any, Final

import msgspec

from mujina.git.exchange import Exchange, MalformedRequest, Receive, Send
from mujina.kernel import errors
from mujina.kernel.db.errors import TemporaryFailure
from mujina.kernel.db.postgres import replication as postgres_replication
from mujina.kernel.errors import ApiError
from mujina.kernel.http.requests.log import ClientDisconnected
from mujina.kernel.monitoring.logs import log
from mujina.kernel.secrets import UnreadableSecret, find_instance_key, ssh_host_key
from mujina.kernel.services import Services
from mujina.replication.files import transfers
from mujina.replication.nodes.operations import find_node_of, redeem_code
from mujina.replication.nodes.tokens import InvalidToken
from mujina.replication.statuses import operations as statuses
from mujina.replication.statuses.rules import Figures

PREFIX: Final = "/api/v4/geo/"
MAX_BODY_BYTES: Final = 65_536
OTHER_DATABASE: Final = "The database of this machine is not a replica of the primary's."
_TRANSFER: Final = re.compile(r"transfers/([a-z_]{1,30})/([0-9]{1,18})")
_JSON: Final = "application/json"


class JoinRequest(msgspec.Struct, frozen=True):
    code: str
    system_identifier: str
    """The identifier of the database of the machine that joins."""


class NodeEndpoints:
    """The requests of secondaries, as an ASGI application."""

    def __init__(self, services: Services) -> None:
        self.services = services

    async def __call__(self, scope: Mapping[str, Any], receive: Receive, send: Send) -> None:
        exchange = Exchange(scope, receive, send)
        try:
            await self._answer(exchange, exchange.path.removeprefix(PREFIX))
        except InvalidToken as error:
            await _answer_json(exchange, errors.Unauthorized({"message": f"401 Unauthorized - {error}"}))
        except ApiError as error:
            await _answer_json(exchange, error)
        except (MalformedRequest, msgspec.DecodeError):
            await _answer_json(exchange, errors.malformed_body())
        except ClientDisconnected:
            raise
        except TemporaryFailure:
            await _answer_json(exchange, errors.overloaded())
        except Exception:  # noqa: BLE001 - the node gets a response in any case
            log.exception("request of a node failed", path=exchange.path)
            await _answer_json(exchange, errors.internal())

    async def _answer(self, exchange: Exchange, page: str) -> None:
        transfer = _TRANSFER.fullmatch(page)
        if exchange.method == "POST" and page == "join":
            exchange.record.route = "geo/join"
            await self._join(exchange)
        elif exchange.method == "POST" and page == "status":
            exchange.record.route = "geo/status"
            await self._store_status(exchange)
        elif exchange.method == "GET" and transfer is not None:
            exchange.record.route = "geo/transfers"
            await self._send_file(exchange, transfer[1], int(transfer[2]))
        else:
            raise errors.unknown_route()

    async def _join(self, exchange: Exchange) -> None:
        request = msgspec.json.decode(await _body(exchange), type=JoinRequest)
        if self.services.database.engine != "postgres" or not request.code.isascii():
            raise errors.unauthorized()
        settings = self.services.settings
        async with self.services.database.transaction() as tx:
            key = find_instance_key(settings.data, settings.instance_key)
            if key is None:
                raise UnreadableSecret(f"There is no instance key in {settings.data}: restore it from a backup.")
            host_key = await asyncio.to_thread(ssh_host_key(settings.data).read_text)
            found = await redeem_code(tx, self.services.vault, request.code, instance_key=key, ssh_host_key=host_key)
            if await postgres_replication.system_identifier(tx) != request.system_identifier:
                raise errors.bad_request(OTHER_DATABASE)
        await exchange.answer(200, msgspec.json.encode(found), _JSON)

    async def _store_status(self, exchange: Exchange) -> None:
        node, data = await find_node_of(self.services, exchange.header("authorization"))
        if data != {"status": True}:
            raise InvalidToken("the token is for something else")
        figures = msgspec.json.decode(await _body(exchange), type=Figures)
        async with self.services.database.transaction() as tx:
            await statuses.store(tx, node.id, figures)
        await statuses.refresh_own(self.services)
        await exchange.answer(200, b"{}", _JSON)

    async def _send_file(self, exchange: Exchange, kind: str, object_id: int) -> None:
        _, data = await find_node_of(self.services, exchange.header("authorization"))
        file = errors.or_not_found(await transfers.open_file(self.services, kind, object_id, data), "File")
        await exchange.begin(200, "application/octet-stream", {transfers.CHECKSUM_HEADER: file.checksum})
        async for piece in file.pieces:
            await exchange.write(piece)
        await exchange.end()


async def _body(exchange: Exchange) -> bytes:
    return b"".join([piece async for piece in exchange.body(MAX_BODY_BYTES)])


async def _answer_json(exchange: Exchange, error: ApiError) -> None:
    await exchange.answer(error.status, msgspec.json.encode(error.body), _JSON, error.headers)
