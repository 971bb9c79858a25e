"""The pages of snippets: of users and of projects, with comments."""

import re

from tests.harness.statements import statements

TEXT = {
    "title": "Greeting <b>",
    "file_name": "hello.py",
    "content": "def hello():\r\n    return 1\r\n",
    "visibility": "private",
}


def test_a_snippet_of_a_user(browse, cast):
    guest, stranger, anonymous = browse("guest"), browse("stranger"), browse("anonymous")
    assert guest.open("/snippets").headers["Location"] == "/dashboard/snippets"
    guest.open("/snippets/new")
    refused = guest.send("/snippets", snippet=TEXT | {"title": ""})
    assert (refused.status, "def hello" in refused.text, 'id="snippet_title-problem"' in refused.text) == (
        422,
        True,
        True,
    )
    here = guest.send("/snippets", snippet=TEXT).headers["Location"]
    page = guest.open(here).text
    for words in ("Greeting &lt;b&gt;", "<b>def </b>", "2 lines", "Delete snippet"):
        assert words in page, words
    raw = guest.open(f"{here}/raw")
    assert (raw.text, raw.headers["Content-Type"]) == ("def hello():\n    return 1\n", "text/plain; charset=utf-8")
    assert (stranger.open(here).status, anonymous.open(here).status) == (404, 302)
    assert anonymous.open("/snippets/999999").status == 302
    guest.open(f"{here}/edit")
    assert guest.send(here, snippet=TEXT | {"visibility": "public"}).status == 303
    assert "Delete snippet" not in anonymous.open(here).text
    assert anonymous.open(f"{here}/raw").status == 200
    assert anonymous.open(f"/-{here}").headers["Location"] == here
    assert stranger.open(f"{here}/edit").status == 403
    guest.open(here)
    assert guest.send(f"{here}/delete").headers["Location"] == "/dashboard/snippets"
    assert guest.open(here).status == 404


def test_a_snippet_of_a_project_is_discussed(browse, cast):
    reporter, guest = browse("reporter"), browse("guest")
    place = f"/{cast.private.path}/snippets"
    assert "Keep pieces of code" in guest.open(place).text
    assert guest.open(f"{place}/new").status == 403
    reporter.open(f"{place}/new")
    here = reporter.send(place, snippet=TEXT | {"visibility": "internal", "description": "For #1"}).headers["Location"]
    assert "Greeting" in guest.open(place).text
    guest.open(here)
    written = guest.send(f"{here}/notes", body="It **works**")
    assert written.status == 303
    note = written.headers["Location"].split("#note_")[1]
    with statements(cast.database) as used:
        page = guest.open(here).text
    assert used.count <= 10
    assert "<strong>works</strong>" in page
    assert guest.send(f"{here}/react", name="tada").status == 303
    assert "🎉 1" in reporter.open(here).text
    guest.open(f"{here}/notes/{note}/edit")
    assert guest.send(f"{here}/notes/{note}", body="Not any more").status == 303
    assert reporter.open(f"{here}/notes/{note}/edit").status == 403
    assert reporter.send(f"{here}/notes/{note}/delete").status == 403
    assert guest.send(f"{here}/notes/{note}/delete").status == 303
    assert "Not any more" not in guest.open(here).text
    assert guest.open(f"{here}/raw").status == 200
    assert browse("stranger").open(here).status == 404
    assert browse("anonymous").open(here).status == 302
    reporter.open(f"{here}/edit")
    assert reporter.send(here, snippet=TEXT | {"content": "changed"}).status == 303
    cast.owner.put(f"/projects/{cast.private.id}", snippets_enabled=False)
    assert [reporter.open(path).status for path in (place, here, f"{place}/new", f"{here}/raw")] == [404] * 4
    cast.owner.put(f"/projects/{cast.private.id}", snippets_enabled=True)
    assert reporter.send(f"{here}/delete").headers["Location"] == place


def test_the_form_of_a_new_snippet_suggests_a_visibility_that_is_allowed(browse, cast):
    cast.root.put("/application/settings", default_snippet_visibility="public", restricted_visibility_levels=["public"])
    form = browse("guest").open("/snippets/new").text
    [chosen] = re.findall(r'<input[^>]*name="snippet\[visibility\]"[^>]*checked[^>]*>', form)
    assert ('value="internal"' in chosen, "disabled" in chosen) == (True, False)
