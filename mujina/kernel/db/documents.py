"""Stored documents: the JSON of an entity as lists show it, encoded once and read instead of being computed.

A document contains what is the same for every caller. What a request decides is left open as a slot, a control character
that encoded JSON never contains, and filled when the document is sent.

Triggers outdate documents in the transaction of each change (`kernel/db/schema/document_triggers.py`); operations do nothing. A
reader that finds no valid document computes it, and `DocumentWriter` stores it later, outside the request. It is stored
only if its version is still the one that was read before everything else: a change in between wins. So a document is
what computing would give, or it is not used.
"""

import asyncio
import hashlib
import re
from collections.abc import Awaitable, Callable, Generator, Mapping, Sequence
from contextlib import contextmanager
from functools import lru_cache
from secrets import token_hex
from time import monotonic
from typing import Any, Final, Generic, LiteralString, TypeVar, cast

import msgspec

from mujina.kernel.build import VERSION
from mujina.kernel.db.postgres.locks import limit_lock_wait
from mujina.kernel.db.rows import Row
from mujina.kernel.db.schema.document_triggers import GENERATIONS, SHARED_GENERATION
from mujina.kernel.db.transaction import Database, Tx, Value, contention_key
from mujina.kernel.monitoring.logs import log
from mujina.kernel.urls import InstanceAddress, instance_address, quoted

Entity = TypeVar("Entity", bound=msgspec.Struct)

MAX_SIZE: Final = 32_000
"""Characters; longer documents are computed for each request."""
MAX_WAITING: Final = 1_000
"""Documents that wait to be stored; more are dropped, and the next reader computes them again."""
BATCH: Final = 50
"""Documents stored by one transaction: about half a millisecond of the event loop on SQLite."""
DELAY_SECONDS: Final = 0.02
"""The delay from the first computed document to the transaction: documents computed together are stored together."""
REST_FACTOR: Final = 5
"""The writer rests this multiple of the time that a transaction took, so that storing never occupies the database."""
RETRY_SECONDS: Final = 1.0

_BASE, _PATH, _DETAIL_ONLY = b"\x01", b"\x02", b"\x03"
"""The slots: the address of the instance, the path of the project, and a member that only some responses have."""
_COMPUTED: Final = "\x04"
"""The slot of members that no trigger can outdate."""

_SECRET: Final = token_hex(16)
PATH_SLOT: Final = f"path{_SECRET}"
"""The path of the project in an entity of which a document is made. It is secret: no text of a client contains it."""
DETAIL_ONLY_SLOT: Final = f"detail_only{_SECRET}"
"""The value of the member that each response fills by itself."""
COMPUTED_SLOT: Final = f"computed{_SECRET}"
"""The value of a member that is computed for each response, because too much decides it, or who asks."""
_OPEN_ADDRESS: Final = InstanceAddress(f"base{_SECRET}")
_OPEN_BASE: Final = _OPEN_ADDRESS.base.encode()
_detail_member, _computed_member = (
    re.compile(rf',"\w+":"{slot}"'.encode()) for slot in (DETAIL_ONLY_SLOT, COMPUTED_SLOT)
)
_encode = msgspec.json.Encoder().encode


def _generation(id: LiteralString) -> LiteralString:
    return f"coalesce((SELECT generation.n FROM {GENERATIONS} generation WHERE generation.id = {id}), 0)"


_SHARED_GENERATION: LiteralString = _generation(SHARED_GENERATION)


DocumentRow = tuple[int, str | None, str]
"""An id, its document or None, and the path of its project."""


class DocumentSource(Row):
    """The parts of a document, as they were before anything else was read."""

    id: int
    version: int
    shared_epoch: int
    project_epoch: int


Compute = Callable[[Tx, list[int]], Awaitable[Sequence[tuple[DocumentSource, Entity]]]]
"""The entities of these ids, for documents.

`PATH_SLOT` stands for the project's path, `DETAIL_ONLY_SLOT` for a member that only the response with one entity has.
"""

Members = Mapping[str, Any]
"""Members of a JSON object."""

ComputeMembers = Callable[[Tx, list[int]], Awaitable[Mapping[int, Members]]]
"""For these ids, what stands in the place of the member that is `COMPUTED_SLOT`."""
_NO_MEMBERS: Members = {}


