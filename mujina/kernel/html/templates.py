"""Templates of pages and mails: every value in them is escaped, a name they do not know is an error."""

import importlib.util
import os
import re
import sys
from functools import cache, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from mujina.kernel import deferred_imports

if TYPE_CHECKING:
    from jinja2 import BytecodeCache, Environment

_CACHED_AS: Final = "template-2-%s.cache"
"""Numbered anew when the same template is compiled differently."""
_find_special: Final = re.compile("[&<>\"']").search


def render(folder: Path, name: str, **context: Any) -> str:
    """The rendered template."""
    return environment(folder).get_template(name).render(**context)


@cache
def environment(folder: Path) -> "Environment":
    """The environment of a folder of templates, created once."""
    jinja2 = deferred_imports.jinja2()
    made: Any = jinja2.Environment(
        loader=jinja2.FileSystemLoader(folder),
        autoescape=lambda name: name is None or not name.endswith(".txt"),
        undefined=jinja2.StrictUndefined,
        trim_blocks=True,
        lstrip_blocks=True,
        auto_reload=False,
        bytecode_cache=_compiled(folder),
    )
    made.code_generator_class, made.written = _code_generator(), _writer()
    made.make_globals = partial(_globals_of, made)
    return made


def _globals_of(made: Any, _: object) -> Any:
    """All templates share one mapping: each page copies it, and the library's chain of two takes long to copy."""
    return made.globals


def _writer() -> Any:
    """Writes a value, escaped unless it is HTML. The library makes an object with methods of each, which takes several times as
    long; here all are joined at once.
    """
    escape = deferred_imports.markupsafe().escape

    def written(value: Any) -> str:
        if type(value) is str:
            return value if _find_special(value) is None else escape(value)
        html = getattr(value, "__html__", None)
        return escape(value) if html is None else html()

    return written


def _code_generator() -> Any:
    class CodeGenerator(deferred_imports.jinja2().Environment.code_generator_class):
        def _output_child_pre(self, node: Any, frame: Any, finalize: Any) -> None:
            if frame.eval_ctx.autoescape and not frame.eval_ctx.volatile:
                self.write(f"environment.written({finalize.src or ''}")
            else:
                super()._output_child_pre(node, frame, finalize)

    return CodeGenerator


def _compiled(folder: Path) -> "BytecodeCache | None":
    """Where Python keeps compiled modules; compiling all templates takes half a second. None if that is not allowed."""
    cache_folder = Path(importlib.util.cache_from_source(str(folder / "templates.py"))).parent
    try:
        cache_folder.mkdir(parents=True, exist_ok=True)
    except OSError:
        return None
    usable = not sys.dont_write_bytecode and os.access(cache_folder, os.W_OK)
    return deferred_imports.jinja2().FileSystemBytecodeCache(str(cache_folder), _CACHED_AS) if usable else None
