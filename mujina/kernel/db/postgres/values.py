"""How the values of statements are sent: each with the same type whatever it is, so that a statement is prepared once."""

from typing import TYPE_CHECKING, Any

from psycopg.types.array import ListDumper
from psycopg.types.numeric import Int8BinaryDumper, Int8Dumper
from psycopg.types.string import StrBinaryDumper, StrDumper

if TYPE_CHECKING:
    from psycopg import AsyncConnection
    from psycopg.abc import DumperKey
    from psycopg.adapt import PyFormat
    from psycopg.types.array import BaseListDumper

_ARRAY_OF_INT8 = 1016


def configure_values(connection: "AsyncConnection[Any]") -> None:
    """Integers are int8 and strings are text."""
    for dumper in (Int8Dumper, Int8BinaryDumper):
        connection.adapters.register_dumper(int, dumper)
    for dumper in (StrDumper, StrBinaryDumper):
        connection.adapters.register_dumper(str, dumper)
    connection.adapters.register_dumper(list, _AnyListDumper)


class _AnyListDumper(ListDumper):
    """Tells lists of integers from others. psycopg looks at each element several times, in Python: 0.1 ms for 100 ids."""

    def get_key(self, obj: list[Any], format: "PyFormat") -> "DumperKey":
        return (list, int) if _are_integers(obj) else super().get_key(obj, format)

    def upgrade(self, obj: list[Any], format: "PyFormat") -> "BaseListDumper":
        return _IntegersDumper(list) if _are_integers(obj) else super().upgrade(obj, format)


class _IntegersDumper(ListDumper):
    oid = _ARRAY_OF_INT8

    def dump(self, obj: list[int]) -> bytes:
        return b"{%b}" % str(obj)[1:-1].encode()


def _are_integers(values: list[Any]) -> bool:
    return {*map(type, values)} == {int}
