"""Ranges, authors and trailers of commits, their sequence, contributors and changelogs."""

import pytest

from mujina.code.commits.trailers import trailers_of


@pytest.fixture
def later(code):
    """Two more commits on the default branch, the second with a trailer."""
    first = code.commit(message="Second", a="1").json["id"]
    second = code.commit(message="Add [b]\n\nText\n\nChangelog: added\nCc: ann", b="2", person=code.cast.root)
    return [second.json["id"], first]


def _ids(answer):
    return [commit["id"] for commit in answer.json]


def test_a_range_is_what_the_second_has_and_the_first_lacks(cast, code, later):
    here = f"{code.at}/commits"
    ranged = cast.owner.get(here, ref_name=f"{code.first}..master", per_page=1)
    assert (_ids(ranged), ranged.headers["X-Total"]) == (later[:1], "2")
    assert _ids(cast.owner.get(here, ref_name=f"{code.first}..master", first_parent=True, order="topo")) == later
    assert cast.owner.get(here, ref_name="master..nothing").status == 404
    assert cast.owner.get(here, ref_name="master..master").json == []
    assert cast.owner.get(here, ref_name="--all..master").status == 404


def test_commits_are_found_by_a_part_of_their_author(cast, code, later):
    assert _ids(cast.owner.get(f"{code.at}/commits", author=cast.root.get("/user").json["email"].upper())) == later[:1]
    assert cast.owner.get(f"{code.at}/commits", author=".*").json == []


def test_a_commit_has_its_trailers(cast, code, later):
    shown = cast.owner.get(f"{code.at}/commits/master").json
    assert shown["trailers"] == {"Changelog": "added", "Cc": "ann"}
    assert shown["extended_trailers"] == {"Changelog": ["added"], "Cc": ["ann"]}
    assert cast.owner.get(f"{code.at}/commits/{code.first}").json["trailers"] == {}


@pytest.mark.parametrize(
    ("message", "found"),
    [
        ("Changelog: added", {}),
        ("Title\n\nno: trailer\nbut text", {}),
        ("Title\n\nA-b: 1\nA-b: 2\n", {"A-b": ["1", "2"]}),
        ("Title\n\nLong: one\n  two\n", {"Long": ["one two"]}),
        ("Title\r\n\r\nKey: x\r\n", {"Key": ["x"]}),
        ("Title\n\n" + "a: b\n" * 1_000, {}),
        ("", {}),
    ],
)
def test_trailers_are_the_last_paragraph(message, found):
    assert trailers_of(message) == found


def test_a_commit_is_counted_in_its_history(cast, code, later):
    assert cast.owner.get(f"{code.at}/commits/master/sequence").json == {"count": 3}
    assert cast.owner.get(f"{code.at}/commits/{code.first}/sequence", first_parent=True).json == {"count": 1}
    assert cast.owner.get(f"{code.at}/commits/nothing/sequence").status == 404
    assert cast.stranger.get(f"{code.at}/commits/master/sequence").status == 404


def test_contributors_are_of_a_ref_and_in_an_order(cast, code, later):
    here = f"{code.at}/contributors"
    by_commits = cast.owner.get(here, order_by="commits", sort="desc").json
    assert [each["commits"] for each in by_commits] == [2, 1]
    names = [each["name"] for each in cast.owner.get(here, order_by="name").json]
    assert (len(names), names) == (2, sorted(names))
    assert [each["commits"] for each in cast.owner.get(here, ref=code.first).json] == [1]
    assert cast.owner.get(here, order_by="age").status == 400


def test_a_changelog_lists_commits_by_their_trailer(cast, code, later):
    here = f"{code.at}/changelog"
    unknown = cast.owner.get(here, version="1.1.0")
    assert unknown.status == 422
    cast.owner.post(f"{code.at}/tags", tag_name="v1.0.0", ref=code.first)
    cast.owner.post(f"{code.at}/tags", tag_name="v2.0.0", ref="master")
    path = code.project["path_with_namespace"]
    notes = cast.owner.get(here, version="1.1.0", date="2026-01-31").json["notes"]
    assert notes == f"## 1.1.0 (2026-01-31)\n\n### added (1 change)\n\n- [Add \\[b\\]]({path}@{later[0]})\n"
    other = cast.owner.get(here, version="3.0.0", trailer="Cc", **{"from": code.first}).json["notes"]
    assert "### ann (1 change)" in other
    assert "No changes." in cast.owner.get(here, version="3.0.0").json["notes"]
    assert cast.owner.get(here, version="1.1.0", to="nothing").status == 404
    assert cast.owner.get(here).status == 400
    assert cast.stranger.get(here, version="1.1.0").status == 404
