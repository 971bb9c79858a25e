"""Markdown as HTML: what authors may write, what they may not, and what is ours."""

import re

import pytest

from mujina.product import PRODUCT
from mujina.rendering.markdown import MAX_BYTES, MarkdownText, render
from mujina.rendering.markdown_extras import MAX_DIAGRAMS
from mujina.rendering.markdown_pieces import MAX_REFERENCES, TextPlace

ELSEWHERE = ' rel="nofollow noopener noreferrer"'


@pytest.fixture
def html(loop):
    """The text as a reader sees it who may see nothing that it names."""

    def show(text, **place):
        where = TextPlace(base="http://mujina.test", **({"project": "group/project"} | place))
        return loop.run_until_complete(render(PRODUCT, MarkdownText(text, where))).html({})

    return show


def test_texts_are_rendered_as_github_flavored_markdown(html):
    assert html("# Title\n## Title", below=2) == (
        '<h3 class="md-h1" id="user-content-title">Title</h3>\n<h4 class="md-h2" id="user-content-title-1">Title</h4>\n'.replace(
            "title-1", "title-1"
        )
    )
    assert html("# Title", anchors=False) == '<h2 class="md-h1">Title</h2>\n'
    assert '<div class="md-table" tabindex="0"><table>' in html("|a|\n|-|\n|b|")
    assert html("```\na<b #1\n```") == '<pre tabindex="0"><code>a&lt;b #1\n</code></pre>\n'
    assert html("```python\nx = 1 # <b> #1\n```") == (
        '<pre tabindex="0"><code class="c">x = <var>1 </var><i># &lt;b&gt; #1</i>\n</code></pre>\n'
    )
    raw = "<pre lang=python><code><b>x</b> = 1\n</code></pre>"
    assert html(raw).replace("\n", "") == '<pre tabindex="0"><code><b>x</b> = 1</code></pre>'
    boxes = html("- [x] a\n- [ ] b")
    assert boxes.count('type="checkbox" class="md-task" disabled') == 2
    assert boxes.count(" checked ") == 1


@pytest.mark.parametrize(
    ("text", "place", "expected"),
    [
        ("[a](b.md)", {"ref": "v1", "folder": "docs"}, '<a href="/group/project/blob/v1/docs/b.md">a</a>'),
        ("[a](../b.md#x)", {"folder": "docs"}, '<a href="/group/project/blob/HEAD/b.md#user-content-x">a</a>'),
        ("[a](../../../b.py#L3)", {"folder": "docs"}, '<a href="/group/project/blob/HEAD/b.py#L3">a</a>'),
        ("[a](%2e%2e/b)", {}, '<a href="/group/project/blob/HEAD/b">a</a>'),
        ("[a](page)", {"wiki": True}, '<a href="/group/project/wikis/page">a</a>'),
        ("[a](#x)", {}, '<a href="#user-content-x">a</a>'),
        ("[a](https://example.org)", {}, f'<a href="https://example.org"{ELSEWHERE}>a</a>'),
        ("[a](//example.org)", {}, f'<a href="//example.org"{ELSEWHERE}>a</a>'),
        ("[a](http://mujina.test/x)", {}, '<a href="http://mujina.test/x">a</a>'),
        ("[a](http://mujina.test.example.org/x)", {}, f'<a href="http://mujina.test.example.org/x"{ELSEWHERE}>a</a>'),
        ("![a](b.png)", {"folder": "d"}, '<img src="/group/project/raw/HEAD/d/b.png" alt="a" loading="lazy">'),
        ("![a](b.png)", {"project": "", "group": "g"}, "a"),
        (f"![a](/uploads/{'0' * 32}/b.png)", {}, f'<img src="/group/project/uploads/{"0" * 32}/b.png" alt="a" loading="lazy">'),
        ("![a](https://example.org/b.png)", {}, f'<a href="https://example.org/b.png"{ELSEWHERE}>a</a>'),
        ("[![a](https://example.org/b.png)](c)", {}, '<a href="/group/project/blob/HEAD/c">a</a>'),
        ("[![a](/api/v4/hooks/1)](c)", {}, '<a href="/group/project/blob/HEAD/c">a</a>'),
        *(
            (f"![a]({path})", {}, f'<a href="{path}">a</a>')
            for path in (
                "/api/v4/hooks/1", "http://mujina.test/oauth/authorize?x=/a/b/raw/c", "?x=/a/b/raw/c", "/a/b/-/archive/x/raw/c.zip",
                "/a/b/repository/raw/archive.zip", "/a/b/raw/../../../api/v4/hooks/1", "/a/b/raw/%2E./%2e%2e/../api/v4/hooks/1",
                "/api/v4/projects/1/snippets/1/raw", "/group/project/raw/../../../api/v4/hooks/1", "/a/b/raw", "/users/sign_out",
            )
        ),
        *(
            (f"![a]({path})", {"project": project}, f'<img src="{path}" alt="a" loading="lazy">')
            for project in ("group/project", "")
            for path in (
                "/a/b/raw/HEAD/c.png", "/a/b/-/raw/HEAD/c.png?x", "http://mujina.test/a/b/c/wikis/d.png", "/snippets/1/raw",
                "/a/b/snippets/1/raw", f"/a/b/uploads/{'0' * 32}/c.png", "/uploads/-/system/user/avatar/1/c.png",
                "/assets/logo.svg",
            )
        ),
        *(
            (f'<a href="{written}evil.example">a</a>', {}, f'<a href="{read}evil.example"{ELSEWHERE}>a</a>')
            for written, read in (
                ("/&#9;/", "//"), ("&#10;/&#13;/", "//"), ("&#1; //", "//"), ("/\\", "/\\"), ("\\/", "\\/"), ("\\&#9;\\", "\\\\"),
                ("ht&#9;tp://", "http://"),
            )
        ),
    ],
)  # fmt: skip
def test_links_and_pictures_lead_where_their_author_means(html, text, place, expected):
    assert html(text, **place) == f"<p>{expected}</p>\n"


