"""Templates as the API shows them."""

from collections.abc import Sequence
from functools import cache
from typing import TypeVar

import msgspec

from mujina.code.file_templates import store
from mujina.code.file_templates.licenses import LICENSES, fill_in
from mujina.code.file_templates.store import TYPES, TemplateType
from mujina.kernel import clock, errors
from mujina.kernel.http.paging import Page, Paged

Item = TypeVar("Item")


class TemplateName(msgspec.Struct):
    key: str
    name: str


class FileTemplate(msgspec.Struct):
    name: str
    content: str


class LicenseTemplate(msgspec.Struct):
    key: str
    name: str
    nickname: str | None
    popular: bool
    html_url: str
    source_url: str
    description: str
    conditions: Sequence[str]
    permissions: Sequence[str]
    limitations: Sequence[str]
    content: str


def template_names(kind: TemplateType) -> list[TemplateName]:
    """The templates of a type, in the order of the alphabet."""
    return [TemplateName(key, LICENSES[key].name if kind == "licenses" else key) for key in store.template_keys(kind)]


def licenses(*, popular: bool | None) -> list[LicenseTemplate]:
    """All licenses, or only those that are popular, or that are not."""
    return [load_license(key) for key, known in LICENSES.items() if popular is None or known.popular == popular]


def load_template(kind: TemplateType, key: str, *, noun: str = "Template") -> FileTemplate:
    """One template; 404 with the noun if there is none of the key."""
    return FileTemplate(key, _read(kind, key, noun))


def load_license(
    key: str, holder: str | None = None, project: str | None = None, *, noun: str = "Template"
) -> LicenseTemplate:
    """One license with its blanks filled in; 404 with the noun if there is none of the key."""
    text, key = _read("licenses", key, noun), key.lower()
    known = LICENSES[key]
    content = fill_in(text, clock.now()[:4], holder, project)
    facts = {name: value for name, value in known._asdict().items() if name != "spdx_id"}
    return LicenseTemplate(key=key, html_url=known.html_url, content=content, **facts)


def paged(items: Sequence[Item], page: Page) -> Paged[Item]:
    """The part of a list that the page shows."""
    return page.of(items[page.start : page.end], len(items))


def first_text(template: str, project: str, holder: str) -> tuple[str, str]:
    """The name and the text of a file that begins with the template of this type and key; both empty if there is none."""
    kind, _, key = template.partition("/")
    if kind not in TYPES or store.read_template(kind, key) is None:
        return "", ""
    text = _read(kind, key)
    return TYPES[kind].file_name, fill_in(text, clock.now()[:4], holder, project) if kind == "licenses" else text


@cache
def template_choices() -> tuple[tuple[str, tuple[tuple[str, str], ...]], ...]:
    """The templates that a form offers: the title of each type, and the value and the name of each template."""
    return tuple(
        (kind.title, tuple((f"{name}/{each.key}", each.name) for each in template_names(name)))
        for name, kind in TYPES.items()
    )


def _read(kind: TemplateType, key: str, noun: str = "Template") -> str:
    return errors.or_not_found(store.read_template(kind, key), noun).decode()
