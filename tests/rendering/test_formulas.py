"""Formulas as MathML: what is drawn, what is shown as it is written, and that no formula can do harm."""

import random
import re

import pytest

from mujina.product import PRODUCT
from mujina.rendering.formulas import FORMULA_COST, MAX_FORMULA, MAX_FORMULAS, formula_html
from mujina.rendering.markdown import MarkdownText, render
from mujina.rendering.markdown_pieces import TextPlace

MATH = '<math xmlns="http://www.w3.org/1998/Math/MathML" display="{}"><semantics>'


@pytest.fixture
def html(loop):
    def show(text, **place):
        where = TextPlace(base="http://mujina.test", project="group/project", **place)
        return loop.run_until_complete(render(PRODUCT, MarkdownText(text, where))).html({})

    return show


def test_formulas_are_drawn_as_katex_would_mark_them(html):
    assert html("a $`x<2`$ #1 $`y`") == (
        f'<p>a <span class="katex">{MATH.format("inline")}<mrow><mi>x</mi><mo>&lt;</mo><mn>2</mn></mrow>'
        '<annotation encoding="application/x-tex">x&lt;2</annotation></semantics></math></span> #1 $<code>y</code></p>\n'
    )
    block = html("```math\na^2\n```")
    assert block.startswith(f'<p class="katex-display" tabindex="0">{MATH.format("block")}<mrow><msup>')
    assert '<annotation encoding="application/x-tex">a^2</annotation>' in block
    assert "<mtable" in html("```math\n\\begin{pmatrix} a & b \\\\ c & d \\end{pmatrix}\n```")
    assert "<math" in html("# On $`x`$"), "a heading may have one"
    assert html("price $5 and $6") == "<p>price $5 and $6</p>\n"


def test_mails_show_the_source_of_formulas(html):
    assert html("a $`x<2`$", formulas=False) == (
        '<p>a <code class="math js-render-math" data-math-style="inline">x&lt;2</code></p>\n'
    )
    assert html("```math\na^2\n```", formulas=False) == (
        '<pre tabindex="0" class="math js-render-math" data-math-style="display"><code>a^2\n</code></pre>\n'
    )


@pytest.mark.parametrize(
    "tex",
    [
        r"\frac{", r"\left(", r"x^", r"\begin{matrix}", "{" * 1500, "_" * 1500, r"\sqrt" * 600, "x" * (MAX_FORMULA + 1),
        r"\newcommand{\a}{xx}\a", r"\def\a{xx}\a", r"\DeclareMathOperator{\a}{b}\a", " ", "%",
    ],
)  # fmt: skip
def test_what_is_no_formula_is_shown_as_it_is_written(tex):
    assert formula_html(tex, display=True) == ""


def test_nothing_between_dollars_needs_to_end(html):
    for text in ("$" * 20_000, "$`" * 2_000, "$`" + "{" * 900 + "}" * 900 + "`$", "$``$", "```math\n```", "$<code>$"):
        assert "katex" not in html(text) or "{{{" not in text
    assert html("<pre lang=math></pre>").count("<pre") == 1
    assert "<b>" in html("<pre lang=math><code><b>x</b></code></pre>"), "only text is a formula"


HOSTILE = [
    r"\text{<script>alert(1)</script>}", r"<img src=x onerror=alert(1)>", r"\href{javascript:alert(1)}{x}",
    r"\class{menu}{x}", r"\style{position:fixed}{x}", r"\color{red\"><script>}x", r"\hspace{9999em}x", r"\rule{999em}{999em}",
    r"\hspace{-20em}x", r"\text{&lt;script&gt;}", r"\unicode{x3c}script\unicode{x3e}", r"\verb|<b>|", r"\tag{<b>}x",
    r"\mathrm{</math><script>}", "\\text{\0\ufffe}", r"\operatorname{<b>}",
]  # fmt: skip
KNOWN = re.compile(
    r"</?(?:p|span|semantics|annotation|m[a-z]+)"
    r"(?: (?:class=\"katex(?:-display)?\"|tabindex=\"0\"|xmlns=\"http://www.w3.org/1998/Math/MathML\"|encoding=\"application/x-tex\"|"
    r"[a-z]+=\"[a-zA-Z0-9.,#%+ -]*\"))*>"
)


def is_harmless(drawn):
    """Whether there is no tag but ours, and no attribute that is more than a number or a word."""
    rest = KNOWN.sub("", drawn)
    names = set(re.findall(r" ([a-z-]+)=", " ".join(KNOWN.findall(drawn))))
    return "<" not in rest and ">" not in rest and names.isdisjoint({"style", "href", "id", "src", "onerror"})


@pytest.mark.parametrize("tex", HOSTILE)
def test_a_formula_has_no_markup_of_its_author(tex):
    drawn = formula_html(tex, display=False)
    assert is_harmless(drawn), drawn
    assert not re.search(r'="[^"]*(?:\d{3}|-\d)[^"]*(?:em|ex)"', drawn), "no size leaves its place"


TOKENS = [
    r"\frac",
    r"{",
    r"}",
    r"^",
    r"_",
    r"\sqrt",
    r"[",
    r"]",
    r"\left(",
    r"\right)",
    r"&",
    r"\\",
    r"\begin{matrix}",
    r"\end{matrix}",
    r"x",
    r"1",
    r"\sum",
    r"\limits",
    r"'",
    r"\text{a}",
    r"\color{red}",
    r"\hline",
    r"<",
    r"\"",
    r"\begin{array}{c|c}",
    r"\end{array}",
    r"\over",
    r"\big",
    r"\overbrace",
    r"\mathbb{R}",
    r"\tag{1}",
    r"\verb|<|",
    r"\unicode{x3c}",
    r"\sideset",
    r"\genfrac",
    r"\raise",
    r"\mathchoice",
    r"\skew",
    r"\root",
    r"\of",
    r"\substack",
    r"\operatorname{a}",
    r"\not",
    r"\prime",
    r"\xrightarrow",
    r"\overset",
    r"\href{a}{b}",
    r"\style{a}{b}",
    r"\class{a}{b}",
]


def test_any_sequence_of_commands_is_harmless(thorough):
    chance = random.Random(1)
    for _ in range(5_000 if thorough else 300):
        tex = " ".join(chance.choice(TOKENS) for _ in range(chance.choice([3, 8, 80])))
        assert is_harmless(formula_html(tex, display=True)), tex


def test_a_text_has_a_budget_for_its_formulas(html):
    text = html("$`x`$ " * 3_000)
    drawn, written = text.count('class="katex"'), text.count("js-render-math")
    assert (drawn, drawn + written) == (MAX_FORMULAS // (1 + FORMULA_COST), 3_000)
