"""The index of trigrams leaves nothing out, follows every change, and gives nothing more than looking at each text."""

import asyncio

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mujina.planning.issues.params import ListIssues
from mujina.planning.work_items.lists import plans


@pytest.fixture
def found(cast, monkeypatch):
    """iids found through the index, and by looking at every issue: the same."""

    def search(words, who="developer"):
        answers = []
        for few in (-1, 10**9):
            monkeypatch.setattr(plans, "FEW_TO_SEARCH", few)
            answer = getattr(cast, who).get(f"/projects/{cast.private.id}/issues", search=words, per_page=100)
            assert answer.status == 200, answer
            assert int(answer.headers["X-Total"]) == len(answer.json)
            answers.append([issue["iid"] for issue in answer.json])
        assert answers[0] == answers[1]
        return answers[0]

    return search


@pytest.fixture
def write(cast):
    def post(title, description=None):
        answer = cast.developer.post(f"/projects/{cast.private.id}/issues", title=title, description=description)
        return answer.json["iid"]

    return post


def test_new_and_edited_text_is_found(cast, found, write):
    iid = write("The login page", "fails on Mondays")
    assert found("login") == found("PAGE log") == found("monday") == found('"login page"') == [iid]
    assert found("login monday") == found("tuesday") == []
    issue = f"/projects/{cast.private.id}/issues/{iid}"
    cast.developer.put(issue, title="The logout page")
    assert (found("login"), found("logout")) == ([], [iid])
    cast.developer.put(issue, description="fails on tuesdays")
    assert (found("monday"), found("tuesday")) == ([], [iid])
    cast.owner.delete(issue)
    assert found("logout") == []


@pytest.mark.commits
@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_changes_that_share_a_commit_leave_the_index_with_each_text_once(cast, database, found, write):
    issues = f"/projects/{cast.private.id}/issues"
    kept, gone = write("The login page", "fails on Mondays"), write("The logout page")
    changes = [
        ("PUT", f"{issues}/{kept}", {"title": "The sign-in page"}),
        ("POST", issues, {"title": "A new page"}),
        ("PUT", f"{issues}/{gone}", {"title": "The sign-out page"}),
        ("PUT", f"{issues}/{kept}", {"title": "The sign-in form", "description": "fails on Tuesdays"}),
        ("DELETE", f"{issues}/{gone}", {}),
    ]

    async def at_once():
        await asyncio.gather(*(cast.root.exchange(verb, path, params=params) for verb, path, params in changes))
        async with database.transaction() as tx:
            assert await tx.value("SELECT count(*) FROM waiting_texts") == 0
            await tx.run("INSERT INTO issue_texts_grams (issue_texts_grams, rank) VALUES ('integrity-check', 1)")

    cast.root.loop.run_until_complete(at_once())
    assert (found("sign-in form"), found("tuesdays"), found("mondays"), found("sign-out")) == ([kept], [kept], [], [])


WAYS = {"one by one": (10**9, 10**9), "a few, sorted": (-1, 10**9), "many, along their order": (-1, -1)}
"""What is few to search and many to sort, so that a search goes this way."""


def test_a_search_with_filters_shows_what_matches_of_the_list_with_these_filters(cast, write, monkeypatch):
    issues, milestones = (f"/projects/{cast.private.id}/{noun}" for noun in ("issues", "milestones"))
    iids = [write(f"Parrot {n}") for n in range(5)]
    iids.append(cast.reporter.post(issues, title="Parrot 5").json["iid"])
    v1 = cast.developer.post(milestones, title="v1").json["id"]
    changes = [{"milestone_id": v1}, {"labels": "blue"}, {"state_event": "close"}, {"assignee_ids": [cast.guest.id]}]
    for iid, change in zip(iids, changes, strict=False):
        cast.developer.put(f"{issues}/{iid}", **change)
    cast.developer.post(f"{issues}/{iids[4]}/award_emoji", name="tada")
    cast.root.put(f"{issues}/{iids[0]}", created_at="2018-01-01T00:00:00Z")
    asked = [
        (6, {}), (6, {"sort": "asc"}), (6, {"order_by": "updated_at"}), (5, {"state": "opened"}),
        (0, {"state": "closed", "labels": "blue"}), (1, {"labels": "blue"}), (5, {"author_id": cast.developer.id}),
        (5, {"author_id": cast.developer.id, "order_by": "updated_at", "sort": "asc"}), (1, {"milestone": "v1"}),
        (4, {"scope": "created-by-me", "milestone": "No Milestone"}), (1, {"assignee_id": cast.guest.id}),
        (1, {"my_reaction_emoji": "tada"}), (3, {"iids": ",".join(map(str, iids[1:4]))}),
        (5, {"created_after": "2018-01-02T00:00:00Z"}), (1, {"created_before": "2018-01-02T00:00:00Z"}),
        (1, {"labels": "Any"}), (4, {"labels": "None", "milestone": "None"}),
    ]  # fmt: skip
    assert {name for _, query in asked for name in query} == {*ListIssues.__struct_fields__} - {"search"}
    for total, query in asked:
        listed = cast.developer.get(issues, per_page=100, **query).json
        matches = [issue["iid"] for issue in listed if issue["title"].startswith("Parrot")]
        assert len(matches) == total, query
        for way, (few, many) in WAYS.items():
            monkeypatch.setattr(plans, "FEW_TO_SEARCH", few)
            monkeypatch.setattr(plans, "MANY_TO_SORT", many)
            for page in (1, 2, 9):
                answer = cast.developer.get(issues, search="parrot", per_page=2, page=page, **query)
                shown = [issue["iid"] for issue in answer.json]
                assert shown == matches[2 * page - 2 : 2 * page], (query, way, page)
                assert answer.headers["X-Total"] == str(total), (query, way, page)


def test_signs_and_other_scripts(found, write):
    iid = write('a"b*c (x OR y) NEAR', "ünï Çode 日本語テスト 100%_done\n\nnext line")
    for words in ('a"b*c', '"(x OR y)"', "NEAR", "ÜNÏ", "日本語", "本語テ", "100%_", "next line", '"line"'):
        assert found(words) == [iid], words
    assert found("done next") == [iid]
    for words in ("100%x", "日本話", 'a"c'):
        assert found(words) == [], words


def test_a_search_uses_the_first_words_of_a_long_query(found, write):
    words = [f"word{n:02}" for n in range(16)]
    iid = write(" ".join(words))
    assert found(" ".join([*words, "absent"])) == [iid]
    assert found(" ".join(["absent", *words])) == []
    long = write("long", "y" * 1_500)
    assert found("y" * 2_000) == [long]


def test_a_text_too_long_for_the_index_is_found_all_the_same(found, write):
    iid = write("long", "x" * 30_000 + " needle")
    assert found("needle") == [iid]


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    text=st.text(alphabet="abA\"'* ß_%\\\n日", max_size=12),
    words=st.text(alphabet="abA\"'* ß_%\\日", min_size=1, max_size=6),
)
def test_the_index_agrees_with_the_texts(found, write, text, words):
    write("aab bba", text)
    found(words)
