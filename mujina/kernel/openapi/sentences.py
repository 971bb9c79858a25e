"""A sentence about an operation: from its handler's docstring, or composed from its name and path."""

import inspect
import re

from mujina.kernel.http.routing import Route, is_capture

_PLURAL = {"repositories": "repository", "statuses": "status", "branches": "branch", "languages": "language"}
_UNCOUNTED = ("settings", "time", "stats", "everything", "activities", "tree", "diff", "access", "detail", "estimate")


def summary_of(route: Route) -> str:
    """A few words, for lists of operations."""
    return route.name.replace("_", " ").capitalize()


def description_of(route: Route) -> str:
    """Describes the operation, then its responses and who may ask."""
    stated = (inspect.getdoc(route.handler) or _compose(route)).replace("{owner}", route.kind or "")
    sentences = [stated]
    if route.paged:
        sentences.append("The answer is one page of the list.")
    if route.admin:
        sentences.append("Only administrators may do this.")
    elif route.anonymous:
        sentences.append("No token is needed for what is public.")
    return " ".join(sentences)


def _compose(route: Route) -> str:
    verb, *rest = route.name.split("_")
    owner = _owner(route)
    link = ""
    if rest and rest[0] in ("to", "from"):
        link, rest = f"{rest[0]} ", rest[1:]
    own = rest[:1] == ["own"]
    if own:
        rest = rest[1:]
    noun = " ".join(rest)
    if owner and noun.startswith(f"{owner} ") and not noun.startswith((f"{owner} as ", f"{owner} for ")):
        noun = noun.removeprefix(f"{owner} ")
    noun, by, key = noun.partition(" by ")
    subject = f"your own {noun}" if own else f"{_article(verb, noun)}{noun}"
    of = ""
    if owner and not own and not re.search(rf"\b{owner}s?\b", noun):
        of = f" {_preposition(verb, owner)} {_indefinite(owner)}{owner}"
    return f"{verb.capitalize()} {link}{subject}{of}{by}{key}.".replace("gpg", "GPG")


def _preposition(verb: str, owner: str) -> str:
    if verb == "add":
        return "to"
    if verb == "create":
        return "in" if owner in ("project", "group", "board") else "for"
    return "of"


def _owner(route: Route) -> str:
    """The noun whose part the operation is about: `issue` for `/projects/:id/issues/:issue_iid/notes`."""
    parts = route.segments
    nouns = [part for part, after in zip(parts, [*parts[1:], ""], strict=True) if is_capture(after)]
    if is_capture(parts[-1]):
        nouns = nouns[:-1]
    if not nouns:
        return ""
    return (_PLURAL.get(nouns[-1]) or nouns[-1].removesuffix("s")).replace("_", " ")


def _article(verb: str, noun: str) -> str:
    last = noun.rpartition(" ")[2]
    if not noun or noun.startswith("all "):
        return ""
    if noun.endswith("s") or verb in ("list", "search", "compare") or last in _UNCOUNTED:
        return "the " if verb != "search" else _indefinite(noun)
    return _indefinite(noun)


def _indefinite(noun: str) -> str:
    return "an " if noun[:1] in "aeiou" and not noun.startswith("us") else "a "
