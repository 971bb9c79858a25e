"""The log of deliveries as responses show it: without secrets."""

from typing import Annotated, Any, Final, LiteralString

import msgspec

from mujina.integrations.deliveries.params import ListDeliveries
from mujina.kernel import errors
from mujina.kernel.db.entities import Computed, to_entity
from mujina.kernel.db.rows import Row
from mujina.kernel.db.sql.selection import Selection, descending
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.lists.pages import load_rows

MAX_LISTED_LENGTH: Final = 524_288
OVERSIZE: Final = '{"oversize": true}'
"""A list shows this text instead of a longer body: a page has up to a hundred of them."""


class LoggedDelivery(msgspec.Struct, kw_only=True):
    """One attempt to deliver."""

    id: int
    trigger: Annotated[str, "y.trigger"]
    url: str
    request_headers: dict[str, str]
    request_data: dict[str, Any]
    response_headers: dict[str, str]
    response_body: str
    response_status: str
    execution_duration: Computed[float]
    internal_error_message: Annotated[str | None, "w.error"]
    created_at: str
    updated_at: Annotated[str, "w.created_at"]


class ResentDelivery(msgspec.Struct):
    response_status: int


class TestedHook(msgspec.Struct):
    message: str


class LoggedDeliveryView(Row, alias="w", of=LoggedDelivery):
    """An attempt with its payload (`y`)."""

    request_headers: str
    body: Annotated[str, f"CASE WHEN length(y.body) > {MAX_LISTED_LENGTH} THEN '{OVERSIZE}' ELSE y.body END"]
    response_headers: str
    milliseconds: int


_STATUSES: dict[str, LiteralString] = {
    "successful": "w.response_status LIKE '2%'",
    "client_failure": "w.response_status LIKE '4%'",
    "server_failure": "(w.response_status LIKE '5%' OR w.response_status = 'internal error')",
}
_SOURCE: LiteralString = "hook_logs w JOIN hook_payloads y ON y.id = w.payload_id"


async def load_page(tx: Tx, hook_id: int, query: ListDeliveries, page: Page) -> Paged[LoggedDelivery]:
    """One page of the log of a hook, newest first."""
    selection = Selection(_SOURCE, "w.hook_id = :hook_id", hook_id=hook_id)
    if query.status:
        if query.status in _STATUSES:
            selection = selection.where(_STATUSES[query.status])
        elif query.status.isascii() and query.status.isdigit():
            selection = selection.where("w.response_status = :status", status=query.status)
        else:
            raise errors.unacceptable("status does not have a valid value")
    return (await load_rows(tx, LoggedDeliveryView, selection, descending("w.id"), page)).map(_to_entity)


def _to_entity(row: LoggedDeliveryView) -> LoggedDelivery:
    return to_entity(
        LoggedDelivery, row, request_headers=msgspec.json.decode(row.request_headers),
        request_data=msgspec.json.decode(row.body), response_headers=msgspec.json.decode(row.response_headers),
        execution_duration=row.milliseconds / 1000,
    )  # fmt: skip


async def load_one(tx: Tx, hook_id: int, log_id: int) -> LoggedDelivery:
    """One attempt of a hook; 404 for any other."""
    row = await tx.row(
        LoggedDeliveryView,
        f"SELECT {LoggedDeliveryView.columns} FROM {_SOURCE} WHERE w.id = :id AND w.hook_id = :hook_id",
        id=log_id,
        hook_id=hook_id,
    )
    if row is None:
        raise errors.not_found("Delivery")
    body: str = await tx.value(f"SELECT y.body FROM {_SOURCE} WHERE w.id = :id", id=log_id)
    return _to_entity(msgspec.structs.replace(row, body=body))


class AttemptLine(Row, alias="w"):
    """An attempt as a list of a page shows it."""

    id: int
    hook_id: int
    trigger: Annotated[str, "y.trigger"]
    response_status: str
    milliseconds: int
    created_at: str

    @property
    def delivered(self) -> bool:
        return self.response_status.startswith("2")


async def lines(tx: Tx, hook_id: int, page: Page) -> Paged[AttemptLine]:
    """One page of the attempts of a hook, the newest first, without what was sent."""
    selection = Selection(_SOURCE, "w.hook_id = :hook_id", hook_id=hook_id)
    return await load_rows(tx, AttemptLine, selection, descending("w.id"), page)


async def attempts_of(tx: Tx, hook_id: int, log_id: int) -> list[AttemptLine]:
    """Every attempt to deliver to the hook what this one sent, the oldest first."""
    return await tx.rows(
        AttemptLine,
        f"""SELECT {AttemptLine.columns} FROM {_SOURCE} WHERE w.hook_id = :hook_id
            AND w.payload_id = (SELECT one.payload_id FROM hook_logs one WHERE one.id = :id) ORDER BY w.id""",
        hook_id=hook_id,
        id=log_id,
    )


async def newest(tx: Tx, hook_ids: list[int]) -> dict[int, AttemptLine]:
    """The newest attempt of each of these hooks that has one."""
    rows = await tx.rows(
        AttemptLine,
        f"""SELECT {AttemptLine.columns} FROM {_SOURCE} WHERE w.id IN (
            SELECT max(latest.id) FROM hook_logs latest WHERE latest.hook_id IN :hook_ids GROUP BY latest.hook_id)""",
        hook_ids=hook_ids,
    )
    return {row.hook_id: row for row in rows}
