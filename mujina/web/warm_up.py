"""What the first clients of a process would wait for, done while there are no requests: imports, templates, assets."""

from collections.abc import Callable, Iterator
from functools import partial
from importlib import import_module
from typing import Final

from mujina.kernel import deferred_imports
from mujina.kernel.product import Product

SHOWN_BY_FIRST: Final = (
    ("mimetypes", "init"),
    ("mujina.web.assets", "assets"),
    ("mujina.planning.awards.emoji", "characters"),
)
"""The functions that read files once, for the first page: a third of its time."""

TEMPLATES: Final = ("html", "atom")
"""The suffixes of templates: what is compiled may be kept in their folder."""


def warm_up(product: Product) -> Iterator[Callable[[], object]]:
    """The steps, each of which takes some milliseconds."""
    for chapter in product.chapters:
        yield partial(chapter.modules, "routes")
    yield partial(import_module, "mujina.api")
    for chapter in product.chapters:
        yield partial(chapter.modules, "pages")
    yield partial(import_module, "mujina.web.application")
    templates = import_module("mujina.web.responses").templates
    yield from (deferred_imports.jinja2, templates, deferred_imports.cmark, deferred_imports.nh3)
    yield deferred_imports.pygit2
    for module, read in SHOWN_BY_FIRST:
        yield getattr(import_module(module), read)
    made = templates()
    if made.bytecode_cache is not None:
        for name in made.list_templates(extensions=TEMPLATES):
            yield partial(made.loader.load, made, name)  # compiled into the cache, not kept: most are never shown