def rows(**fields):
    cells = "".join(f'<tr><th scope="row">{name}</th><td>{value}</td></tr>' for name, value in fields.items())
    return f'<div class="md-table" tabindex="0"><table><tbody>{cells}</tbody></table></div>'


@pytest.mark.parametrize(
    ("matter", "expected"),
    [
        ("title: A <b> & 'c' #1\n", {"title": "A &lt;b&gt; &amp; &#x27;c&#x27;"}),
        ('title: "A: b"\r\ndraft: -1\r\n', {"title": "A: b", "draft": "-1"}),
        ("# why\ntags: [a, 'b']\n\nat: 12:30\n", {"tags": "a, b", "at": "12:30"}),
        ("tags:\n- a # first\n- b\nlayout:\n", {"tags": "a, b", "layout": ""}),
        ("a:\n  b: c\nd: |\n  e\n", {"a": "<pre>  b: c</pre>", "d": "<pre>|\n  e</pre>"}),
        (
            "a: &x [b]\nc: *x\nd: {e: f}\n",
            {"a": "<pre>&amp;x [b]</pre>", "c": "<pre>*x</pre>", "d": "<pre>{e: f}</pre>"},
        ),
    ],
)
def test_the_front_matter_of_a_file_is_a_table(html, matter, expected):
    assert html(f"---\n{matter}---\nText", file=True) == rows(**expected) + "<p>Text</p>\n"
    assert "<th" not in html(f"---\n{matter}---\nText"), "a comment has none"


@pytest.mark.parametrize(
    "text",
    [
        "---\nA sentence\n---\n",
        "---\na: b\n",
        "---\n---\n",
        "a\n---\nb: c\n---\n",
        "---\n" + "a: b\n" * 5_000 + "---\n",
    ],
)
def test_lines_without_fields_between_them_are_no_front_matter(html, text):
    assert html(text, file=True) == html(text)


HOSTILE = [
    "<script>alert(1)</script>", "<img src=x onerror=alert(1)>", "[a](javascript:alert(1))", "[a](JaVaScRiPt&colon;x)",
    '<a href="data:text/html,x">a</a>', "<svg onload=alert(1)>", "<style>*{display:none}</style>", "<div style='color:red'>",
    "<p class='button' id='main' hx-get='/x' hx-on:click='x' data-x='y'>a</p>", "<form action=/x><input name=a></form>",
    "<iframe src=/x></iframe>", "<base href=//x>", "<math><mtext></p><style><img src=x onerror=x>", "<!-- <img onerror> -->",
    '![a"onerror="x](b)', '[a](b "c\\" onclick=\\"x")', "<a name=x onmouseover=y>a</a>", "<details ontoggle=x open>a</details>",
    "@a\"><b> ~\"<img src=x onerror=y>\" #1\"'", "<input type=checkbox onclick=x>", "<h1 onclick=x>a</h1>", "\0\ufeff\u202e<b>",
    "<pre onclick=x><code class='hljs' style=x>", "<table background=javascript:x><tr><td>a", "a<b@c>d",
    '<a href="&nbsp;javascript:x">a</a>', '<a href="&#x2003;javascript:x">a</a>', '<a href="java&#1;script:x">a</a>',
]  # fmt: skip
OURS = re.compile(
    r"</?(?:a|abbr|b|blockquote|br|caption|code|dd|del|details|div|dl|dt|em|h[1-6]|hr|i|img|input|ins|kbd|li|ol|p|pre|q|s|samp"
    r"|small|span|strike|strong|sub|summary|sup|table|tbody|td|tfoot|th|thead|tr|tt|ul|var)"
    r'(?: (?:href|src|alt|title|loading|rel|type|tabindex|align|start|aria-label|id="user-content-'
    r'|class="(?:md-[a-z0-9]+|ref|mention|label|c)"'
    r'|disabled|checked|open|colspan|rowspan|width|height|scope)[^\s">=]*(?:="[^"]*"|[^\s">]*")?)*>'
)


