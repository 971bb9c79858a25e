"""Identifiers use the words of the field, and no two public classes have the same name."""

import ast
import io
import re
import tokenize
from collections import defaultdict
from collections.abc import Iterator

from tests.architecture.source import ROOT, Module, modules

BANNED = (
    "House", "house", "furnish", "Holder", "Heard", "Ledger", "said", "told", "heard", "brought", "judge", "mend",
    "settle", "look_ahead", "_ear", "_hear", "Unsettled", "dressed", "Standing", "Demands", "Unfit", "Unwieldy",
    "NotBelieved", "BREATH", "TOLD", "AROUND", "LONGEST", "FRESH_SECONDS", "later_filters", "later_addresses", "_around",
    "_SURROUNDINGS", "narrowed", "Walk", "_turned", "shifts", "tallies", "spread_counts", "LoopShares", "Openings",
    "RepositoryOf", "arrivals", "vanishing", "_last_words", "lingers", "settles", "debt", "Via",
)  # fmt: skip

BANNED_BEGINNINGS = ("Of ", "The same", "So many ", "Somebody", "Whoever")
"""A docstring is a sentence, or a noun phrase that stands alone."""
PUBLISHED = {"Of a project or of a group: the other one is null."}
"""Docstrings that the OpenAPI document quotes."""
BANNED_WORDS = re.compile(r"\b(?:whoever|so many|somebody|later years)\b", re.IGNORECASE)
"""A person has a role ("a user who …"), a number a noun ("rows per batch"), and a version its number or "newer"."""
BANNED_TESTS = re.compile(r"^\s*(?:async )?def (test_(?:of|whoever)_\w*)", re.MULTILINE)
"""The name of a test is a sentence about the product."""


def identifiers(module: Module) -> set[str]:
    """Every name that the module defines, assigns, takes as a parameter or gives as a keyword."""
    found: set[str] = set()
    for node in module.nodes:
        match node:
            case ast.FunctionDef(name=name) | ast.AsyncFunctionDef(name=name) | ast.ClassDef(name=name):
                found.add(name)
            case ast.Name(id=name) | ast.arg(arg=name) | ast.Attribute(attr=name) | ast.alias(name=name):
                found.add(name)
            case ast.keyword(arg=str(name)):
                found.add(name)
            case _:
                pass
    return found


def test_no_banned_identifier_is_used():
    used = {module.place: identifiers(module) & set(BANNED) for module in modules().values()}
    assert {place: names for place, names in used.items() if names} == {}


def test_no_module_has_a_banned_name():
    plain = {word.strip("_").lower() for word in BANNED}
    assert [m.place for m in modules().values() if plain & set(re.split(r"[._]", m.name))] == []


def test_a_docstring_stands_alone():
    texts = [
        (module.place, node.value.value)
        for module in modules().values()
        for node in module.nodes
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)
    ]
    assert [(place, text) for place, text in texts if text.startswith(BANNED_BEGINNINGS) if text not in PUBLISHED] == []


def prose(module: Module) -> Iterator[str]:
    """The docstrings and comments of the module."""
    for node in module.nodes:
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.value.value
    for token in tokenize.generate_tokens(io.StringIO(module.text).readline):
        if token.type == tokenize.COMMENT:
            yield token.string


def test_no_banned_word_is_in_docstrings_comments_and_docs():
    texts = [
        (module.place, text)
        for module in modules().values()
        if BANNED_WORDS.search(module.text)  # splitting every module into tokens would take seconds
        for text in prose(module)
    ]
    texts += [(str(path.relative_to(ROOT)), path.read_text()) for path in sorted((ROOT / "docs").rglob("*.md"))]
    assert [(place, found) for place, text in texts if (found := BANNED_WORDS.findall(text))] == []


def test_no_test_has_a_banned_name():
    texts = [(str(path.relative_to(ROOT)), path.read_text()) for path in sorted((ROOT / "tests").rglob("*.py"))]
    assert {place: names for place, text in texts if (names := BANNED_TESTS.findall(text))} == {}


def test_a_public_class_name_exists_once():
    homes: defaultdict[str, set[str]] = defaultdict(set)
    for module in modules().values():
        for node in module.tree.body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                homes[node.name].add(module.name)
    assert {name: places for name, places in homes.items() if len(places) > 1} == {}
