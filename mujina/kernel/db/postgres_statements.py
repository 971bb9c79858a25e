"""Runs the statements of one connection without cursors.

A cursor of psycopg looks up how to convert each value and each column anew for every statement, and encodes and hashes
the text: more than a small statement costs. The parts of psycopg that convert, prepare and wait are the same here.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, cast

from psycopg import AsyncConnection, errors
from psycopg._preparing import Prepare, PrepareManager
from psycopg._queries import PostgresQuery
from psycopg.adapt import PyFormat, Transformer
from psycopg.generators import execute
from psycopg.pq import ExecStatus, Format

if TYPE_CHECKING:
    from psycopg.abc import PQGen
    from psycopg.pq.abc import PGresult

_GOOD = frozenset({ExecStatus.TUPLES_OK, ExecStatus.COMMAND_OK})


class _Query(NamedTuple):
    """What prepared statements are looked up by; a text has its hash already."""

    query: str
    types: tuple[int, ...]


class PostgresStatements:
    """The statements of one connection, one at a time."""

    def __init__(self, connection: AsyncConnection[Any], prepared: PrepareManager) -> None:
        self._connection = connection
        self._prepared = prepared
        self._pgconn = connection.pgconn
        self._converter = Transformer(connection)

    def run(self, text: str, arguments: Sequence[Any]) -> "PQGen[PGresult]":
        """Run one statement; its result, in the binary format."""
        pgconn, converter, prepared = self._pgconn, self._converter, self._prepared
        values = converter.dump_sequence(arguments, [PyFormat.AUTO] * len(arguments))
        query = cast("PostgresQuery", _Query(text, converter.types or ()))
        step, name = prepared.get(query)
        if step is Prepare.NO:
            pgconn.send_query_params(
                text.encode(), values, param_types=query.types, param_formats=converter.formats,
                result_format=Format.BINARY,
            )  # fmt: skip
        else:
            if step is Prepare.SHOULD:
                pgconn.send_prepare(name, text.encode(), param_types=query.types)
                _checked((yield from execute(pgconn)))
            pgconn.send_query_prepared(name, values, param_formats=converter.formats, result_format=Format.BINARY)
        key = prepared.maybe_add_to_cache(query, step, name)
        results = yield from execute(pgconn)
        if key is not None:
            prepared.validate(key, step, name, results)
            yield from prepared.maintain_gen(self._connection)
        return _checked(results)

    def rows(self, result: "PGresult") -> list[tuple[Any, ...]]:
        """The rows of a result."""
        self._converter.set_pgresult(result)
        rows = self._converter.load_rows(0, result.ntuples, tuple)
        self._converter.set_pgresult(None, set_loaders=False)  # an idle connection keeps no rows
        return rows


def _checked(results: "Sequence[PGresult]") -> "PGresult":
    for result in results:
        if result.status not in _GOOD:
            raise errors.error_from_result(result, encoding="utf-8")
    return results[0]