def test_hostile_texts_leave_nothing_but_text_and_our_elements(html):
    matter = "".join(f"a: {text}\n" for text in HOSTILE)
    for text in [*HOSTILE, "\n\n".join(HOSTILE), f"---\n{matter}---\n"]:
        shown = html(text, file=True)
        rest = OURS.sub("", shown)
        assert "<" not in rest, (text, shown)
        assert not re.search(r"<[^>]*(?:javascript|data):", shown, re.IGNORECASE), (text, shown)
        assert not re.search(r"<[^>]*\s(?:on\w+|style|hx-|data-|name)\b", re.sub(r'"[^"]*"', '""', shown)), (
            text,
            shown,
        )


@pytest.mark.parametrize(
    "text",
    [
        "![](" * 20_000, ">" * 80_000, "<div>" * 16_000, "[" * 80_000, "<b>" * 20_000, '~"' * 40_000, "a/" * 40_000,
        "".join(f"<b a={n}>" for n in range(500)) + "<p>x" * 20_000, "|a" * 2_000 + "\n" + "|-" * 2_000 + "\n" + "|\n" * 9_000,
        "<table><tr><td>" * 5_000, "*a **b " * 10_000, "#1 " * (MAX_REFERENCES + 1), "x" * (MAX_BYTES + 1),
    ],
    ids=lambda text: text[:12],
)  # fmt: skip
def test_hostile_texts_end_soon(html, text):
    """A parser that is not linear would take minutes: the test would not end."""
    assert html(text)


def test_texts_beyond_the_limits_are_shown_as_they_are(html):
    for text in ("<i>" + "x" * MAX_BYTES, "#1 " * (MAX_REFERENCES + 1), "<div>" * 16_000):
        assert html(text).startswith('<pre class="md-plain" tabindex="0">')


def test_pictures_of_other_sites_are_shown_where_the_operator_allows_it(loop):
    badge = "[![build](https://ci.example/b.svg)](https://ci.example) ![a](http://plain.example/a.png)"
    source = MarkdownText(badge, TextPlace(base="http://here.example", project="group/project"))
    closed, opened = (
        loop.run_until_complete(render(PRODUCT, source, external_images=each)).html({}) for each in (False, True)
    )
    assert "<img" not in closed
    assert '<img src="https://ci.example/b.svg" alt="build" referrerpolicy="no-referrer" loading="lazy"></a>' in opened
    assert opened.count("<img") == 1, "only encrypted ones"


def test_footnotes_lead_to_their_text_and_back(html):
    shown = html("a[^1] b[^My note]\n\n[^1]: one\n")
    assert '<sup><a href="#user-content-fn-1" id="user-content-fnref-1">1</a></sup>' in shown
    assert '<section class="md-footnotes">' in shown
    assert '<li id="user-content-fn-1">' in shown
    assert '<a href="#user-content-fnref-1" aria-label="Back to the text">' in shown
    assert "#" not in html("a[^1]\n\n[^1]: one\n", anchors=False), "another text of the page may have the same footnote"
    assert html('<li id="evil">x</li><a id="fnx" href="#y">y</a>').count("id=") == 0


def test_a_table_of_contents_lists_the_headings(html):
    shown = html("[[_TOC_]]\n\n## One\n### Two `c`\n# Three &\n\n[[_TOC_]]")
    assert shown.startswith(
        '<ul class="md-toc"><li><a href="#user-content-one">One</a><ul><li><a href="#user-content-two-c">Two c</a>'
        '</li></ul></li><li><a href="#user-content-three-">Three &amp;</a></li></ul>'
    )
    assert shown.count('class="md-toc"') == 1
    assert "md-toc" not in html("[[_TOC_]]\n\n# One", anchors=False)
    assert "md-toc" not in html("`[[_TOC_]]`\n\n# One")


def test_alerts_colors_and_media_are_shown(html):
    assert html("> [!NOTE]\n> text\n") == (
        '<blockquote class="md-alert md-note">\n<p class="md-alert-title">Note</p>\n<p>text</p>\n</blockquote>\n'
    )
    assert '<p class="md-alert-title">Mind it</p>' in html("> [!warning] Mind it\n>\n> text\n")
    assert "md-alert" not in html("> [!odd]\n> text\n")
    for color in ("#F00", "#ff0000", "rgb(1,2,3)", "hsl(360, 100%, 0%)"):
        assert f'fill="{color}"' in html(f"`{color}`")
    for other in ("#ggg", "rgb(256,0,0)", "url(x)", "red"):
        assert "svg" not in html(f"`{other}`")
    assert html("![a](b.mp4)").startswith('<p><video src="/group/project/raw/HEAD/b.mp4" controls preload="metadata"')
    assert "<audio " in html("![a](b.mp3)")
    assert "<video" not in html("![a](https://example.org/b.mp4)")


def test_diagrams_are_marked_for_the_script_of_pages(html):
    assert html("```mermaid\na<b\n```") == '<pre tabindex="0" data-diagram="mermaid"><code>a&lt;b\n</code></pre>\n'
    assert html("```plantuml\na\n```").startswith('<pre tabindex="0" data-diagram="plantuml">')
    assert "data-diagram" not in html('<pre data-diagram="mermaid">a</pre>') + html("```mermaids\na\n```")
    assert html("```mermaid\na\n```\n\n" * 30).count("data-diagram") == MAX_DIAGRAMS
