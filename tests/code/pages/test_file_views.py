"""Views of what people keep in repositories: notebooks, videos, sounds, PDF, and changed pictures."""

import base64
import json

import pytest

from mujina.code.files.notebooks import MAX_CELLS, to_markdown
from tests.code.pages.conftest import commit

one_engine = pytest.mark.parametrize("engine", ["sqlite"], indirect=True)

NOTEBOOK = {
    "cells": [
        {"cell_type": "markdown", "source": ["# Title\n", "<script>alert(1)</script> text"]},
        {
            "cell_type": "code",
            "source": "x = 1\n~~~~\nprint('<b>')",
            "outputs": [
                {"output_type": "stream", "text": ["one\n", "two\n"]},
                {
                    "output_type": "display_data",
                    "data": {"text/html": "<img src=x onerror=x>", "text/plain": ["<plain>"]},
                },
                {"output_type": "display_data", "data": {"image/png": "aGVsbG8="}},
            ],
        },
    ],
    "metadata": {"language_info": {"name": "python"}},
    "nbformat": 4,
}


def _file(path, data):
    return {"action": "create", "file_path": path, "content": base64.b64encode(data).decode(), "encoding": "base64"}


@one_engine
def test_a_notebook_is_shown_as_text_and_code(browse, cast):
    commit(cast, cast.public, "Add it", _file("a.ipynb", json.dumps(NOTEBOOK).encode()), _file("b.ipynb", b"{"))
    guest, here = browse("guest"), f"/{cast.public.path}/blob/master"
    page = guest.open(f"{here}/a.ipynb").text
    assert '<h2 class="md-h1" id="user-content-title">Title</h2>' in page
    assert all(words in page for words in ("one\ntwo", "&lt;plain&gt;", "(image/png)", "Source", "/raw/master/a.ipynb"))
    assert not any(words in page for words in ("<script>alert", "onerror", "aGVsbG8"))
    assert "&quot;cell_type&quot;" in guest.open(f"{here}/a.ipynb?plain=1").text.replace(
        '"cell_type"', "&quot;cell_type&quot;"
    )
    assert guest.open(f"{here}/b.ipynb").status == 200, "what is no notebook is shown as code"


def test_what_is_no_notebook_is_not_converted():
    for text in ("", "[]", "{}", '{"cells": 1, "metadata": {}}', "[" * 100_000):
        assert to_markdown(text) == ""
    many = {"cells": [{"cell_type": "raw"}] * (MAX_CELLS + 1), "metadata": {}}
    assert to_markdown(json.dumps(many)) == ""


@one_engine
def test_videos_and_sounds_have_controls(browse, cast):
    commit(cast, cast.public, "Add them", _file("a.mp4", b"\0"), _file("b.mp3", b"\0"))
    guest, here = browse("guest"), f"/{cast.public.path}"
    assert f'<video src="{here}/raw/master/a.mp4" controls' in guest.open(f"{here}/blob/master/a.mp4").text
    assert f'<audio src="{here}/raw/master/b.mp3" controls' in guest.open(f"{here}/blob/master/b.mp3").text
    raw = guest.open(f"{here}/raw/master/a.mp4")
    assert (raw.headers["Content-Type"], "sandbox" in raw.headers["Content-Security-Policy"]) == ("video/mp4", True)


@one_engine
def test_a_pdf_is_shown_by_the_viewer_of_the_browser(browse, cast):
    commit(cast, cast.public, "Add them", _file("a&b.pdf", b"%PDF-1.4"), _file("c.pdf", b"<script>alert(1)</script>"))
    guest, here = browse("guest"), f"/{cast.public.path}"
    page = guest.open(f"{here}/blob/master/a&b.pdf")
    raw = f"{here}/raw/master/a%26b.pdf"
    assert f'data="{raw}" type="application/pdf" aria-label="a&amp;b.pdf"' in page.text
    assert f'href="{raw}">Open' in page.text
    assert "object-src 'self'" in page.headers["Content-Security-Policy"]
    for name in ("a%26b.pdf", "c.pdf"):
        headers = guest.open(f"{here}/raw/master/{name}").headers
        found = [headers[each] for each in ("Content-Type", "X-Content-Type-Options", "X-Frame-Options")]
        assert found == ["application/pdf", "nosniff", "SAMEORIGIN"], "never a page, whatever is in it"
        assert "script-src" not in headers["Content-Security-Policy"]


@one_engine
def test_a_changed_picture_is_shown_before_and_after(browse, cast):
    first = commit(cast, cast.public, "Add it", _file("a b.png", b"\0one"))
    second = commit(cast, cast.public, "Change it", {**_file("a b.png", b"\0two"), "action": "update"})
    guest, here = browse("guest"), f"/{cast.public.path}"
    added = guest.open(f"{here}/commit/{first}").text
    assert (f"{here}/raw/{first}/a%20b.png" in added, "before the change" in added) == (True, False)
    changed = guest.open(f"{here}/commit/{second}").text
    assert all(f'src="{here}/raw/{sha}/a%20b.png"' in changed for sha in (first, second))
    assert guest.open(f"{here}/raw/{first}/a%20b.png").status == 200
