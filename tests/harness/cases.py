"""A case as data: who asks what, and everything that may be said about the answer.

CASES = [
    Case("guest", "DELETE /projects/{private.id}/issues/1", 403, {"message": "403 Forbidden"}, events=[]),
    Case("owner", "GET /projects/{private.id}", 200, Has(visibility="private"), statements=4),
]

@cases(CASES)
def test_deleting_an_issue(case, cast): case.holds(cast)
"""

from dataclasses import dataclass, field
from typing import Any

import pytest

from tests.harness.client import Answer

ANYTHING: Any = object()


class Has(dict[str, Any]):
    """At least these fields, each as given; others are nobody's business here."""


@dataclass(frozen=True)
class Case:
    who: str
    request: str
    """The verb and the path, with `{…}` for attributes of the cast: `GET /projects/{private.id}`."""
    status: int
    body: Any = ANYTHING
    params: dict[str, Any] = field(default_factory=dict[str, Any])
    events: list[str] | None = None
    """The kinds recorded by the request, in order; None: not asked."""
    statements: int | None = None
    """At most so many."""

    def __str__(self) -> str:
        said = ",".join(f"{name}={value}" for name, value in self.params.items())
        return f"{self.who} {self.request} {said}".strip() + f" → {self.status}"

    def holds(self, cast: Any) -> Answer:
        """Ask, and hold the answer to everything the case says; the answer, for what more there is to say."""
        verb, path = self.request.format_map(cast.names).split(" ", 1)
        seen = cast.events()
        before = cast.database.statements
        answer: Answer = getattr(cast, self.who).ask(verb, path, params=self.params)
        used = cast.database.statements - before
        assert answer.status == self.status, answer
        if self.body is not ANYTHING:
            assert differences(self.body, answer.json if answer.body else None) == []
        if self.events is not None:
            assert cast.events()[len(seen) :] == self.events
        if self.statements is not None:
            assert used <= self.statements
        return answer


def cases(table: list[Case]) -> pytest.MarkDecorator:
    """One test for each case, named by what it says."""
    return pytest.mark.parametrize("case", table, ids=str)


def differences(expected: Any, found: Any, at: str = "") -> list[str]:
    """Where what was found is not what was expected; `Has` looks at its own fields only, at any depth."""
    if isinstance(expected, Has) and isinstance(found, dict):
        absent = [f"{at}.{name} is missing" for name in expected if name not in found]
        return absent + [
            line
            for name in expected
            if name in found
            for line in differences(expected[name], found[name], f"{at}.{name}")
        ]
    if isinstance(expected, list) and isinstance(found, list) and len(expected) == len(found):
        pairs = enumerate(zip(expected, found, strict=True))
        return [line for n, (one, other) in pairs for line in differences(one, other, f"{at}[{n}]")]
    return [] if expected == found else [f"{at or 'body'}: expected {expected!r}, found {found!r}"]
