"""Whatever changes, and in whatever order: a stored document is what computing would give."""

import asyncio

import pytest
from msgspec import structs

from mujina.kernel.db.documents import DELAY_SECONDS, DocumentSource
from mujina.planning.issues.entities import DOCUMENTS
from tests.harness.statements import statements
from tests.harness.stored_documents import SLOTS, RandomChange, stored_documents


@pytest.fixture
def documents(cast, database):
    lists = (
        f"/projects/{cast.private.id}/issues?scope=all&per_page=100",
        "/issues?scope=all&per_page=100&order_by=updated_at",
        f"/groups/{cast.company.id}/issues?scope=all&per_page=100",
        "/search?scope=issues&search=issue",
    )
    with stored_documents("issue_documents", cast.root, database, lists) as made:
        yield made


class Change(RandomChange):
    """A random change of something that issues show."""

    def __init__(self, cast, documents, seed):
        super().__init__(cast, documents, cast.private.id, "issues", seed)
        for _ in range(4):
            self.create()

    def create(self):
        return self.cast.developer.post(
            f"{self.project}/issues", title=f"issue {self.name()}", description=SLOTS, weight=3,
            labels=f"bug,label of projects,label of groups,{self.number}", assignee_ids=self.assignable[:2],
            milestone_id=self.random.choice(self.milestones), due_date="2020-01-01",
        )  # fmt: skip

    def write_as(self, user):
        return self.cast.root.post(f"{self.project}/issues?sudo={user['id']}", title=f"issue {self.number}")

    def edit_columns(self):
        change = self.random.choice(
            [
                {"title": f"issue {self.name()}"},
                {"description": self.name()},
                {"state_event": self.random.choice(["close", "reopen"])},
                {"confidential": self.random.choice([True, False])},
                {"discussion_locked": self.random.choice([True, False])},
                {"due_date": "2021-02-03"},
                {"weight": self.random.randrange(9)},
            ]
        )
        return self.cast.owner.put(self.entity, **change)

    def edit_move(self):
        return self.cast.root.post(f"{self.entity}/move", to_project_id=self.cast.internal.id)


@pytest.mark.commits
def test_after_any_change_documents_are_what_computing_gives(cast, documents):
    change = Change(cast, documents, seed=14)
    documents.check(cast.root, most=4)
    change.check_each(rounds=2)
    documents.check(cast.developer, most=4)


@pytest.mark.commits
def test_changes_at_once_leave_no_outdated_document(cast, documents):
    change = Change(cast, documents, seed=3)
    issues, root = f"/projects/{cast.private.id}/issues", cast.root
    iids = [issue["iid"] for issue in root.get(issues).json]
    users = [cast.developer.id, cast.reporter.id]

    async def changes(n):
        iid = iids[n % len(iids)]
        await root.exchange("PUT", f"{issues}/{iid}", params={"title": f"issue {n}", "labels": f"bug,{n % 3}"})
        await root.exchange("PUT", f"{issues}/{iid}", params={"assignee_ids": [users[n % 2]]})
        await root.exchange("PUT", f"/users/{users[n % 2]}", params={"name": f"name {n}"})
        await root.exchange(
            "PUT", f"/projects/{cast.private.id}/milestones/{change.milestones[0]}", params={"title": f"{n}"}
        )
        await root.exchange("DELETE", f"/projects/{cast.private.id}/labels", params={"name": f"{n % 3}"})
        return await root.exchange("POST", f"{issues}/{iid}/notes", params={"body": "a note"})

    async def reads(n):
        for path in documents.lists[:2]:
            await root.exchange("GET", path)
        await root.exchange("GET", f"{issues}/{iids[n % len(iids)]}")
        await documents.writer.flush()

    async def at_once():
        for start in range(0, 24, 8):
            await asyncio.gather(*(each(n) for n in range(start, start + 8) for each in (changes, reads)))

    documents.loop.run_until_complete(at_once())
    documents.check(root, most=4)
    documents.check_counts()


@pytest.mark.commits
def test_documents_are_those_of_the_edition_and_of_the_address(cast, documents, set_edition):
    Change(cast, documents, seed=1)
    documents.check(cast.root)
    set_edition("core")
    documents.check(cast.root)
    assert "weight" not in cast.root.get(documents.lists[0]).json[0]
    set_edition("ultimate")
    documents.check(cast.root)
    assert "weight" in cast.root.get(documents.lists[0]).json[0]


@pytest.mark.commits
def test_a_document_that_was_read_before_a_change_is_not_stored_after_it(cast, database, documents):
    path = f"/projects/{cast.private.id}/issues/{cast.open}"
    cast.root.get(path)
    cast.root.put(path, title="changed")
    documents.store()
    with statements(database) as used:
        assert cast.root.get(path).json["title"] == "changed"
    assert used.count == 4
    documents.store()
    with statements(database) as used:
        assert cast.root.get(path).json["title"] == "changed"
    assert used.count == 2


def test_a_writer_that_is_stopped_while_it_stores_ends(documents):
    async def story():
        running = asyncio.create_task(documents.writer.run())
        documents.writer.put(DOCUMENTS, {**structs.asdict(DocumentSource(1, 0, 0, 0)), "shape": 0, "body": "{}"})
        await asyncio.sleep(DELAY_SECONDS / 2)
        documents.writer.stop()
        await asyncio.wait_for(running, 60)

    documents.loop.run_until_complete(story())
