"""Pieces of HTML that are safe as they stand."""

from html import escape as _escape
from typing import Any


class Html(str):
    """HTML that templates insert without escaping it."""

    __slots__ = ()

    def __html__(self) -> str:
        return self


def escape(text: str) -> Html:
    """The text as HTML, in an element or in an attribute."""
    return Html(_escape(text))


def escape_text(text: str) -> Html:
    """The text as HTML in an element; quotes stay as they are, which makes code shorter."""
    return Html(_escape(text, quote=False))


def escape_optional(text: str | None) -> str | None:
    """Escape a text for the content of an element, if there is one."""
    return None if text is None else str(escape_text(text))


def element(tag: str, content: str, /, **attributes: Any) -> Html:
    """An element; the content is HTML, the attributes are texts. `class_` is `class`; None leaves an attribute out."""
    given = "".join(
        f' {name.rstrip("_").replace("_", "-")}="{_escape(str(value))}"'
        for name, value in attributes.items()
        if value is not None
    )
    return Html(f"<{tag}{given}>{content}</{tag}>")
