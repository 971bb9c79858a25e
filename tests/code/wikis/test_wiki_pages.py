"""The pages of wikis: what they show to whom, and what their forms do."""

import pytest

from tests.harness.browsers import browser_of
from tests.harness.statements import statements

MOST_STATEMENTS = 8


@pytest.fixture
def browse(client, database, cast):
    return lambda name: browser_of(getattr(cast, name), database, client)


@pytest.fixture
def wiki(cast, stage):
    """The address of the private project's wiki; what the last test left on disk is gone."""
    stage.forget_stored()
    return f"/{cast.private.path}/wikis"


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_pages_whose_names_read_like_other_addresses_have_their_own(browse, cast, wiki):
    owner = browse("owner")
    addresses = {"new": "new-", "pages": "pages-", "guide/edit": "guide/edit-", "new-": "new--", "guide": "guide"}
    for title, address in addresses.items():
        owner.open(f"{wiki}/new")
        made = owner.send(wiki, wiki={"title": title, "content": f"Text of {title}"})
        assert made.headers["Location"] == f"{wiki}/{address}"
    for title, address in addresses.items():
        page = owner.open(f"{wiki}/{address}").text
        assert (f"Text of {title}</p>" in page, f'href="{wiki}/new--"' in page) == (True, True), title
        assert f"Text of {title}</textarea>" in owner.open(f"{wiki}/{address}/edit").text
        assert owner.open(f"{wiki}/{address}/history").status == 200
    assert "New page" in owner.open(f"{wiki}/new").text
    assert "guide/edit-" in owner.open(f"{wiki}/pages").text
    assert owner.send(f"{wiki}/pages-/delete").status == 303
    assert cast.owner.get(f"/projects/{cast.private.id}/wikis/pages").status == 404
    cast.owner.put(f"/projects/{cast.private.id}", wiki_enabled=False)
    assert [owner.open(f"{wiki}{rest}").status for rest in ("", "/home", "/new", "/pages")] == [404] * 4
    assert owner.send(wiki, wiki={"title": "x", "content": "x"}).status == 404
    assert browse("anonymous").open(wiki).status == 302


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_a_page_is_written_read_moved_and_deleted(browse, cast, wiki):
    developer, guest, owner = browse("developer"), browse("guest"), browse("owner")
    assert developer.open(wiki).headers["Location"] == f"{wiki}/home"
    assert "Document your project here. Create the first page." in developer.open(f"{wiki}/home").text
    empty = guest.open(f"{wiki}/home")
    assert (empty.status, "/wikis/new" in empty.text) == (200, False)
    developer.open(f"{wiki}/new")
    refused = developer.send(wiki, wiki={"title": "home", "content": "", "message": "kept words"})
    assert (refused.status, "kept words" in refused.text, 'id="wiki_content-problem"' in refused.text) == (
        422,
        True,
        True,
    )
    made = developer.send(
        wiki, wiki={"title": "home", "content": "# Start\r\n\r\n[Guide](guides/setup), #1, <script>x</script>"}
    )
    assert (made.status, made.headers["Location"]) == (303, f"{wiki}/home")
    developer.open(f"{wiki}/new")
    assert (
        developer.send(wiki, wiki={"title": "guides/setup", "content": "[Home](../home) ![plan](plan.png)"}).status
        == 303
    )
    with statements(cast.database) as used:
        page = guest.open(f"{wiki}/home").text
    assert used.count <= MOST_STATEMENTS
    for words in (f'href="{wiki}/guides/setup"', "Start</h2>", "Last edited by", ">guides<", 'aria-current="page"'):
        assert words in page, words
    assert "<script>x" not in page
    assert f"{wiki}/home/edit" not in page
    inner = developer.open(f"{wiki}/guides/setup").text
    assert f'href="{wiki}/home"' in inner
    assert f'src="{wiki}/guides/plan.png"' in inner
    edit = f"{wiki}/guides/setup/edit"
    developer.open(edit)
    last = developer.field("wiki[last_commit_id]")
    assert (
        developer.send(f"{wiki}/guides/setup", wiki={"title": "Guide", "content": "New", "last_commit_id": last}).status
        == 303
    )
    assert developer.open(f"{wiki}/guides/setup").status == 404
    assert developer.open(f"{wiki}/guide").headers["Location"] == f"{wiki}/Guide"
    late = developer.send(f"{wiki}/Guide", wiki={"title": "Guide", "content": "Mine", "last_commit_id": last})
    assert (late.status, "Someone changed this page" in late.text, "Mine" in late.text) == (409, True, True)
    history = guest.open(f"{wiki}/home/history").text
    version = history.split("?version_id=")[1][:40]
    assert "You see an older version" in guest.open(f"{wiki}/home", version_id=version).text
    assert "Guide" in guest.open(f"{wiki}/pages").text
    assert "Delete page" not in developer.open(f"{wiki}/Guide/edit").text
    assert developer.send(f"{wiki}/Guide/delete").status == 403
    assert "Delete page" in owner.open(f"{wiki}/Guide/edit").text
    assert owner.send(f"{wiki}/Guide/delete").status == 303
    assert cast.guest.get(f"/projects/{cast.private.id}/wikis/Guide").status == 404
    assert guest.open(f"{wiki}/Nothing").status == 404
    assert "Create page" in developer.open(f"{wiki}/Nothing").text
    assert browse("stranger").open(f"{wiki}/home").status == 404
    assert browse("anonymous").open(f"{wiki}/home").status == 302


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_a_deep_tree_and_other_formats_are_shown(browse, cast, wiki):
    api = f"/projects/{cast.private.id}/wikis"
    deep = "/".join("abcdefghij")
    assert cast.developer.post(api, title=deep, content="---\ntitle: Deep\n---\ndeep").status == 201
    text = {"title": "notes", "content": "= Title <b>", "format": "asciidoc"}
    assert cast.developer.post(api, **text).status == 201
    guest = browse("guest")
    page = guest.open(f"{wiki}/notes").text
    assert "= Title &lt;b&gt;" in page
    assert f'href="{wiki}/{deep}"' in page
    assert '<th scope="row">title</th><td>Deep</td>' in guest.open(f"{wiki}/{deep}").text
    assert guest.open(f"{wiki}/home").headers["Location"] == f"{wiki}/pages"
