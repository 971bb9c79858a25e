"""The pages of wikis: what they show to whom, and what their forms do."""

import pytest

from tests.harness.statements import statements

MOST_STATEMENTS = 8

one_engine = pytest.mark.parametrize("engine", ["sqlite"], indirect=True)


@pytest.fixture
def wiki(cast, stage):
    """The address of the private project's wiki; what the last test left on disk is gone."""
    stage.forget_stored()
    return f"/{cast.private.path}/wikis"


@one_engine
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


@pytest.fixture
def written(cast, wiki):
    """A wiki with a start page and a guide below a folder."""
    api = f"/projects/{cast.private.id}/wikis"
    start = "# Start\r\n\r\n[Guide](guides/setup), #1, <script>x</script>"
    for title, content in (("home", start), ("guides/setup", "[Home](../home) ![plan](plan.png)")):
        assert cast.developer.post(api, title=title, content=content).status == 201
    return wiki


@one_engine
def test_the_first_page_is_written(browse, wiki):
    developer = browse("developer")
    assert developer.open(wiki).headers["Location"] == f"{wiki}/home"
    assert "Document your project here. Create the first page." in developer.open(f"{wiki}/home").text
    empty = browse("guest").open(f"{wiki}/home")
    assert (empty.status, "/wikis/new" in empty.text) == (200, False)
    developer.open(f"{wiki}/new")
    refused = developer.send(wiki, wiki={"title": "home", "content": "", "message": "kept words"})
    shown = [words in refused.text for words in ("kept words", 'id="wiki_content-problem"')]
    assert (refused.status, shown) == (422, [True, True])
    made = developer.send(wiki, wiki={"title": "home", "content": "Start"})
    assert (made.status, made.headers["Location"]) == (303, f"{wiki}/home")


@one_engine
def test_a_page_is_read_with_its_links(browse, cast, written):
    guest = browse("guest")
    with statements(cast.database) as used:
        page = guest.open(f"{written}/home").text
    assert used.count <= MOST_STATEMENTS
    for words in (f'href="{written}/guides/setup"', "Start</h2>", "Last edited by", ">guides<", 'aria-current="page"'):
        assert words in page, words
    assert [words in page for words in ("<script>x", f"{written}/home/edit")] == [False, False]
    inner = guest.open(f"{written}/guides/setup").text
    assert [words in inner for words in (f'href="{written}/home"', f'src="{written}/guides/plan.png"')] == [True, True]
    version = guest.open(f"{written}/home/history").text.split("?version_id=")[1][:40]
    assert "You see an older version" in guest.open(f"{written}/home", version_id=version).text
    assert "guides/setup" in guest.open(f"{written}/pages").text


@one_engine
def test_a_page_is_edited_and_moved_unless_it_changed_meanwhile(browse, written):
    developer, setup = browse("developer"), f"{written}/guides/setup"
    developer.open(f"{setup}/edit")
    last = developer.field("wiki[last_commit_id]")
    edited = developer.send(setup, wiki={"title": "Guide", "content": "New", "last_commit_id": last})
    assert edited.status == 303
    assert developer.open(setup).status == 404
    assert developer.open(f"{written}/guide").headers["Location"] == f"{written}/Guide"
    late = developer.send(f"{written}/Guide", wiki={"title": "Guide", "content": "Mine", "last_commit_id": last})
    assert (late.status, "Someone changed this page" in late.text, "Mine" in late.text) == (409, True, True)


@one_engine
def test_only_masters_delete_a_page(browse, cast, written):
    developer, owner, setup = browse("developer"), browse("owner"), f"{written}/guides/setup"
    assert "Delete page" not in developer.open(f"{setup}/edit").text
    assert developer.send(f"{setup}/delete").status == 403
    assert "Delete page" in owner.open(f"{setup}/edit").text
    assert owner.send(f"{setup}/delete").status == 303
    assert cast.guest.get(f"/projects/{cast.private.id}/wikis/guides%2Fsetup").status == 404


@one_engine
def test_a_missing_page_is_offered_to_writers(browse, written):
    assert browse("guest").open(f"{written}/Nothing").status == 404
    assert "Create page" in browse("developer").open(f"{written}/Nothing").text
    assert [browse(name).open(f"{written}/home").status for name in ("stranger", "anonymous")] == [404, 302]


@one_engine
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
