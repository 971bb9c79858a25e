"""The index of trigrams leaves nothing out, follows every change, and gives nothing more than looking at each text."""

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from mujina.domains.issues import searching


@pytest.fixture
def found(cast, monkeypatch):
    """iids found through the index, and by looking at every issue: the same."""

    def search(words, who="developer"):
        answers = []
        for few in (-1, 10**9):
            monkeypatch.setattr(searching, "FEW_TO_SEARCH", few)
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


def test_what_is_written_is_found_and_what_is_changed_too(cast, found, write):
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


def test_many_matches_are_paged_along_their_order(cast, found, write, monkeypatch):
    for n in range(6):
        write(f"Parrot {n}", "of the north" if n % 2 else "of the south")
    monkeypatch.setattr(searching, "FEW_TO_SEARCH", -1)
    issues = f"/projects/{cast.private.id}/issues"
    cast.developer.put(f"{issues}/{found('north')[0]}", state_event="close")
    asked = [{}, {"sort": "asc"}, {"order_by": "updated_at"}, {"state": "opened"}, {"author_id": cast.developer.id}]
    sorted_, walked = (
        [
            (answer.headers["X-Total"], [issue["iid"] for issue in answer.json])
            for query in asked
            for page in (1, 2, 7)
            for answer in [cast.developer.get(issues, search="parrot", per_page=1, page=page, **query)]
        ]
        for many in (10**9, -1)
        for _ in [monkeypatch.setattr(searching, "MANY_TO_SORT", many)]
    )
    assert sorted_ == walked
    assert [total for total, _ in sorted_[::3]] == ["6", "6", "6", "5", "6"]


def test_a_filter_that_leaves_little_is_looked_at_first(cast, found, write, monkeypatch):
    iids = [write(f"Parrot {n}") for n in range(3)]
    cast.developer.put(f"/projects/{cast.private.id}/issues/{iids[1]}", labels="blue")
    monkeypatch.setattr(searching, "FEW_TO_SEARCH", -1)
    for many in (-1, 10**9):
        monkeypatch.setattr(searching, "MANY_TO_SORT", many)
        answer = cast.developer.get(f"/projects/{cast.private.id}/issues", search="parrot", labels="blue")
        assert [issue["iid"] for issue in answer.json] == [iids[1]]


def test_signs_and_other_scripts(found, write):
    iid = write('a"b*c (x OR y) NEAR', "ünï Çode 日本語テスト 100%_done\n\nnext line")
    for words in ('a"b*c', '"(x OR y)"', "NEAR", "ÜNÏ", "日本語", "本語テ", "100%_", "next line", '"line"'):
        assert found(words) == [iid], words
    assert found("done next") == [iid]
    for words in ("100%x", "日本話", 'a"c'):
        assert found(words) == [], words


def test_of_very_many_words_the_first_are_enough(found, write):
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
