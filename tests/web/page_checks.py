"""What holds on every page, seen from its markup."""

import re
from collections import Counter
from collections.abc import Iterator

import re2
from selectolax.lexbor import LexborHTMLParser

from mujina.kernel.html.field_titles import field_key, titles_in

MAX_STATEMENTS = 21
MAX_BYTES = 60_000
LARGER: dict[str, int] = {}
"""Bytes allowed on single pages, by their path, and why."""
_OPTIONS = re2.Options()
_OPTIONS.case_sensitive = False
_SUSPECT = re2.compile(r"""[\s"'/](?:style|on|hx-on)[^\s=>]*\s*=""", _OPTIONS)
"""In every text with an attribute that no page may have: looking at each attribute of each node takes longer."""
_SCHEMES = re2.compile(
    r"(?:javascript|data|vbscript):|&(?:colon|Tab|NewLine);|&#(?:$|[^3]|3(?:$|[^49]|[49](?:$|[^;])))", _OPTIONS
)
"""In every text with an address of such a scheme, also if it is written with references to characters."""
_LABELED = "input:not([type=hidden]):not([type=submit]), select, textarea"
_SENT = ", ".join(f"form[method=post] {each}" for each in _LABELED.split(", "))


class ParsedPage:
    """The markup of a page."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tree = LexborHTMLParser(text)

    def faults(self) -> Iterator[str]:
        """Sentences about what no page may have."""
        headings = len(self.tree.css("h1"))
        if headings != 1:
            yield f"{headings} h1"
        title = self.tree.css_first("title")
        if title is None or not re.fullmatch(r"\S.* · Mujina", title.text(), re.DOTALL):
            yield f"title {title and title.text()!r}"
        ids = Counter(node.attributes.get("id") for node in self.tree.css("[id]"))
        yield from (f"id {id_} {number} times" for id_, number in ids.items() if number > 1)
        if self.tree.css_first("html[lang]") is None or self.tree.css_first("main#content") is None:
            yield "no language or no main"
        for node in self.tree.css("*") if _SUSPECT.search(self.text) else ():
            for name in node.attributes:
                if name == "style" or name.startswith(("on", "hx-on")):
                    yield f"attribute {name} of {node.tag}"
        yield from (f"class {node.attributes['class']}" for node in self.tree.css("[class*='\"']"))
        yield from self._script_faults()
        yield from self._field_faults(ids)
        yield from self._title_faults()

    def _script_faults(self) -> Iterator[str]:
        for script in self.tree.css("script"):
            if not script.attributes.get("src") or not script.attributes.get("nonce") or script.text().strip():
                yield "an inline script"
        if self.tree.css("style, iframe, object, embed, base"):
            yield "a style, frame, object or base"
        for link in self.tree.css("[href], [src], [action]") if _SCHEMES.search(self.text) else ():
            for name in ("href", "src", "action"):
                if re.match(r"\s*(javascript|data|vbscript):", link.attributes.get(name) or "", re.IGNORECASE):
                    yield f"{name} {link.attributes[name]}"

    def _title_faults(self) -> Iterator[str]:
        """Fields of forms whose complaints would name a property, not a label."""
        names = [field.attributes.get("name") or "" for field in self.tree.css(_SENT)]
        titles = titles_in(self.text, "") if any(names) else {}
        yield from (f"{name} without a title" for name in names if name and not titles.get(field_key(name)))

    def _field_faults(self, ids: Counter[str | None]) -> Iterator[str]:
        labels = {label.attributes.get("for") for label in self.tree.css("label[for]")}
        wrapped = {field.mem_id for label in self.tree.css("label") for field in label.css(_LABELED)}
        for field in self.tree.css(_LABELED):
            named = field.attributes.get("aria-label") or field.attributes.get("aria-labelledby")
            if field.attributes.get("id") not in labels and field.mem_id not in wrapped and not named:
                yield f"field {field.attributes.get('name')} without a label"
            for described in (field.attributes.get("aria-describedby") or "").split():
                if described not in ids:
                    yield f"aria-describedby {described} without its element"
        for image in self.tree.css("img"):
            if "alt" not in image.attributes:
                yield "an image without alt"

    def links(self) -> list[str]:
        """The addresses on this site that the page links to, shows or subscribes to, without fragments."""
        found = [node.attributes.get("href") for node in self.tree.css("a[href], link[href]")]
        found += [node.attributes.get("src") for node in self.tree.css("[src]")]
        found += [
            node.attributes.get("action")
            for node in self.tree.css("form")
            if (node.attributes.get("method") or "get").lower() == "get"
        ]
        return [link.partition("#")[0] for link in found if link and link.partition("#")[0]]

    def forms(self) -> list[str]:
        """The addresses of the forms that change something."""
        posts = [node for node in self.tree.css("form") if (node.attributes.get("method") or "").lower() == "post"]
        assert all(node.css_first("[name=authenticity_token]") for node in posts), "a form without a token"
        return [(node.attributes.get("action") or "").partition("#")[0] for node in posts]
