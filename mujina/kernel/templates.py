"""Templates of pages and mails: every value in them is escaped, a name they do not know is an error."""

from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mujina.kernel import deferred_imports

if TYPE_CHECKING:
    from jinja2 import Environment


def render(folder: Path, name: str, **words: Any) -> str:
    """The rendered template."""
    return environment(folder).get_template(name).render(**words)


@cache
def environment(folder: Path) -> "Environment":
    """The environment of a folder of templates, created once."""
    jinja2 = deferred_imports.jinja2()
    return jinja2.Environment(
        loader=jinja2.FileSystemLoader(folder),
        autoescape=lambda name: name is None or not name.endswith(".txt"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
    )
