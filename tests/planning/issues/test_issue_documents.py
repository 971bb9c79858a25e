"""Whatever changes, and in whatever order: a stored document is what computing would give."""

import asyncio
import random

import pytest
from msgspec import structs

from mujina.kernel.documents import DELAY_SECONDS, DocumentSource, DocumentWriter, registered
from mujina.planning.issues.documents import DOCUMENTS
from tests.harness.client import File
from tests.harness.statements import statements

PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108000000003a7e9b550000000a49444154789c63600000000200014821"
    "bc330000000049454e44ae426082"
)
SLOTS = "\x01 \x02 \x03 \\u0001 é"
"""A text of the characters that documents use for what they leave open."""


class Documents:
    """The issues of the cast, read as documents and computed."""

    def __init__(self, cast, database):
        self.cast, self.database = cast, database
        self.loop = cast.root.loop
        self.writer = DocumentWriter(database)
        self.lists = (
            f"/projects/{cast.private.id}/issues?scope=all&per_page=100",
            "/issues?scope=all&per_page=100&order_by=updated_at",
            f"/groups/{cast.company.id}/issues?scope=all&per_page=100",
            "/search?scope=issues&search=issue",
        )

    def run(self, sql):
        async def write():
            async with self.database.transaction() as tx:
                await tx.run(sql)

        self.loop.run_until_complete(write())

    def store(self):
        """Store what readers computed."""
        while self.writer._waiting:
            self.loop.run_until_complete(self.writer.flush())

    def read(self, who, most=2):
        """So many of the lists and of the single issues."""
        lists = [who.get(path) for path in self.lists[:most]]
        iids = [issue["iid"] for issue in lists[0].json[:most]]
        singles = [who.get(f"/projects/{self.cast.private.id}/issues/{iid}") for iid in iids]
        return [answer.body for answer in (*lists, *singles)]

    def check(self, who, most=2):
        """What was stored before, and what is stored now, is what is computed."""
        before = self.read(who, most)
        self.store()
        with statements(self.database) as used:
            stored = who.get(self.lists[0]).body
        assert (stored, used.count) == (before[0], 2)  # the token, then the page
        self.run("UPDATE issue_documents SET body = NULL")
        assert self.read(who, most) == before
        self.store()


@pytest.fixture
def documents(cast, database):
    made = Documents(cast, database)
    with registered(made.writer):
        yield made


