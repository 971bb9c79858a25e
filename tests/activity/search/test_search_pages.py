"""The search page in a repository."""

import pytest

one_engine = pytest.mark.parametrize("engine", ["sqlite"], indirect=True)


@one_engine
def test_code_commits_and_wiki_are_found_with_their_lines(browse, cast):
    here = f"/projects/{cast.private.id}"
    action = {"action": "create", "file_path": "src/<a>.py", "content": "one\ntwo <needle>\nthree\n"}
    sent = cast.root.post(
        f"{here}/repository/commits", branch="master", commit_message="Hide the needle", actions=[action]
    )
    assert sent.status == 201
    cast.root.post(f"{here}/wikis", title="hay", content="A needle in the wiki")
    developer = browse("developer")
    page = developer.open(f"/search?project_id={cast.private.id}&search=needle")
    assert "two &lt;<mark>needle</mark>&gt;" in page.text
    assert f'href="/{cast.private.path}/blob/master/src/%3Ca%3E.py#L2"' in page.text
    assert (
        "Hide the <mark>needle</mark>"
        in developer.open(f"/search?project_id={cast.private.id}&search=needle&scope=commits").text
    )
    assert (
        f"/{cast.private.path}/wikis/hay"
        in developer.open(f"/search?project_id={cast.private.id}&search=needle&scope=wiki_blobs").text
    )
    # A guest asks for code and gets what guests may search for.
    guest = browse("guest").open(f"/search?project_id={cast.private.id}&search=needle&scope=blobs")
    assert "two &lt;" not in guest.text
    # Anonymous visitors search no repository, not even a public one.
    page = f"/search?project_id={cast.public.id}&search=needle&scope=blobs"
    shown = [browse(name).open(page).text for name in ("stranger", "anonymous")]
    assert ['name="scope" value="blobs"' in text for text in shown] == [True, False]


def test_the_search_page_finds_users_for_those_who_signed_in(browse, cast):
    page = browse("guest").open("/search?scope=users&search=develop").text
    assert all(text in page for text in ('href="/developer"', "@developer", ">Users"))
    inside = browse("guest").open(f"/search?scope=users&search=stranger&project_id={cast.private.id}").text
    assert "Nothing matches your search" in inside
    assert ">Users" not in browse("anonymous").open("/search?search=develop").text
