"""Templates of pages and mails: every value in them is escaped, a name they do not know is an error."""

import importlib.util
import os
import sys
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING, Any

from mujina.kernel import deferred_imports

if TYPE_CHECKING:
    from jinja2 import BytecodeCache, Environment


def render(folder: Path, name: str, **context: Any) -> str:
    """The rendered template."""
    return environment(folder).get_template(name).render(**context)


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
        bytecode_cache=_compiled(folder),
    )


def _compiled(folder: Path) -> "BytecodeCache | None":
    """Where Python keeps compiled modules; compiling all templates takes half a second. None if that is not allowed."""
    cache_folder = Path(importlib.util.cache_from_source(str(folder / "templates.py"))).parent
    try:
        cache_folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    usable = not sys.dont_write_bytecode and os.access(cache_folder, os.W_OK)
    return deferred_imports.jinja2().FileSystemBytecodeCache(str(cache_folder)) if usable else None
