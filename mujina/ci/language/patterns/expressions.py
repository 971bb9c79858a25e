"""The expressions of `rules:if` and `only:variables`: `$CI_COMMIT_REF_NAME =~ /^v/ && $DEPLOY != null`.

expression  = and { "||" and }
and         = comparison { "&&" comparison }
comparison  = operand [ ( "==" | "!=" | "=~" | "!~" ) operand ]
operand     = "$NAME" | "text" | 'text' | /pattern/flags | null | "(" expression ")"
"""

import re
from collections.abc import Mapping
from functools import lru_cache
from typing import Final, NamedTuple, TypeAlias

import msgspec

from mujina.ci.language.patterns.regular_expressions import BadPattern, compile_pattern, is_pattern, matches
from mujina.kernel.text.deferred_patterns import deferred_pattern

MAX_LENGTH: Final = 10_000
MAX_DEPTH: Final = 50
"""Levels of parentheses."""

_TOKEN = deferred_pattern(
    r"""\s*(?:
        (?P<operator>==|!=|=~|!~|&&|\|\||\(|\))
      | (?P<variable>\$\{?[A-Za-z_][A-Za-z0-9_]*\}?)
      | "(?P<double>[^"]*)"
      | '(?P<single>[^']*)'
      | (?P<pattern>/(?:\\.|[^/\\])+/[a-zA-Z]*)
      | (?P<null>null\b)
    )""",
    re.VERBOSE,
)


class BadExpression(Exception):
    """The text is not an expression; the message says why."""


class VariableOperand(msgspec.Struct, frozen=True):
    name: str


class TextOperand(msgspec.Struct, frozen=True):
    text: str | None
    """None is `null`."""


class PatternOperand(msgspec.Struct, frozen=True):
    pattern: str


class Operation(msgspec.Struct, frozen=True):
    """Two operands, or a chain of `&&` or `||`."""

    operator: str
    operands: "tuple[Expression, ...]"


Expression: TypeAlias = VariableOperand | TextOperand | PatternOperand | Operation


class _Token(NamedTuple):
    kind: str
    text: str


@lru_cache(maxsize=1_024)
def parse(text: str) -> Expression:
    """The expression; `BadExpression` if it is none."""
    if len(text) > MAX_LENGTH:
        raise BadExpression(f"it is longer than {MAX_LENGTH} characters")
    return _Parser(_tokens(text)).whole()


def _tokens(text: str) -> list[_Token]:
    found: list[_Token] = []
    position, end = 0, len(text.rstrip())
    while position < end:
        match = _TOKEN.match(text, position)
        if match is None or match.lastgroup is None:
            raise BadExpression(f"unexpected character at {position + 1}")
        kind = "text" if match.lastgroup in ("double", "single") else match.lastgroup
        found.append(_Token(kind, match[match.lastgroup]))
        position = match.end()
    return found


class _Parser:
    def __init__(self, tokens: list[_Token]) -> None:
        self._tokens = tokens
        self._position = 0

    def whole(self) -> Expression:
        expression = self._chain(0)
        if self._position < len(self._tokens):
            raise BadExpression(f"unexpected {self._tokens[self._position].text}")
        return expression

    def _chain(self, depth: int) -> Expression:
        if depth > MAX_DEPTH:
            raise BadExpression("too many parentheses")
        return self._joined("||", depth)

    def _joined(self, operator: str, depth: int) -> Expression:
        """Operands joined by `||`; inside each, operands joined by `&&`."""
        operands = [self._part(operator, depth)]
        while self._next_is(operator):
            self._position += 1
            operands.append(self._part(operator, depth))
        return operands[0] if len(operands) == 1 else Operation(operator, tuple(operands))

    def _part(self, operator: str, depth: int) -> Expression:
        return self._joined("&&", depth) if operator == "||" else self._comparison(depth)

    def _comparison(self, depth: int) -> Expression:
        left = self._operand(depth)
        if not any(map(self._next_is, ("==", "!=", "=~", "!~"))):
            return left
        operator = self._take().text
        right = self._operand(depth)
        if operator in ("=~", "!~"):
            _check_pattern_operand(right)
        return Operation(operator, (left, right))

    def _operand(self, depth: int) -> Expression:
        token = self._take()
        match token.kind:
            case "variable":
                return VariableOperand(token.text.strip("${}"))
            case "text":
                return TextOperand(token.text)
            case "null":
                return TextOperand(None)
            case "pattern":
                return PatternOperand(token.text)
            case _ if token.text == "(":
                inner = self._chain(depth + 1)
                if not self._next_is(")"):
                    raise BadExpression("a parenthesis is not closed")
                self._position += 1
                return inner
            case _:
                raise BadExpression(f"unexpected {token.text}")

    def _take(self) -> _Token:
        if self._position >= len(self._tokens):
            raise BadExpression("it ends too early")
        self._position += 1
        return self._tokens[self._position - 1]

    def _next_is(self, operator: str) -> bool:
        ahead = self._tokens[self._position : self._position + 1]
        return bool(ahead) and ahead[0] == _Token("operator", operator)


def _check_pattern_operand(operand: Expression) -> None:
    if isinstance(operand, VariableOperand) or (
        isinstance(operand, TextOperand) and operand.text and is_pattern(operand.text)
    ):
        return
    if not isinstance(operand, PatternOperand):
        raise BadExpression("=~ and !~ need a pattern on their right side")
    try:
        compile_pattern(operand.pattern)
    except BadPattern as bad:
        raise BadExpression(f"pattern {operand.pattern} is not valid: {bad}") from None


def holds(text: str, variables: Mapping[str, str]) -> bool:
    """Whether the expression is true for these variables; a bad expression is false."""
    try:
        return bool(_value(parse(text), variables))
    except BadExpression:
        return False


def _value(expression: Expression, variables: Mapping[str, str]) -> str | bool | None:
    match expression:
        case VariableOperand(name=name):
            return variables.get(name)
        case TextOperand(text=text):
            return text
        case PatternOperand(pattern=pattern):
            return pattern
        case Operation(operator="&&", operands=operands):
            return all(_value(operand, variables) for operand in operands)
        case Operation(operator="||", operands=operands):
            return any(_value(operand, variables) for operand in operands)
        case Operation(operator=operator, operands=(left, right)):
            return _compare(operator, _value(left, variables), _value(right, variables))
        case _:
            return None


def _compare(operator: str, left: str | bool | None, right: str | bool | None) -> bool:
    if operator in ("==", "!="):
        return (left == right) == (operator == "==")
    found = isinstance(left, str) and isinstance(right, str) and matches(right, left)
    return found == (operator == "=~")
