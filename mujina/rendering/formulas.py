"""Formulas: TeX as MathML, which browsers draw without a script, in the markup that KaTeX writes.

No element, attribute or size in the result is one that this module does not list, and all text is escaped.
"""

from html import unescape
from typing import Any, Final

from mujina.kernel import deferred_imports
from mujina.kernel.text.deferred_patterns import deferred_pattern
from mujina.rendering.html import escape

MAX_FORMULA: Final = 4_000
"""Characters of a formula; a longer one is shown as it is written. A character takes about 25 microseconds."""
MAX_FORMULAS: Final = 12_000
"""Characters in the formulas of one text that are drawn; the others are shown as they are written."""
FORMULA_COST: Final = 10
"""Characters that a formula counts in addition to its own: even the shortest takes a quarter of a millisecond."""
_MACROS: Final = deferred_pattern(r"\\(?:(?:re)?new|provide|def|let|gdef|edef|xdef|Declare)")
"""What defines commands: a few of these, each twice in the next, make a formula of any length."""
_ELEMENTS: Final = frozenset(
    (  # noqa: SIM905 - a list of words
        "math menclose mfrac mi mn mo mover mpadded mphantom mroot mrow mspace msqrt mstyle msub msubsup msup mtable mtd "
        "mtext mtr munder munderover"
    ).split()
)
_VALUES: Final = {
    **dict.fromkeys(
        ("accent", "accentunder", "displaystyle", "fence", "largeop", "movablelimits", "separator", "stretchy", "symmetric"),
        deferred_pattern(r"true|false"),
    ),
    **dict.fromkeys(
        ("columnspacing", "depth", "height", "linethickness", "lspace", "maxsize", "minsize", "rowspacing", "rspace", "width"),
        # A greater size would cover the page, and so would one that goes back.
        deferred_pattern(r"(?:(?:-?0?\.\d{1,4}|\d{1,2}(?:\.\d{1,4})?)(?:em|ex|pt|px|mu|mm|cm|%) ?){1,60}|0"),
    ),
    **dict.fromkeys(
        ("columnalign", "columnlines", "display", "form", "mathvariant", "notation", "rowlines"),
        deferred_pattern(r"[a-z -]{1,400}"),
    ),
    "scriptlevel": deferred_pattern(r"[+-]?[0-3]"),
    **dict.fromkeys(("mathbackground", "mathcolor"), deferred_pattern(r"[a-zA-Z]{3,30}|#[0-9a-fA-F]{3,6}")),
}  # fmt: skip
"""The attributes that remain, and what their values may be."""


_INLINE: Final = deferred_pattern(rf"\$<code>([^<]{{1,{MAX_FORMULA}}})</code>\$")
INLINE_TAG: Final = '<code class="math js-render-math" data-math-style="inline">'
BLOCK_TAG: Final = '<pre tabindex="0" class="math js-render-math" data-math-style="display">'
"""The tags by which KaTeX finds formulas that are not drawn here."""


def mark_formulas(html: str) -> str:
    """HTML in which code between two dollar signs is marked as a formula."""
    return _INLINE.sub(rf"{INLINE_TAG}\1</code>", html) if "$<code>" in html else html


def formula_html(tex: str, *, display: bool) -> str:
    """The formula as MathML with its source beside it; empty if it is too long, unfinished, or defines commands."""
    if len(tex) > MAX_FORMULA or _MACROS.search(tex):
        return ""
    style = "block" if display else "inline"
    try:
        math = deferred_imports.latex2mathml().convert_to_element(tex, display=style)
        inner = "".join(_written(child) for child in math)
    except Exception:  # noqa: BLE001 - it has a type of error for each mistake, and others for odd ones, as for deep nesting
        return ""
    source = f'<annotation encoding="application/x-tex">{escape(tex)}</annotation>'
    formula = f'<math xmlns="http://www.w3.org/1998/Math/MathML" display="{style}"><semantics>{inner}{source}</semantics></math>'
    return (
        f'<p class="katex-display" tabindex="0">{formula}</p>' if display else f'<span class="katex">{formula}</span>'
    )


def _written(element: Any) -> str:
    tag = element.tag if element.tag in _ELEMENTS else "mrow"
    attributes = "".join(
        f' {name}="{value}"'
        for name, value in element.attrib.items()
        if name in _VALUES and _VALUES[name].fullmatch(value)
    )
    # The library escapes its symbols, and nothing that the author wrote.
    inner = escape(unescape(element.text or "")) + "".join(map(_written, element))
    return f"<{tag}{attributes}>{inner}</{tag}>{escape(unescape(element.tail or ''))}"
