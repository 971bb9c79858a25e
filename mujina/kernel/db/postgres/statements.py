"""Runs the statements of one connection without cursors, several of them in one exchange with the server.

A cursor of psycopg looks up how to convert each value and each column anew for every statement, and encodes and hashes
the text: more than a small statement costs. The parts of psycopg that convert and wait are the same here.
"""

from collections import OrderedDict
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple

from psycopg import AsyncConnection, errors
from psycopg.adapt import PyFormat, Transformer
from psycopg.generators import execute, fetch_many, send
from psycopg.pq import ExecStatus, Format

if TYPE_CHECKING:
    from psycopg.abc import PQGen
    from psycopg.pq.abc import PGresult

_SUCCESS_STATUSES = frozenset({ExecStatus.TUPLES_OK, ExecStatus.COMMAND_OK})


class _Query(NamedTuple):
    """The key by which prepared statements are looked up; a text has its hash already."""

    query: str
    types: tuple[int, ...]


class Converted(NamedTuple):
    """A statement with its values as they are sent."""

    query: _Query
    values: Sequence[Any]
    formats: Sequence[Format] | None


class PreparedStatements:
    """The statements of one connection that are prepared: those that run for the third time, until they are not used for long.

    psycopg's own are not used: it drops all of them when a transaction is rolled back, in case that had changed the schema.
    Each request that is refused within its transaction would make the next ones on its connection plan their statements again.
    """

    def __init__(self) -> None:
        self.enabled = True
        self.max_prepared = 500
        self.uses_before = 2
        self._names: OrderedDict[_Query, bytes] = OrderedDict()
        self._uses: OrderedDict[_Query, int] = OrderedDict()
        self._created = 0

    def choose(self, query: _Query) -> tuple[bytes, bool]:
        """The name of the prepared statement, and whether it is new and has yet to be prepared; no name: it is not worth it."""
        if not self.enabled:
            return b"", False
        if (name := self._names.get(query)) is not None:
            self._names.move_to_end(query)
            return name, False
        uses = self._uses.pop(query, 0)
        if uses < self.uses_before:
            self._uses[query] = uses + 1
            if len(self._uses) > self.max_prepared:
                self._uses.popitem(last=False)
            return b"", False
        self._created += 1
        name = self._names[query] = b"mujina_%d" % self._created
        return name, True

    def forget(self, query: _Query) -> None:
        """It is not prepared, because it or a statement that was sent before it failed."""
        self._names.pop(query, None)

    def take_unused(self) -> list[bytes]:
        """The names that are too many: those that were not used for the longest time."""
        excess = range(len(self._names) - self.max_prepared)
        return [self._names.popitem(last=False)[1] for _ in excess]


class PostgresStatements:
    """The statements of one connection."""

    def __init__(self, connection: AsyncConnection[Any], prepared: PreparedStatements) -> None:
        self._prepared = prepared
        self._pgconn = connection.pgconn
        self._converter = Transformer(connection)

    def converted(self, text: str, arguments: Sequence[Any]) -> Converted:
        """The statement with its arguments, in their order, as they will be sent."""
        converter = self._converter
        values = converter.dump_sequence(arguments, [PyFormat.AUTO] * len(arguments))
        return Converted(_Query(text, converter.types or ()), values, converter.formats)

    def run(self, statements: Sequence[Converted]) -> "PQGen[PGresult]":
        """Run statements in their order; the result of the last, in the binary format. What follows an error does not run."""
        return self._run_one(statements[0]) if len(statements) == 1 else self._run_together(statements)

    def _run_one(self, statement: Converted) -> "PQGen[PGresult]":
        name, new = self._prepared.choose(statement.query)
        if new:
            self._send_prepare(statement, name)
            prepared = yield from execute(self._pgconn)
            if prepared[0].status not in _SUCCESS_STATUSES:
                self._prepared.forget(statement.query)
            _checked(prepared)
        self._send(statement, name)
        results = yield from execute(self._pgconn)
        if new:
            yield from self._deallocate()
        return _checked(results)

    def _run_together(self, statements: Sequence[Converted]) -> "PQGen[PGresult]":
        try:
            results = yield from self._exchange(statements)
        except BaseException:
            self._pgconn.finish()  # what it still has to send or to read is unknown
            raise
        _checked(results)
        yield from self._deallocate()
        return results[-1]

    def _exchange(self, statements: Sequence[Converted]) -> "PQGen[list[PGresult]]":
        """Send all, then read all; good results and those of errors."""
        pgconn = self._pgconn
        preparing: list[_Query | None] = []  # for each result the statement that it prepares, if it does
        pgconn.enter_pipeline_mode()
        for statement in statements:
            name, new = self._prepared.choose(statement.query)
            if new:
                self._send_prepare(statement, name)
                preparing.append(statement.query)
            self._send(statement, name)
            preparing.append(None)
        pgconn.pipeline_sync()
        yield from send(pgconn)
        results: list[PGresult] = []
        for _ in preparing:
            results += yield from fetch_many(pgconn)
        yield from fetch_many(pgconn)  # the end of the exchange
        pgconn.exit_pipeline_mode()
        for query, result in zip(preparing, results, strict=False):  # fewer results if the connection is lost
            if query is not None and result.status not in _SUCCESS_STATUSES:
                self._prepared.forget(query)
        return results

    def _deallocate(self) -> "PQGen[None]":
        for name in self._prepared.take_unused():
            self._pgconn.send_query(b"DEALLOCATE " + name)
            _checked((yield from execute(self._pgconn)))

    def rows(self, result: "PGresult") -> list[tuple[Any, ...]]:
        """The rows of a result."""
        self._converter.set_pgresult(result)
        rows = self._converter.load_rows(0, result.ntuples, tuple)
        self._converter.set_pgresult(None, set_loaders=False)  # an idle connection keeps no rows
        return rows

    def _send_prepare(self, statement: Converted, name: bytes) -> None:
        self._pgconn.send_prepare(name, statement.query.query.encode(), param_types=statement.query.types)

    def _send(self, statement: Converted, name: bytes) -> None:
        if name:
            self._pgconn.send_query_prepared(
                name, statement.values, param_formats=statement.formats, result_format=Format.BINARY
            )
        else:
            self._pgconn.send_query_params(
                statement.query.query.encode(), statement.values, param_types=statement.query.types,
                param_formats=statement.formats, result_format=Format.BINARY,
            )  # fmt: skip


def _checked(results: "Sequence[PGresult]") -> "PGresult":
    for result in results:
        if result.status not in _SUCCESS_STATUSES:
            raise errors.error_from_result(result, encoding="utf-8")
    return results[0]
