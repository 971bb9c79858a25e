"""Stored documents in tests: read, and compared with what computing gives, after random changes."""

import random
from contextlib import contextmanager
from typing import Any

from mujina.kernel.db.documents import DocumentWriter, registered
from tests.harness.client import File
from tests.harness.statements import statements

PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108000000003a7e9b550000000a49444154789c63600000000200014821"
    "bc330000000049454e44ae426082"
)
SLOTS = "\x01 \x02 \x03 \x04 \\u0001 é"
"""A text of the characters that documents use for what they leave open."""


KEPT_COUNTS = {
    "issue_documents": {
        "issue_label_counts": (
            "a.label_id, x.project_id, x.state, x.confidential FROM issue_labels a JOIN issues x ON x.id = a.issue_id"
        ),
        "issue_assignee_counts": (
            "a.user_id, x.project_id, x.state, x.confidential FROM issue_assignees a JOIN issues x ON x.id = a.issue_id"
        ),
        "issue_milestone_counts": "x.milestone_id, x.project_id, x.state, x.confidential FROM issues x",
        "issue_author_counts": "x.author_id, x.project_id, x.state, x.confidential FROM issues x",
    },
    "merge_request_documents": {
        "merge_request_label_counts": (
            "a.label_id, x.project_id, x.state FROM merge_request_labels a "
            "JOIN merge_requests x ON x.id = a.merge_request_id"
        ),
    },
}  # fmt: skip
"""Table of documents → the kept counts of labels, people and milestones, and the columns and rows that they count."""


class StoredDocuments:
    """The entities of some lists, read as documents and computed; the first list is that of one project."""

    def __init__(self, table, root, database, lists):
        self.table, self.root, self.database, self.lists = table, root, database, lists
        self.loop = root.loop
        self.writer = DocumentWriter(database)

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
        """The first `most` lists and their single entities, which are read first: that may change what lists show."""
        where, _, _ = self.lists[0].partition("?")
        iids = [entity["iid"] for entity in who.get(self.lists[0]).json[:most]]
        singles = [who.get(f"{where}/{iid}").body for iid in iids]
        return [*(who.get(path).body for path in self.lists[:most]), *singles]

    def check(self, who, most=2, late=0):
        """What was stored before, and what is stored now, is what is computed; `late`: statements for what is left open."""
        before = self.read(who, most)
        self.store()
        with statements(self.database) as used:
            stored = who.get(self.lists[0]).body
        assert stored == before[0]
        assert 2 <= used.count <= 2 + late  # the token, then the page
        self.run(f"UPDATE {self.table} SET body = NULL")
        self.check_counts()
        assert self.read(who, most) == before
        self.store()

    def check_counts(self):
        """The kept counts are what counting gives."""
        for kept, counted in KEPT_COUNTS[self.table].items():
            assert self.counts(kept, counted) == self.counts(kept), kept

    def counts(self, kept, counted=None):
        """The sums of these kept counts, or of what they count."""
        columns, _, rows = (counted or f"x.* FROM {kept} x").partition(" FROM ")
        keys = [column.partition(".")[2] for column in KEPT_COUNTS[self.table][kept].partition(" FROM ")[0].split(", ")]
        listed, number = ", ".join(keys), "count(*)" if counted else "CAST(sum(n) AS bigint)"
        alive = "WHERE x.deleted_at IS NULL" if counted and "issues x" in rows else ""

        async def read():
            async with self.database.transaction() as tx:
                found = await tx.rows(
                    tuple[Any, ...],
                    f"""SELECT {listed}, {number} FROM (SELECT {columns} FROM {rows} {alive}) found
                        WHERE {keys[0]} IS NOT NULL GROUP BY {listed} HAVING {number} <> 0""",
                )
                return sorted(map(tuple, found))

        return self.loop.run_until_complete(read())


@contextmanager
def stored_documents(table, root, database, lists, kind=StoredDocuments):
    """Inside the block, documents of this table are stored by `store` alone."""
    made = kind(table, root, database, lists)
    with registered(made.writer):
        yield made


