"""Runs the statements of one connection without cursors, several of them in one exchange with the server.

A cursor of psycopg looks up how to convert each value and each column anew for every statement, and encodes and hashes
the text: more than a small statement costs. The parts of psycopg that convert, prepare and wait are the same here.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from psycopg import AsyncConnection, errors
from psycopg._preparing import Prepare, PrepareManager
from psycopg._queries import PostgresQuery
from psycopg.adapt import PyFormat, Transformer
from psycopg.generators import execute, fetch_many, send
from psycopg.pq import ExecStatus, Format

if TYPE_CHECKING:
    from psycopg.abc import PQGen
    from psycopg.pq.abc import PGresult

_GOOD = frozenset({ExecStatus.TUPLES_OK, ExecStatus.COMMAND_OK})


class _Query(NamedTuple):
    """The key by which prepared statements are looked up; a text has its hash already."""

    query: str
    types: tuple[int, ...]


class Converted(NamedTuple):
    """A statement with its values as they are sent."""

    query: _Query
    values: Sequence[Any]
    formats: Sequence[Format] | None


class LastingStatements(PrepareManager):
    """Prepared statements last when a transaction is rolled back, which PostgreSQL does too.

    psycopg drops them, in case the transaction has changed the schema; ours never do. Without this, each request that is
    refused within its transaction would make the next ones on its connection plan all their statements again.
    """

    def clear(self) -> bool:
        return False

    def forget(self, query: _Query) -> None:
        """It is not prepared, because it or a statement that was sent before it failed."""
        self._names.pop(self.key(cast("PostgresQuery", query)), None)

    def shrink(self) -> None:
        """Let go of those that were not used for long, if they are too many; `maintain_gen` tells the server."""
        while len(self._names) > self.prepared_max or len(self._counts) > self.prepared_max:
            self._rotate()


class PostgresStatements:
    """The statements of one connection."""

    def __init__(self, connection: AsyncConnection[Any], prepared: LastingStatements) -> None:
        self._connection = connection
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
        step, name = self._prepared.get(cast("PostgresQuery", statement.query))
        if step is Prepare.SHOULD:
            self._send_prepare(statement, name)
            _checked((yield from execute(self._pgconn)))
        self._send(statement, step, name)
        key = self._prepared.maybe_add_to_cache(cast("PostgresQuery", statement.query), step, name)
        results = yield from execute(self._pgconn)
        if key is not None:
            self._prepared.validate(key, step, name, results)
            yield from self._prepared.maintain_gen(self._connection)
        return _checked(results)

    def _run_together(self, statements: Sequence[Converted]) -> "PQGen[PGresult]":
        try:
            results = yield from self._exchange(statements)
        except BaseException:
            self._pgconn.finish()  # nobody knows what it still has to send or to read
            raise
        _checked(results)
        self._prepared.shrink()
        yield from self._prepared.maintain_gen(self._connection)
        return results[-1]

    def _exchange(self, statements: Sequence[Converted]) -> "PQGen[list[PGresult]]":
        """Send all, then read all; good results and those of errors."""
        pgconn, prepared = self._pgconn, self._prepared
        preparing: list[_Query | None] = []  # for each result the statement that it prepares, if it does
        pgconn.enter_pipeline_mode()
        for statement in statements:
            query = cast("PostgresQuery", statement.query)
            step, name = prepared.get(query)
            if step is Prepare.SHOULD:
                self._send_prepare(statement, name)
                preparing.append(statement.query)
            self._send(statement, step, name)
            preparing.append(None)
            prepared.maybe_add_to_cache(query, step, name)
        pgconn.pipeline_sync()
        yield from send(pgconn)
        results: list[PGresult] = []
        for _ in preparing:
            results += yield from fetch_many(pgconn)
        yield from fetch_many(pgconn)  # the end of the exchange
        pgconn.exit_pipeline_mode()
        for query, result in zip(preparing, results, strict=False):  # fewer results if the connection is lost
            if query is not None and result.status not in _GOOD:
                prepared.forget(query)
        return results

    def rows(self, result: "PGresult") -> list[tuple[Any, ...]]:
        """The rows of a result."""
        self._converter.set_pgresult(result)
        rows = self._converter.load_rows(0, result.ntuples, tuple)
        self._converter.set_pgresult(None, set_loaders=False)  # an idle connection keeps no rows
        return rows

    def _send_prepare(self, statement: Converted, name: bytes) -> None:
        self._pgconn.send_prepare(name, statement.query.query.encode(), param_types=statement.query.types)

    def _send(self, statement: Converted, step: Prepare, name: bytes) -> None:
        if step is Prepare.NO:
            self._pgconn.send_query_params(
                statement.query.query.encode(), statement.values, param_types=statement.query.types,
                param_formats=statement.formats, result_format=Format.BINARY,
            )  # fmt: skip
        else:
            self._pgconn.send_query_prepared(
                name, statement.values, param_formats=statement.formats, result_format=Format.BINARY
            )


def _checked(results: "Sequence[PGresult]") -> "PGresult":
    for result in results:
        if result.status not in _GOOD:
            raise errors.error_from_result(result, encoding="utf-8")
    return results[0]