class Change:
    """A random change of something that issues show."""

    def __init__(self, documents, seed):
        self.documents, self.cast, self.random = documents, documents.cast, random.Random(seed)
        self.number = 0
        cast = self.cast
        root, project, group = cast.root, cast.private.id, cast.company.id
        self.milestones = [
            root.post(f"/{at}/milestones", title=f"In {at}").json["id"]
            for at in (f"projects/{project}", f"groups/{group}")
        ]
        for at in (f"projects/{project}", f"groups/{group}"):
            root.post(f"/{at}/labels", name=f"label of {at.partition('/')[0]}", color="#ff0000")
        self.assignable = [cast.developer.id, cast.reporter.id, cast.guest.id]
        for _ in range(4):
            self.create()

    @property
    def project(self):
        return f"/projects/{self.cast.private.id}"

    @property
    def issue(self):
        iids = [issue["iid"] for issue in self.cast.root.get(f"{self.project}/issues").json]
        return f"{self.project}/issues/{self.random.choice(iids)}"

    def settle(self):
        """Store the documents of everything that was done so far."""
        self.documents.read(self.cast.root)
        self.documents.store()

    def name(self):
        self.number += 1
        return f"name {self.number} {self.random.choice(['plain', SLOTS, 'ü'])}"

    def kinds(self):
        """Each kind of change, in a random order."""
        names = [name for name in vars(Change) if name.startswith(("create", "edit", "remove"))]
        return self.random.sample(names, len(names))

    def create(self):
        return self.cast.developer.post(
            f"{self.project}/issues", title=f"issue {self.name()}", description=SLOTS, weight=3,
            labels=f"bug,label of projects,label of groups,{self.number}", assignee_ids=self.assignable[:2],
            milestone_id=self.random.choice(self.milestones), due_date="2020-01-01",
        )  # fmt: skip

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
        return self.cast.owner.put(self.issue, **change)

    def edit_labels(self):
        change = self.random.choice([{"labels": ""}, {"labels": "bug,new"}, {"add_labels": "ui"}])
        return self.cast.owner.put(self.issue, **change)

    def edit_assignees(self):
        chosen = self.random.sample(self.assignable, self.random.randrange(3))
        return self.cast.owner.put(self.issue, assignee_ids=chosen or [0])

    def edit_milestone_of_issue(self):
        return self.cast.owner.put(self.issue, milestone_id=self.random.choice([*self.milestones, 0]))

    def edit_milestone(self):
        own, shared = self.milestones
        path = self.random.choice(
            [f"{self.project}/milestones/{own}", f"/groups/{self.cast.company.id}/milestones/{shared}"]
        )
        change = self.random.choice(
            [{"title": self.name()}, {"due_date": "2030-01-01"}, {"state_event": "close"}, {"state_event": "activate"}]
        )
        return self.cast.root.put(path, **change)

    def edit_label(self):
        at = self.random.choice([self.project, f"/groups/{self.cast.company.id}"])
        labels = [label for label in self.cast.root.get(f"{at}/labels").json if label.get("is_project_label", True)]
        name = self.random.choice(labels)["name"] if labels else "none"
        return self.cast.root.put(f"{at}/labels", name=name, new_name=f"{self.number} label of {at[1:4]}")

    def edit_user(self):
        self.number += 1
        changes = [{"name": self.name()}, {"username": f"user{self.number}"}, {"avatar": File("é.png", PIXEL)}]
        return self.cast.root.put(f"/users/{self.cast.developer.id}", **self.random.choice(changes))

    def edit_state_of_user(self):
        return self.cast.root.post(f"/users/{self.cast.guest.id}/{self.random.choice(['block', 'unblock'])}")

    def edit_notes(self):
        return self.cast.developer.post(f"{self.issue}/notes", body="a note")

    def edit_times(self):
        verb = self.random.choice(["time_estimate", "add_spent_time", "reset_spent_time", "reset_time_estimate"])
        return self.cast.developer.post(f"{self.issue}/{verb}", duration="3h")

    def edit_subscription(self):
        return self.cast.developer.post(f"{self.issue}/{self.random.choice(['subscribe', 'unsubscribe'])}")

    def edit_path(self):
        self.number += 1
        path = self.random.choice([f"/projects/{self.cast.private.id}", f"/groups/{self.cast.department.id}"])
        return self.cast.root.put(path, path=f"renamed-{self.number}")

    def remove_issue(self):
        return self.cast.root.delete(self.issue)

    def remove_label(self):
        self.cast.root.put(self.issue, labels="bug,ui,new")
        self.settle()
        return self.cast.root.delete(f"{self.project}/labels", name=self.random.choice(["bug", "ui", "new"]))

    def remove_member(self):
        member = {"user_id": self.cast.stranger.id, "access_level": 30}
        self.cast.root.post(f"{self.project}/members", **member)
        self.cast.root.put(self.issue, assignee_ids=[self.cast.stranger.id])
        self.settle()
        return self.cast.root.delete(f"{self.project}/members/{self.cast.stranger.id}")

    def remove_milestone(self):
        own = f"{self.project}/milestones"
        gone, self.milestones[0] = self.milestones[0], self.cast.root.post(own, title=self.name()).json["id"]
        self.cast.root.put(self.issue, milestone_id=gone)
        self.settle()
        return self.cast.root.delete(f"{own}/{gone}")

    def remove_user(self):
        gone = self.cast.root.post(
            "/users", email=f"{self.number}@example.org", username=f"gone{self.number}", name="Gone", password="x" * 20,
            skip_confirmation=True,
        ).json  # fmt: skip
        self.cast.root.post(f"{self.project}/members", user_id=gone["id"], access_level=30)
        self.cast.root.put(self.issue, assignee_ids=[gone["id"]])
        self.cast.root.post(f"{self.project}/issues?sudo={gone['id']}", title=f"issue {self.number}")
        self.settle()
        return self.cast.root.delete(f"/users/{gone['id']}")

    def edit_move(self):
        return self.cast.root.post(f"{self.issue}/move", to_project_id=self.cast.internal.id)


@pytest.mark.commits
def test_after_any_change_documents_are_what_computing_gives(cast, documents):
    change = Change(documents, seed=14)
    documents.check(cast.root, most=4)
    statuses = {}
    for kind in [kind for _ in range(2) for kind in change.kinds()]:
        statuses.setdefault(kind, set()).add(getattr(change, kind)().status)
        try:
            documents.check(cast.root)
        except AssertionError as error:
            raise AssertionError(f"after {kind}") from error
    assert all(each & {200, 201, 202, 204} for each in statuses.values()), statuses
    documents.check(cast.developer, most=4)


@pytest.mark.commits
def test_changes_at_once_leave_no_outdated_document(cast, documents):
    change = Change(documents, seed=3)
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


@pytest.mark.commits
def test_documents_are_those_of_the_edition_and_of_the_address(cast, documents, set_edition):
    Change(documents, seed=1)
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
        await asyncio.wait_for(running, 5)

    documents.loop.run_until_complete(story())
