"""The titles that a rendered form gives its fields, so that complaints name a field as its label does."""

import re
from html.parser import HTMLParser
from urllib.parse import unquote, urlsplit

_FIELDS = ("input", "select", "textarea")
_FORM = re.compile(r"<form\b.*?</form>", re.DOTALL)
_ENTERED = re.compile(r'(?<=\svalue=")[^"]*|(<textarea\b[^>]*>)[^<]*')
"""Texts that were entered. The parser would take a second for a megabyte of escaped characters."""


def field_key(name: str) -> str:
    """The name by which complaints call the field: `issue[title]` → `title`."""
    return name.removesuffix("[]").rstrip("]").rpartition("[")[2]


def titles_in(page: str, action: str) -> dict[str, str]:
    """The titles of the fields by the names that complaints use; those of the form that is sent to `action` come first."""
    parser = _TitleParser(unquote(action))
    parser.feed(_ENTERED.sub(r"\1", "".join(_FORM.findall(page))))
    parser.close()
    return parser.titles


class _TitleParser(HTMLParser):
    """Reads the label of each field: around it, elsewhere with its id, `aria-label`, or the legend of several choices."""

    def __init__(self, action: str) -> None:
        super().__init__()
        self._action = action
        self._sent = False
        self._text: list[str] | None = None
        self._label_for = self._legend = ""
        self._wrapped: list[tuple[bool, str]] = []
        self._labels: dict[str, str] = {}
        self._fields: list[tuple[bool, str, str]] = []
        """Whether the form was sent, the key of the field, and its title."""

    @property
    def titles(self) -> dict[str, str]:
        found = [
            (sent, key, self._labels.get(title[1:], "") if title[:1] == "#" else title)
            for sent, key, title in self._fields
        ]
        others = {key: title for sent, key, title in reversed(found) if title and not sent}
        return others | {key: title for sent, key, title in reversed(found) if title and sent}

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        values = {name: value or "" for name, value in attrs}
        if tag == "form":
            self._sent = unquote(urlsplit(values.get("action", "")).path) == self._action
        elif tag in ("label", "legend"):
            self._text, self._label_for = [], values.get("for", "")
        elif tag in _FIELDS and values.get("type") != "hidden":
            self._add_field(values)

    def _add_field(self, values: dict[str, str]) -> None:
        name = values.get("name", "")
        key = field_key(name)
        if self._legend and (values.get("type") == "radio" or name.endswith("[]")):
            self._fields.append((self._sent, key, self._legend))
        elif self._text is not None:
            self._wrapped.append((self._sent, key))
        else:
            self._fields.append((self._sent, key, values.get("aria-label") or f"#{values.get('id', '')}"))

    def handle_data(self, data: str) -> None:
        if self._text is not None and self.get_starttag_text() not in _ASIDES:
            self._text.append(data)

    def handle_endtag(self, tag: str) -> None:
        if tag == "form":
            self._sent = False
        elif tag == "fieldset":
            self._legend = ""
        elif tag in ("label", "legend") and self._text is not None:
            title = " ".join("".join(self._text).split())
            if tag == "legend":
                self._legend = title
            elif self._label_for:
                self._labels[self._label_for] = title
            self._fields += [(sent, key, title) for sent, key in self._wrapped]
            self._text, self._wrapped = None, []


_ASIDES = ("<small>", '<span class="required" aria-hidden="true">')
"""What a label says beside the title. Nothing follows them but the field."""
