"""A list of releases is read as stored documents; whatever changes, it shows what computing would give."""

from itertools import pairwise

import pytest

from tests.harness.statements import statements
from tests.harness.stored_documents import SLOTS, StoredDocuments, stored_documents

LINK = {"name": "tool", "url": "https://files.example.org/tool"}


class ReleaseDocuments(StoredDocuments):
    def read(self, who, most=2):
        return [who.get(path).body for path in self.lists[:most]]

    def check_list(self, who, late=0, most=2):
        before = self.read(who, most)
        self.store()
        with statements(self.database) as used:
            stored = self.read(who, 1)
        assert used.count <= 3 + late  # the token, the project, the page
        assert self.read(who, most) == before
        self.run("UPDATE release_documents SET body = NULL")
        assert self.read(who, most) == before
        self.store()
        return stored


@pytest.fixture
def documents(cast, database, here):
    lists = (f"{here}/releases", f"/groups/{cast.company.id}/releases")
    with stored_documents("release_documents", cast.root, database, lists, ReleaseDocuments) as made:
        yield made


def change_each(cast, here):
    """Change everything that a release shows, one after the other."""
    developer, root, v1 = cast.developer, cast.root, f"{here}/releases/v1"
    yield developer.post(f"{here}/releases", tag_name="v1", ref="master", description=SLOTS)
    yield developer.put(v1, name="First", description="Other notes")
    yield developer.post(f"{v1}/assets/links", **LINK)
    link = developer.get(f"{v1}/assets/links").json[0]["id"]
    yield developer.put(f"{v1}/assets/links/{link}", name="other")
    yield developer.delete(f"{v1}/assets/links/{link}")
    milestone = developer.post(f"{here}/milestones", title="One").json["id"]
    yield developer.put(v1, milestones=["One"])
    yield developer.put(f"{here}/milestones/{milestone}", title="Two")
    yield developer.post(f"{here}/issues", title="An issue", milestone_id=milestone)
    yield developer.delete(f"{here}/milestones/{milestone}")
    yield root.put(f"/users/{cast.developer.id}", name="Another name")
    yield root.put(here, path="renamed")
    yield developer.put(v1, released_at="2999-01-01T00:00:00Z")
    yield developer.put(v1, released_at="2018-01-01T00:00:00Z")
    yield developer.post(f"{here}/releases", tag_name="v2", ref="master")
    yield developer.delete(v1)


@pytest.mark.commits
def test_after_any_change_documents_are_what_computing_gives(cast, documents, here):
    shown = []
    for answer in change_each(cast, here):
        assert answer.status in (200, 201, 204), answer
        shown += documents.check_list(cast.reporter, late=2)
    assert all(before != after for before, after in pairwise(shown))


@pytest.mark.commits
def test_documents_leave_open_what_the_reader_decides(cast, documents, here):
    developer, releases = cast.developer, f"{here}/releases"
    milestone = developer.post(f"{here}/milestones", title="One").json["id"]
    developer.post(f"{here}/issues", title="Hidden", milestone_id=milestone, confidential=True)
    developer.post(releases, tag_name="v1", ref="master", milestones=["One"])
    documents.check_list(developer, late=2)
    assert developer.get(releases).json[0]["milestones"][0]["issue_stats"] == {"total": 1, "closed": 0}
    guest = cast.guest.get(releases).json[0]
    assert "tag_name" not in guest
    assert guest["milestones"][0]["issue_stats"] == {"total": 0, "closed": 0}
