"""The reactions on the page of an issue; those of requests, epics and snippets are the same."""

import re

import pytest

from mujina.planning.awards.emoji import aliases


@pytest.fixture
def page(cast):
    return f"/{cast.private.path}/issues/{cast.open}"


def offered(text):
    """The emoji that the page has buttons for."""
    block = text.partition('<div id="awards">')[2].partition("</article>")[0]
    return re.findall(r'name="name" value="(\w+)"', block)


def test_authors_are_not_offered_to_vote_on_their_own_texts(browse, cast, page):
    awards = f"/projects/{cast.private.id}/issues/{cast.open}/award_emoji"
    assert [cast.developer.post(awards, name=name).status for name in ("thumbsup", "rocket")] == [201, 201]
    author = browse("reporter")
    shown = author.open(page).text
    assert "👍 1" in shown
    names = offered(shown)
    assert "rocket" in names
    assert not {"thumbsup", "thumbsdown"} & set(names)
    assert {name: author.send(f"{page}/react", name=name).status for name in names} == dict.fromkeys(names, 303)
    assert {"thumbsup", "thumbsdown"} <= set(offered(browse("guest").open(page).text))
    anonymous = browse("anonymous").open(f"/{cast.public.path}/issues/{cast.open}").text
    assert offered(anonymous) == []


def test_every_reaction_is_counted(browse, cast, page):
    names = sorted(set(aliases().values()) - {"rocket"})[:100]
    for name in names:
        cast.run(
            """INSERT INTO awards (subject_kind, subject_id, name, user_id, created_at, updated_at)
               SELECT 'issue', i.id, :name, :guest, i.created_at, i.created_at FROM issues i
               WHERE i.project_id = :project AND i.iid = :iid""",
            name=name, guest=cast.guest.id, project=cast.private.id, iid=cast.open,
        )  # fmt: skip
    awards = f"/projects/{cast.private.id}/issues/{cast.open}/award_emoji"
    assert [person.post(awards, name="rocket").status for person in (cast.developer, cast.owner)] == [201, 201]
    assert "🚀 2" in browse("guest").open(page).text
