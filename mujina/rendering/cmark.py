"""GitHub Flavored Markdown to HTML. The HTML still contains what the author wrote: it has to be sanitized."""

import ctypes
from functools import cache
from typing import Any, Final

from mujina.kernel import deferred_imports

EXTENSIONS: Final = (b"table", b"autolink", b"strikethrough", b"tasklist")


def to_html(text: str) -> str:
    """The HTML of the text, with the raw HTML in it."""
    cmark = deferred_imports.cmark()
    library, data = cmark.lib, text.encode()
    options = library.CMARK_OPT_UNSAFE | library.CMARK_OPT_VALIDATE_UTF8 | library.CMARK_OPT_GITHUB_PRE_LANG
    options |= library.CMARK_OPT_FOOTNOTES
    library.cmark_gfm_core_extensions_ensure_registered()
    parser = library.cmark_parser_new(options)
    root = output = None
    try:
        for name in EXTENSIONS:
            library.cmark_parser_attach_syntax_extension(parser, library.cmark_find_syntax_extension(name))
        library.cmark_parser_feed(parser, data, len(data))
        root = library.cmark_parser_finish(parser)
        output = library.cmark_render_html(root, options, library.cmark_parser_get_syntax_extensions(parser))
        return cmark.ffi.string(output).decode()
    finally:
        for pointer, free in zip((root, output), _deallocators(), strict=True):
            if pointer is not None:
                free(int(cmark.ffi.cast("uintptr_t", pointer)))
        library.cmark_parser_free(parser)


@cache
def _deallocators() -> tuple[Any, Any]:
    """The functions that free a tree and a text. The Python package declares neither, and loses both."""
    library = ctypes.CDLL(deferred_imports.cmark().__file__)
    functions = library.cmark_node_free, ctypes.CDLL(None).free
    for function in functions:
        function.argtypes, function.restype = [ctypes.c_void_p], None
    return functions