class Documents(Generic[Entity]):
    """The stored documents of one kind of entity, declared beside it."""

    def __init__(
        self,
        table: LiteralString,
        kind: type[Entity],
        compute: Compute[Entity],
        *,
        of: LiteralString,
        alias: LiteralString,
        variant: Callable[[], str],
        computed: ComputeMembers | None = None,
    ) -> None:
        """`of`: the table of the rows, each with an `id` and a `project_id`; statements call it `alias`.

        `variant`: what else decides how the entity is shown.
        """
        self._kind = kind
        self._compute = compute
        self._variant = variant
        self._compute_members = computed
        self.of: LiteralString = of
        self.rows: LiteralString = f"{of} {alias}"
        self.alias: LiteralString = alias
        id: LiteralString = f"{alias}.id"
        project_generation = _generation(f"{alias}.project_id")
        self.joined: LiteralString = f"""LEFT JOIN {table} d ON d.id = {id} AND d.shape = :document_schema_hash
            AND d.shared_epoch = {_SHARED_GENERATION} AND d.project_epoch = {project_generation}"""
        """`d.body` is the document, or null if there is no valid one."""
        self.source_columns: LiteralString = f"""
            {id}, coalesce((SELECT d.version FROM {table} d WHERE d.id = {id}), 0), {_SHARED_GENERATION},
            {project_generation}"""
        """The columns of a `DocumentSource`."""
        self.store: LiteralString = f"""
            INSERT INTO {table} (id, version, shape, shared_epoch, project_epoch, body)
            VALUES (:id, :version, :shape, :shared_epoch, :project_epoch, :body)
            ON CONFLICT (id) DO UPDATE SET shape = excluded.shape, shared_epoch = excluded.shared_epoch,
            project_epoch = excluded.project_epoch, body = excluded.body WHERE {table}.version = excluded.version"""

    def bound(self, tx: Tx) -> dict[str, int]:
        """The documents for `joined`. A transaction that writes uses none: they may not know yet of what it wrote."""
        return {"document_schema_hash": self._schema_hash if tx.reads_committed else 0}

    async def page(self, tx: Tx, rows: Sequence[DocumentRow]) -> Sequence[Entity]:
        """The entities of these rows, encoded; rows deleted meanwhile are left out."""
        found = await self._complete(tx, rows)
        paths = {path for _, path in found}
        if len(paths) == 1:
            joined = ",".join([text for text, _ in found])
            return cast("Sequence[Entity]", _filled(f"[{joined}]", paths.pop(), b""))
        filled = [bytes(_filled(text, path, b"")) for text, path in found]
        return cast("Sequence[Entity]", msgspec.Raw(b"[%b]" % b",".join(filled)))

    async def load_one(
        self, tx: Tx, row: DocumentRow, *, members: Members, detail_only: Members = _NO_MEMBERS
    ) -> Entity | None:
        """The entity of this row, encoded, with `members` at its end; None if it was deleted meanwhile."""
        found = await self._complete(tx, [row])
        if not found:
            return None
        [(text, path)] = found
        return cast("Entity", _filled(f"{text[:-1]}{_continued(members).decode()}}}", path, _continued(detail_only)))

    async def _complete(self, tx: Tx, rows: Sequence[DocumentRow]) -> list[tuple[str, str]]:
        """The documents of these rows with the paths of their projects; missing ones are computed."""
        missing = [id_ for id_, body, _ in rows if body is None]
        computed = await self._texts(tx, missing) if missing else {}
        found = [(id_, text, path) for id_, body, path in rows if (text := body or computed.get(id_)) is not None]
        if self._compute_members is None or not (with_slot := [id_ for id_, text, _ in found if _COMPUTED in text]):
            return [(text, path) for _, text, path in found]
        members = {id_: _continued(of).decode() for id_, of in (await self._compute_members(tx, with_slot)).items()}
        return [(text.replace(_COMPUTED, members.get(id_, "")), path) for id_, text, path in found]

    async def _texts(self, tx: Tx, ids: list[int]) -> dict[int, str]:
        """The documents of these ids, computed; they wait to be stored."""
        address = instance_address.set(_OPEN_ADDRESS)
        try:
            computed = await self._compute(tx, ids)
        finally:
            instance_address.reset(address)
        texts = {source.id: _with_slots(entity) for source, entity in computed}
        if tx.reads_committed:
            for writer in _writers:
                for source, _ in computed:
                    row = {**msgspec.structs.asdict(source), "shape": self._schema_hash, "body": texts[source.id]}
                    writer.put(self, row)
        return texts

    @property
    def _schema_hash(self) -> int:
        return _schema_hash(self._kind, self._variant())