class RandomChange:
    """Its methods `create…`, `edit…` and `remove…` each make a kind of change, and return the response.

    Those below change what issues and merge requests both show.
    """

    def __init__(self, cast, documents, project, noun, seed):
        self.cast, self.documents, self.random = cast, documents, random.Random(seed)
        self.project, self.noun = f"/projects/{project}", noun
        self.number = 0
        root, places = cast.root, (f"projects/{project}", f"groups/{cast.company.id}")
        self.milestones = [root.post(f"/{at}/milestones", title=f"In {at}").json["id"] for at in places]
        for at in places:
            root.post(f"/{at}/labels", name=f"label of {at.partition('/')[0]}", color="#ff0000")
        self.assignable = [cast.developer.id, cast.reporter.id, cast.guest.id]

    def name(self):
        self.number += 1
        return f"name {self.number} {self.random.choice(['plain', SLOTS, 'ü'])}"

    @property
    def entity(self):
        """The path of one of them."""
        iids = [entity["iid"] for entity in self.cast.root.get(f"{self.project}/{self.noun}").json]
        return f"{self.project}/{self.noun}/{self.random.choice(iids)}"

    def settle(self):
        """Store the documents of everything that was done so far."""
        self.documents.read(self.documents.root)
        self.documents.store()

    def write_as(self, user):
        """Create one as this user."""
        raise NotImplementedError

    def kinds(self):
        """Each kind of change, in a random order."""
        names = [name for name in dir(self) if name.startswith(("create", "edit", "remove"))]
        return self.random.sample(names, len(names))

    def check_each(self, rounds, late=0):
        """Make each kind of change in each round, and compare after every one; each succeeds at least once."""
        statuses = {}
        for kind in [kind for _ in range(rounds) for kind in self.kinds()]:
            statuses.setdefault(kind, set()).add(getattr(self, kind)().status)
            try:
                self.documents.check(self.documents.root, late=late)
            except AssertionError as error:
                raise AssertionError(f"after {kind}") from error
        assert all(each & {200, 201, 202, 204} for each in statuses.values()), statuses

    def edit_labels(self):
        change = self.random.choice([{"labels": ""}, {"labels": "bug,new"}, {"add_labels": "ui"}])
        return self.cast.owner.put(self.entity, **change)

    def edit_assignees(self):
        chosen = self.random.sample(self.assignable, self.random.randrange(3))
        return self.cast.owner.put(self.entity, assignee_ids=chosen or [0])

    def edit_milestone_of_entity(self):
        return self.cast.owner.put(self.entity, milestone_id=self.random.choice([*self.milestones, 0]))

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
        labels = self.cast.root.get(f"{at}/labels").json
        own = [label["name"] for label in labels if label["is_project_label"] == (at == self.project)]
        name = self.random.choice(own) if own else "none"
        return self.cast.root.put(f"{at}/labels", name=name, new_name=f"{self.number} label of {at[1:4]}")

    def edit_user(self):
        self.number += 1
        changes = [{"name": self.name()}, {"username": f"user{self.number}"}, {"avatar": File("é.png", PIXEL)}]
        return self.cast.root.put(f"/users/{self.cast.developer.id}", **self.random.choice(changes))

    def edit_state_of_user(self):
        return self.cast.root.post(f"/users/{self.cast.guest.id}/{self.random.choice(['block', 'unblock'])}")

    def edit_notes(self):
        return self.cast.developer.post(f"{self.entity}/notes", body="a note")

    def edit_times(self):
        verb = self.random.choice(["time_estimate", "add_spent_time", "reset_spent_time", "reset_time_estimate"])
        return self.cast.developer.post(f"{self.entity}/{verb}", duration="3h")

    def edit_subscription(self):
        entity = self.entity
        first, other = (f"{entity}/{verb}" for verb in self.random.sample(["subscribe", "unsubscribe"], 2))
        answer = self.cast.developer.post(first)
        return self.cast.developer.post(other) if answer.status == 304 else answer

    def edit_path(self):
        self.number += 1
        path = self.random.choice([self.project, f"/groups/{self.cast.department.id}"])
        return self.cast.root.put(path, path=f"renamed-{self.number}")

    def remove_entity(self):
        return self.cast.root.delete(self.entity)

    def remove_label(self):
        self.cast.root.put(self.entity, labels="bug,ui,new")
        self.settle()
        return self.cast.root.delete(f"{self.project}/labels", name=self.random.choice(["bug", "ui", "new"]))

    def remove_member(self):
        member = {"user_id": self.cast.stranger.id, "access_level": 30}
        self.cast.root.post(f"{self.project}/members", **member)
        self.cast.root.put(self.entity, assignee_ids=[self.cast.stranger.id])
        self.settle()
        return self.cast.root.delete(f"{self.project}/members/{self.cast.stranger.id}")

    def remove_milestone(self):
        own = f"{self.project}/milestones"
        gone, self.milestones[0] = self.milestones[0], self.cast.root.post(own, title=self.name()).json["id"]
        self.cast.root.put(self.entity, milestone_id=gone)
        self.settle()
        return self.cast.root.delete(f"{own}/{gone}")

    def remove_user(self):
        gone = self.cast.root.post(
            "/users", email=f"{self.number}@example.org", username=f"gone{self.number}", name="Gone", password="x" * 20,
            skip_confirmation=True,
        ).json  # fmt: skip
        self.cast.root.post(f"{self.project}/members", user_id=gone["id"], access_level=30)
        self.cast.root.put(self.entity, assignee_ids=[gone["id"]])
        self.write_as(gone)
        self.settle()
        return self.cast.root.delete(f"/users/{gone['id']}")
