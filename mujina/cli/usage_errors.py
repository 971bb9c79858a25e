"""Errors in the arguments of a command, as sentences."""

from cyclopts import CoercionError, CycloptsError, MissingArgumentError, UnusedCliTokensError


def describe(error: CycloptsError) -> str:
    """The fault in the arguments, and the command that describes the right ones."""
    command = " ".join(["mujina", *(error.command_chain or ())])
    problem = _problem(error, command)
    return f"{problem}; see `{command} --help`." if problem else str(error)


def _problem(error: CycloptsError, command: str) -> str | None:
    argument = error.argument
    if isinstance(error, UnusedCliTokensError):
        return f"`{command}` does not take the argument {' '.join(error.unused_tokens or ())}"
    if isinstance(error, MissingArgumentError) and argument is not None:
        options = [token.keyword for token in argument.tokens if token.keyword]
        if error.keyword or options:
            return f"{error.keyword or options[-1]} needs a value"
        if argument.index is None:
            return f"The option {argument.name} is missing"
        return f"The argument {argument.name.lstrip('-').upper()} is missing"
    if isinstance(error, CoercionError) and error.token is not None and error.target_type is int:
        name = error.token.keyword or (argument.name.lstrip("-").upper() if argument else "The value")
        return f"{name} must be a whole number, not {error.token.value!r}"
    return None