@lru_cache
def _schema_hash(kind: type[msgspec.Struct], variant: str) -> int:
    """Differs whenever documents of this kind look different: in another version, in another edition."""
    described = f"{VERSION} {variant} {msgspec.json.schema(kind)}"
    return 1 + int.from_bytes(hashlib.sha256(described.encode()).digest()[:7])


def decoded(items: Sequence[Entity], kind: type[Entity]) -> list[Entity]:
    """The entities of a page of documents, for a reader who needs more than their JSON."""
    if isinstance(items, list):
        return items
    return msgspec.json.decode(cast("msgspec.Raw", items), type=list[kind])


def extended(entity: Entity, **members: Any) -> Entity:
    """An entity that is encoded already, with these members at its end."""
    return cast("Entity", msgspec.Raw(bytes(cast("msgspec.Raw", entity))[:-1] + _continued(members) + b"}"))


def _with_slots(entity: msgspec.Struct) -> str:
    text = _encode(entity).replace(_OPEN_BASE, _BASE).replace(PATH_SLOT.encode(), _PATH)
    return _detail_member.sub(_DETAIL_ONLY, _computed_member.sub(_COMPUTED.encode(), text)).decode()


def _filled(text: str, path: str, detail_only: bytes) -> msgspec.Raw:
    # Bytes: replacing in texts takes nine times as long.
    filled = text.encode().replace(_DETAIL_ONLY, detail_only).replace(_PATH, quoted(path).encode())
    return msgspec.Raw(filled.replace(_BASE, _encode(instance_address.get().base)[1:-1]))


def _continued(members: Members) -> bytes:
    """Appends these members to others."""
    return b"," + _encode(members)[1:-1]


class DocumentWriter:
    """The service that stores the documents computed by the readers of this process."""

    def __init__(self, database: Database) -> None:
        self._database = database
        self._waiting: dict[tuple[LiteralString, int], dict[str, Value]] = {}
        """Statement that stores it, and id → the row of each document."""
        self._wakeup = asyncio.Event()
        self._stopping = False

    def put(self, documents: Documents[Any], row: dict[str, Any]) -> None:
        """Store the document soon, unless too many wait."""
        if len(self._waiting) < MAX_WAITING and len(row["body"]) <= MAX_SIZE:
            self._waiting[documents.store, row["id"]] = row
            self._wakeup.set()

    async def run(self) -> None:
        """Store what readers compute, until `stop`."""
        contention_key.set("documents")
        with registered(self):
            while (
                not self._stopping
            ):  # asked before waiting: storing the last batch may take back the wake-up of `stop`
                await self._wakeup.wait()
                await asyncio.sleep(DELAY_SECONDS)
                await self._flush_and_rest()

    def stop(self) -> None:
        """Ask `run` to end."""
        self._stopping = True
        self._wakeup.set()

    async def _flush_and_rest(self) -> None:
        started = monotonic()
        try:
            await self.flush()
        except Exception as error:  # noqa: BLE001 - readers compute what is not stored
            log.warning("documents were not stored", error=repr(error))
            await asyncio.sleep(RETRY_SECONDS)
        await asyncio.sleep(REST_FACTOR * (monotonic() - started))

    async def flush(self) -> None:
        """Store one batch; what is not stored is forgotten."""
        batch = [(key, self._waiting.pop(key)) for key in list(self._waiting)[:BATCH]]
        if not self._waiting:
            self._wakeup.clear()
        if not batch:
            return
        async with self._database.transaction() as tx:
            await limit_lock_wait(tx)
            stores: set[LiteralString] = {store for (store, _), _ in batch}
            for store in stores:
                rows = [row for (by, _), row in batch if by == store]
                await tx.run_each(store, sorted(rows, key=lambda row: cast("int", row["id"])))


_writers: list[DocumentWriter] = []
"""The writers to which readers of this process give what they compute; without one, nothing is stored."""


@contextmanager
def registered(writer: DocumentWriter) -> Generator[None]:
    """Inside the block, readers give the writer what they compute."""
    _writers.append(writer)
    try:
        yield
    finally:
        _writers.remove(writer)
