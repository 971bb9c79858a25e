"""The problems of a form, for people: each complaint with the value that was entered and advice.

The API's words stay as they are; only pages show these.
"""

from collections.abc import Mapping, Sequence
from typing import Any, Final, cast

from mujina.kernel.errors import INVALID, NO_IMAGE, NOT_LISTED, TAKEN, ApiError, property_title
from mujina.kernel.http.forms import Tree
from mujina.kernel.text.deferred_patterns import deferred_pattern

MAX_SHOWN: Final = 60
"""Characters of a value that a complaint repeats."""
_SECRET = deferred_pattern("pass|token|secret|key|value|url|code|otp")
"""Fields whose value may contain a secret: no complaint repeats it."""
_ABOUT_FIELD = deferred_pattern(r"\w+ (?:is missing|is invalid|is empty|does not have a valid value)")
_PREDICATE = deferred_pattern(
    r"(?:is|are|was|has|have|can|can't|cannot|must|may|needs?|does|do|doesn't|should|contains?)\b"
)
"""How a complaint begins that continues the title of its field to a sentence."""
_PUBLIC_KEY = "is invalid. Paste the whole public key: for SSH one line that begins with ssh-ed25519 or ssh-rsa."
_EXPECTED: Final = {
    "email": "Enter an address such as name@example.org.",
    "url": "Enter a whole address such as https://example.org/path.",
    "value": "A masked value has at least 8 characters, and no spaces and no line breaks.",
    "import_url": "Enter a whole address such as https://git.example.org/group/project.git.",
}
"""The values that a field takes, where its complaint says only that the value is invalid."""
_FIELDS: Final = {"fingerprint": "key", "visibility_level": "visibility", "tags_list": "tag_list"}
"""Properties that the forms have as, or compute from, the field of another name."""


def is_about_fields(error: ApiError) -> bool:
    """Whether each complaint is about a single field: then `error.by_field` has all of them."""
    body: Mapping[str, Any] = cast("Mapping[str, Any]", error.body) if isinstance(error.body, Mapping) else {}
    if isinstance(body.get("message"), Mapping):
        return True
    return all(_ABOUT_FIELD.fullmatch(part) for part in str(body.get("error", "")).split(", "))


def explain(problems: Mapping[str, Sequence[str]], form: Tree) -> dict[str, list[str]]:
    """The complaints by the name of the field that they are about."""
    explained: dict[str, list[str]] = {}
    for name, complaints in problems.items():
        field = _FIELDS.get(name, name)
        found = explained.setdefault(field, [])
        for complaint in map(str.strip, complaints):
            is_public_key = field == "key" and complaint != TAKEN and not _has_field("value", form)
            sentence = _PUBLIC_KEY if is_public_key else _explain(field, complaint, form)
            if sentence not in found:
                found.append(sentence)
    return explained


def sentence_of(title: str, complaint: str) -> str:
    """The complaint about the field with this title: `Title can't be blank`, `Path: “admin” is a reserved name.`"""
    if not title:
        return complaint
    return f"{title} {complaint}" if _PREDICATE.match(complaint) else f"{title}: {complaint}"


def title_of(titles: Mapping[str, str], field: str) -> str:
    """The title of a field; empty for a complaint about the object as a whole."""
    return "" if field == "base" else titles.get(field) or property_title(field)


def _explain(field: str, complaint: str, form: Tree) -> str:
    if complaint == NO_IMAGE:
        return "is in no known format. Choose a PNG, JPEG, GIF, WebP, BMP or TIFF file."
    value = _entered(field, form)
    shown = f"“{value[:MAX_SHOWN]}{'…' if len(value) > MAX_SHOWN else ''}”" if value else ""
    if complaint == INVALID:
        expected = _EXPECTED.get(field, "Enter another value.")
        return f"{shown} is not valid. {expected}" if shown else f"{complaint}. {expected}"
    if not shown:
        return complaint
    if complaint == TAKEN:
        return f"{shown} has already been taken. Choose another."
    if complaint in (NOT_LISTED, "does not have a valid value"):
        return f"{shown} is not one of the choices. Choose one of them."
    rest = complaint.removeprefix(f"{value} ")
    if rest != complaint and _PREDICATE.match(rest):
        return f"{shown} {rest.rstrip('.')}. Choose another."
    if complaint.startswith(("can ", "must ", "is not ")) and len(value) <= MAX_SHOWN:
        return f"{complaint.rstrip('.')}. You entered {shown}."
    return complaint


def _entered(field: str, form: Tree) -> str:
    """The value that was entered into the field, at the top of the form or in a group such as `issue[title]`."""
    if _SECRET.search(field):
        return ""
    return next((group[field].strip() for group in _groups(form) if isinstance(group.get(field), str)), "")


def _has_field(field: str, form: Tree) -> bool:
    """Whether the form has a field of this name: the key of a variable has a value beside it."""
    return any(field in group for group in _groups(form))


def _groups(form: Tree) -> list[Tree]:
    groups: list[Any] = [form, *form.values()]
    return [cast("Tree", group) for group in groups if isinstance(group, dict)]
