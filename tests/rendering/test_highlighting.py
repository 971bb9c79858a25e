"""Source code in colors."""

import pytest

from mujina.kernel import deferred_imports
from mujina.rendering.code.highlighting import highlight, plain_lines
from mujina.rendering.code.lexers import LEXERS, lexer_of
from mujina.rendering.disk_cache import DiskCache

PYTHON = '"""Two\nlines."""\n\n@x\ndef f(a: int) -> str:  # <note>\n    return "b" + 1\n'


def test_code_is_highlighted_line_by_line():
    lines = highlight(lexer_of("a.py"), PYTHON)
    assert lines[:3] == [
        '<q>"""Two</q>',
        '<q>lines."""</q>',
        "",
    ]
    assert lines[4] == ("<b>def </b><u>f</u>(a: <u>int</u>) -&gt; <u>str</u>:  <i># &lt;note&gt;</i>")
    assert len(lines) == len(plain_lines(PYTHON)) == 6


def test_no_file_loses_a_line_or_a_letter():
    for name in ("a.html", "a.yml", "a.md", "a.c", "Dockerfile", "a.json", "a.vue", "a.j2"):
        for text in (PYTHON, "\n\n a\r\n\tb\r c", "", "<a>\n{{ x }}\n", "\x00\ufeff'\"`"):
            plain = plain_lines(text)
            assert len(highlight(lexer_of(name), text)) == len(plain), (name, text)


def test_every_lexer_of_the_table_exists():
    for lexer in set(LEXERS.values()):
        assert deferred_imports.lexer(lexer.module, lexer.name).name
    assert lexer_of("src/UNKNOWN.xyz") is None
    assert lexer_of("a/b/Makefile") == LEXERS["mk"]


@pytest.mark.parametrize("size", [100, 2_000])
def test_the_folder_of_results_stays_within_its_size(loop, tmp_path, size):
    cache = DiskCache(tmp_path / "cache", 4_000)
    for n in range(30):
        loop.run_until_complete(cache.put(b"%d" % n, bytes(n * 7 % 251 for n in range(n, n + size))))
    assert loop.run_until_complete(cache.get(b"29")) is not None
    assert loop.run_until_complete(cache.get(b"missing")) is None
    assert sum(file.stat().st_size for file in tmp_path.glob("cache/*/*")) <= 4_000 + size
