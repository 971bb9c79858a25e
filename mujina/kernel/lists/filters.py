"""The parameters of lists as conditions: each noun has a table of filters, by the names of the parameters."""

from collections.abc import Callable, Mapping
from typing import Any, LiteralString

from mujina.kernel.db.sql.selection import Selection, Sql
from mujina.kernel.http.params import UNSET, Params
from mujina.kernel.text.folding import like

Filter = Callable[[LiteralString, Any], Sql | None]
"""The condition for a value, which it binds by this name; None if this value leaves nothing out."""
Filters = Mapping[LiteralString, Filter]


def apply_filters(selection: Selection, query: Params, filters: Filters) -> Selection:
    """Keep the rows that match each parameter of the query which the table has."""
    for name, filter in filters.items():
        value = getattr(query, name, UNSET)
        if _is_given(value) and (condition := filter(name, value)) is not None:
            selection = selection.where(condition)
    return selection


def leave_out(selection: Selection, query: Params, filters: Filters) -> Selection:
    """`not[…]`: leave out the rows that match one of its parameters."""
    for name, filter in filters.items():
        value = getattr(query, name, UNSET)
        if _is_given(value) and (condition := filter(f"not_{name}", value)) is not None:
            selection = selection.where(~condition)
    return selection


def _is_given(value: Any) -> bool:
    return value is not UNSET and value is not None and value not in ("", [])


def compared(expression: LiteralString, operator: LiteralString = "=") -> Filter:
    """Rows in which the expression and the value compare like this; behind `IN`, the value is a list."""
    return lambda name, value: Sql(f"{expression} {operator} :{name}", **{name: value})


def containing(expression: LiteralString) -> Filter:
    """Rows in which the text has the value as a part, in capitals or not."""
    return lambda name, part: Sql(f"lower({expression}) LIKE lower(:{name}) ESCAPE '\\'", **{name: f"%{like(part)}%"})


def flag(condition: LiteralString) -> Filter:
    """Rows in which the condition holds, or does not: `true` and `yes`, or any other value."""
    return lambda _, value: Sql(condition if value in (True, "yes") else f"NOT ({condition})")


def only_if(condition: LiteralString) -> Filter:
    """Rows in which the condition holds if the value is true, else all rows."""
    return lambda _, value: Sql(condition) if value else None
