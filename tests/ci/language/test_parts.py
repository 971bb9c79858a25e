"""Durations, expressions and patterns of paths."""

import pytest

from mujina.ci.language.durations import read_duration
from mujina.ci.language.patterns.expressions import BadExpression, holds, parse
from mujina.ci.language.patterns.globs import PathMatcher

HOUR, DAY = 3_600, 86_400
DURATIONS = {
    "3h30m": 3 * HOUR + 1_800, "1 week": 7 * DAY, "2 yrs 6 mos": 2 * 31_557_600 + 180 * DAY, "4:30": 270, "1:00:00": HOUR,
    "90": 90, "1 hour and 30 minutes": 5_400, "1 day, 2 hrs": DAY + 2 * HOUR, "1.5 h": 5_400, "30 sec": 30, "47 yrs 6 mos and 4d":
    47 * 31_557_600 + 184 * DAY, "0": 0, "1 MIN": 60,
}  # fmt: skip


def test_durations_are_read_as_seconds():
    assert {text: read_duration(text) for text in DURATIONS} == DURATIONS
    assert [read_duration(value) for value in (90, 0, True, -1, 1.5, None, [], "soon", "", "1 parsec", "-5", "5 h x")] == [
        90, 0, *[None] * 10,
    ]  # fmt: skip
    assert read_duration("9" * 240 + " years") == read_duration(10**30)


EXPRESSIONS = {
    "$A": True, "$EMPTY": False, "$NONE": False, '$A == "a"': True, "$A == 'b'": False, '$A != "b"': True,
    "$NONE == null": True, "$A != null": True, "$EMPTY == null": False, '$EMPTY == ""': True, "$A == $A2": True,
    "$REF =~ /^feature/": True, "$REF =~ /^FEATURE/i": True, "$REF !~ /^master$/": True, "$REF =~ /a\\/x/": False,
    "$REF =~ /ture\\/x/": True, "$REF =~ $PATTERN": True, "$NONE =~ /x/": False, "$NONE !~ /x/": True,
    '$A == "a" && $EMPTY || $A': True, '$A == "b" || $A && $EMPTY': False, '($A == "b" || $A) && $A2': True,
    '"a" == $A': True, "${A} == 'a'": True, "($A)": True, '$A == "a" && ($EMPTY || ($NONE == null))': True,
}  # fmt: skip


def test_expressions_hold_for_their_variables():
    variables = {"A": "a", "A2": "a", "EMPTY": "", "REF": "feature/x", "PATTERN": "/^fea/"}
    assert {text: holds(text, variables) for text in EXPRESSIONS} == EXPRESSIONS


@pytest.mark.parametrize(
    "text",
    [
        "", "==", "$A ==", "($A", "$A)", "$A $B", "$A = 1", "A", '"a', "$A =~ 'x'", "$A =~ /(?=x)/", "$A == == $B",
        "(" * 60 + "$A" + ")" * 60, "$A &&", "&& $A", "$A =~ /x/q", "$A" * 10_000, "!$A",
    ],
)  # fmt: skip
def test_what_is_no_expression_is_refused_and_false(text):
    with pytest.raises(BadExpression):
        parse(text)
    assert holds(text, {"A": "1"}) is False


GLOBS = [
    ("*.md", "a.md", True), ("*.md", "x/a.md", False), ("**/*.md", "a.md", True), ("**/*.md", "x/y/a.md", True),
    ("docs/**", "docs/a/b", True), ("docs/**/*", "docs/a", True), ("docs/**/x", "docs/x", True), ("docs/*", "docs/a/b", False),
    ("?.c", "a.c", True), ("?.c", "/.c", False), ("[ab].c", "b.c", True), ("[!ab].c", "b.c", False), ("[a-c].c", "b.c", True),
    ("*.{rb,py}", "a.py", True), ("*.{rb,py}", "a.go", False), ("a.b", "axb", False), ("/a", "a", True), ("./a", "a", True),
    ("a\\*", "a*", True), ("a\\*", "ab", False), ("a,b", "a,b", True), ("{a,b", "a", False), ("[", "[", True),
    (".x/*", ".x/y", True),
]  # fmt: skip


def test_globs_match_their_paths():
    assert [(glob, path, PathMatcher([path]).any_matches([glob])) for glob, path, _ in GLOBS] == GLOBS


def test_a_search_for_many_globs_in_many_files_ends():
    matcher = PathMatcher(["x" * 1_000], budget=10_000)
    assert [matcher.any_matches([f"y{n}"]) for n in range(12)] == [False] * 10 + [True] * 2
    assert not PathMatcher([]).any_matches(["*"])
