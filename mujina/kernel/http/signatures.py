"""The arguments of a handler. `inspect.signature` and `get_type_hints` for a thousand are a tenth of a start."""

import inspect
from collections.abc import Callable
from typing import Any, get_type_hints


def parameters_of(handler: Callable[..., Any]) -> dict[str, Any]:
    """The type of each parameter but the first, in their order."""
    declared: dict[str, Any] = handler.__annotations__
    hints = get_type_hints(handler) if any(isinstance(hint, str) for hint in declared.values()) else declared
    code = inspect.unwrap(handler).__code__
    return {name: hints[name] for name in code.co_varnames[1 : code.co_argcount + code.co_kwonlyargcount]}
