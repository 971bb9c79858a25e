"""Topics of projects, and the lists of projects by topic."""

import pytest

from tests.harness.cases import Case, Has, cases
from tests.harness.client import Raw


def tag(person, place, *names):
    answer = person.put(f"/projects/{place.id}", topics=",".join(names))
    assert answer.status == 200, answer
    return answer.json["tag_list"]


def named(person, **query):
    return {topic["name"]: topic for topic in person.get("/topics", **query).json}


@pytest.fixture
def sewing(cast):
    """A topic that an administrator made, and which no project has."""
    return cast.root.post("/topics", name="sewing", title="Sewing", description="Needles").json


@cases([
    Case("anonymous", "GET /topics", 200, []),
    Case("anonymous", "GET /topics/7", 404, {"message": "404 Topic Not Found"}),
    Case("anonymous", "POST /topics", 401, params={"name": "x", "title": "X"}),
    Case("owner", "POST /topics", 403, params={"name": "x", "title": "X"}, events=[]),
    Case("root", "POST /topics", 201, Has(name="a b", title="X", total_projects_count=0, organization_id=1,
         avatar_url=None, description=None), {"name": " a  b ", "title": "X"}, events=["topic.created"]),
    Case("root", "POST /topics", 400, {"message": {"name": ["can't be blank"], "title": ["can't be blank"]}},
         {"name": " ", "title": " "}),
    Case("owner", "POST /topics/merge", 403, params={"source_topic_id": 1, "target_topic_id": 2}),
    Case("root", "POST /topics/merge", 404, params={"source_topic_id": 1, "target_topic_id": 2}),
])  # fmt: skip
def test_administrators_write_topics(case, cast):
    case.holds(cast)


def test_a_topic_is_changed_and_removed(cast, sewing):
    one = f"/topics/{sewing['id']}"
    assert cast.anonymous.get(one).json == sewing
    assert cast.root.post("/topics", name="sewing").json == {"message": {"name": ["has already been taken"]}}
    assert cast.root.put(one, title="Sewing by hand").json == sewing | {"title": "Sewing by hand"}
    assert [cast.owner.put(one, title="x").status, cast.owner.delete(one).status] == [403, 403]
    long_ago = Raw(headers={"If-Unmodified-Since": "Mon, 01 Jan 2001 00:00:00 GMT"})
    assert cast.root.delete(one, long_ago).status == 412
    assert [cast.root.delete(one).status, cast.root.delete(one).status] == [204, 404]


def test_setting_a_topic_on_a_project_makes_it(cast, sewing):
    assert tag(cast.owner, cast.public, "sewing", "Wool") == ["Wool", "sewing"]
    tag(cast.owner, cast.internal, "sewing")
    listed = cast.anonymous.get("/topics")
    assert [(topic["name"], topic["total_projects_count"]) for topic in listed.json] == [("sewing", 1), ("Wool", 1)]
    assert (listed.headers["X-Total"], [*named(cast.anonymous, per_page=1, page=2)]) == ("2", ["Wool"])
    assert [*named(cast.anonymous, search="WOOL")] == ["Wool"]
    assert [*named(cast.anonymous, without_projects=True)] == []
    tag(cast.owner, cast.public)
    tag(cast.owner, cast.internal)
    assert [*named(cast.anonymous, without_projects=True)] == ["sewing"]
    assert [*named(cast.root, without_projects=True)] == ["sewing", "Wool"]


def test_private_projects_do_not_decide_which_topics_are_without_projects(cast, sewing):
    tag(cast.owner, cast.private, "sewing")
    people = [cast.anonymous, cast.stranger, cast.guest, cast.root]
    assert [[*named(person, without_projects=True)] for person in people] == [["sewing"], ["sewing"], [], []]


def test_a_topic_of_private_projects_is_known_to_their_members_alone(cast):
    tag(cast.owner, cast.private, "hush")
    topic = named(cast.guest)["hush"]
    assert topic["total_projects_count"] == 0
    for person in (cast.anonymous, cast.stranger):
        assert (named(person), person.get(f"/topics/{topic['id']}").status) == ({}, 404)
        assert person.get("/projects", topic_id=topic["id"]).json == []
    assert [each["id"] for each in cast.guest.get("/projects", topic_id=topic["id"]).json] == [cast.private.id]


def test_the_count_follows_projects(cast, sewing):
    tag(cast.owner, cast.public, "sewing")

    def total():
        return cast.root.get(f"/topics/{sewing['id']}").json["total_projects_count"]

    assert total() == 1
    assert cast.owner.put(f"/projects/{cast.public.id}", visibility="internal").status == 200
    assert total() == 0
    assert cast.owner.put(f"/projects/{cast.public.id}", visibility="public").status == 200
    assert total() == 1
    assert cast.owner.delete(f"/projects/{cast.public.id}").status == 204
    assert total() == 0


def test_lists_of_projects_by_topic(cast, sewing):
    tag(cast.owner, cast.public, "sewing", "wool")
    tag(cast.owner, cast.private, "sewing")

    def found(**query):
        answer = cast.guest.get("/projects", **query)
        assert answer.headers["X-Total"] == str(len(answer.json))
        return {each["id"] for each in answer.json}

    assert found(topic_id=sewing["id"]) == found(topic="sewing") == {cast.public.id, cast.private.id}
    assert found(topic="sewing,wool,sewing") == {cast.public.id}
    assert found(topic="sewing,silk") == found(topic_id=999) == set()
    assert cast.public.id in found(topic="", topic_id="")


def test_a_new_name_a_merge_and_a_removal_change_the_projects(cast, sewing):
    tag(cast.owner, cast.public, "knitting", "sewing", "wool")
    tag(cast.owner, cast.private, "sewing")

    def tags():
        return [cast.root.get(f"/projects/{place.id}").json["tag_list"] for place in (cast.public, cast.private)]

    assert cast.root.put(f"/topics/{sewing['id']}", name="stitching").json["total_projects_count"] == 1
    assert tags() == [["knitting", "stitching", "wool"], ["stitching"]]
    wool = named(cast.root)["wool"]
    assert cast.root.put(f"/topics/{wool['id']}", name="knitting").status == 400
    merged = cast.root.post("/topics/merge", source_topic_id=sewing["id"], target_topic_id=wool["id"])
    assert (merged.status, merged.json["name"], merged.json["total_projects_count"]) == (201, "wool", 1)
    assert tags() == [["knitting", "wool"], ["wool"]]
    assert cast.root.get(f"/topics/{sewing['id']}").status == 404
    same = cast.root.post("/topics/merge", source_topic_id=wool["id"], target_topic_id=wool["id"])
    assert same.status == 400
    assert cast.root.delete(f"/topics/{wool['id']}").status == 204
    assert tags() == [["knitting"], []]


def test_pages_lead_from_a_topic_to_its_projects(browse, cast):
    here = "/explore/projects/topics"
    assert "No project has a topic yet." in browse("anonymous").open(here).text
    tag(cast.owner, cast.public, "C# & <wool>")
    page = browse("anonymous").open(here).text
    address = "/explore/projects?topic=C%23%20%26%20%3Cwool%3E"
    assert ("C# &amp; &lt;wool&gt;</a>" in page, "1 public project" in page, address in page) == (True, True, True)
    assert address in browse("anonymous").open(f"/{cast.public.path}").text
    assert f"/{cast.public.path}" in browse("anonymous").open(address).text
    assert "No public project has this topic." in browse("anonymous").open("/explore/projects?topic=silk").text
    assert "No topics match" in browse("anonymous").open(f"{here}?search=linen").text
