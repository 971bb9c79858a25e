"""Far pages of a project's issues, and lists of one label: whatever changed, they are those of a walk from the start."""

import asyncio
from random import Random

import pytest

from mujina.kernel.http import paging

SIZE = 4
TWINS = """
    WITH RECURSIVE numbers(n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < 24)
    INSERT INTO issues (project_id, iid, title, title_folded, description_folded, author_id, state, confidential, created_at,
        updated_at)
    SELECT :project, 1000 + n, 'twin', '', '', CASE WHEN n % 4 = 0 THEN :guest ELSE :developer END,
        CASE WHEN n % 3 = 0 THEN 'closed' ELSE 'opened' END, n % 5 = 0,
        '2001-01-' || CAST(10 + n / 2 AS text) || 'T00:00:00.000Z', '2001-01-01T00:00:00.000Z' FROM numbers"""
"""Issues in pairs that were created at the same time."""

LABELS = """
    INSERT INTO labels (project_id, group_id, title, title_folded, color, created_at, updated_at)
    SELECT CAST(CASE WHEN named.shared THEN NULL ELSE :project END AS bigint),
        CAST(CASE WHEN named.shared THEN :group END AS bigint), named.title, named.title, '#ff0000', '', ''
    FROM (SELECT 'most' AS title, FALSE AS shared UNION ALL SELECT 'few', TRUE UNION ALL SELECT 'both', FALSE
          UNION ALL SELECT 'both', TRUE) named"""
LABELED = """
    INSERT INTO issue_labels (issue_id, label_id) SELECT i.id, l.id FROM issues i CROSS JOIN labels l
    WHERE i.project_id = :project AND i.title = 'twin' AND (l.title = 'most' AND i.iid % 6 <> 0
        OR l.title = 'few' AND i.iid % 11 = 0 OR l.title = 'both' AND (l.group_id IS NULL OR i.iid % 2 = 0))"""
"""Labels that most issues have, few of them, and two with one title, of which some have both."""


class Project:
    """A project of which every page is far, and random changes to its issues."""

    def __init__(self, cast, seed):
        self.cast, self.random = cast, Random(seed)
        self.loop = cast.root.loop
        self.path = f"/projects/{cast.public.id}/issues"
        self.readers = (cast.reporter, cast.guest, cast.left)
        self.changes = [
            self.create, self.create, self.create_then, self.redate, self.hide, self.close, self.reopen, self.assign, self.delete,
            self.move_here, self.move_away, self.promote, self.relabel, self.relabel,
        ]  # fmt: skip
        self.fill()

    def fill(self):
        public, company = self.cast.public.id, self.cast.company.id
        self.cast.run(TWINS, project=public, guest=self.cast.guest.id, developer=self.cast.developer.id)
        self.cast.run(LABELS, project=public, group=company)
        self.cast.run(LABELED, project=public)

    def any(self, *, confidential=False):
        issues = self.cast.root.get(self.path, per_page=100).json
        return f"{self.path}/{self.random.choice([i for i in issues if i['confidential'] or not confidential])['iid']}"

    def check(self, lists, pages=(4, 3)):
        for who, query in lists:
            whole = who.get(self.path, per_page=100, **query)
            ids = [issue["id"] for issue in whole.json]
            for number in pages:
                told = who.get(self.path, per_page=SIZE, page=number, **query)
                assert [issue["id"] for issue in told.json] == ids[(number - 1) * SIZE : number * SIZE], (
                    who.name,
                    query,
                )
                assert int(told.headers["X-Total"]) == len(ids)

    def check_labels(self, reader):
        """Lists of one label are what the whole list shows of it, in any order, state and page."""
        sorting = {"order_by": self.random.choice(["created_at", "updated_at", "title"]), "sort": "asc"}
        state = self.random.choice([{}, {"state": "opened"}, {"state": "closed"}])
        whole = reader.get(self.path, per_page=100, **sorting, **state).json
        for title in ("most", "few", "both", "missing"):
            ids = [issue["id"] for issue in whole if title in issue["labels"]]
            query = {"labels": title, "per_page": SIZE, **sorting, **state}
            for number in (1, self.random.choice([2, 3, 5])):
                told = reader.get(self.path, page=number, **query)
                assert [issue["id"] for issue in told.json] == ids[(number - 1) * SIZE : number * SIZE], query
                assert int(told.headers["X-Total"]) == len(ids), query

    def some_lists(self):
        """One of each reader."""
        states, sorts = ["all", "all", "opened", "closed"], ["desc", "desc", "asc"]
        return [(who, {"state": self.random.choice(states), "sort": self.random.choice(sorts)}) for who in self.readers]

    def create(self):
        who = self.random.choice([self.cast.reporter, self.cast.guest])
        return "POST", who, self.path, {"title": "new", "confidential": self.random.random() < 0.3}

    def create_then(self):
        """At a given time, which others have as well; sometimes one that is to come."""
        day = self.random.choice(["2001-01-12", "2001-01-15", "2001-01-22", "1999-01-01", "2101-01-01"])
        return "POST", self.cast.owner, self.path, {"title": "then", "created_at": f"{day}T00:00:00Z"}

    def redate(self):
        day = self.random.choice(["2001-01-11", "2001-01-16", "1998-01-01", "2102-01-01"])
        return "PUT", self.cast.owner, self.any(), {"created_at": f"{day}T00:00:00Z"}

    def hide(self):
        return "PUT", self.cast.owner, self.any(), {"confidential": self.random.choice([True, False])}

    def close(self):
        return "PUT", self.cast.owner, self.any(), {"state_event": "close"}

    def reopen(self):
        return "PUT", self.cast.owner, self.any(), {"state_event": "reopen"}

    def assign(self):
        people = [self.cast.guest.id, self.cast.left.id]
        return "PUT", self.cast.owner, self.any(confidential=True), {"assignee_ids": [self.random.choice(people)]}

    def relabel(self):
        change = self.random.choice([{"labels": ""}, {"labels": "most,both"}, {"add_labels": "few"}])
        return "PUT", self.cast.owner, self.any(), change

    def delete(self):
        return "DELETE", self.cast.owner, self.any(), {}

    def move_here(self):
        there = f"/projects/{self.cast.internal.id}/issues"
        old = self.cast.owner.post(there, title="moved", created_at="2001-01-17T00:00:00Z").json["iid"]
        return "POST", self.cast.owner, f"{there}/{old}/move", {"to_project_id": self.cast.public.id}

    def move_away(self):
        return "POST", self.cast.owner, f"{self.any()}/move", {"to_project_id": self.cast.internal.id}

    def promote(self):
        member = f"/projects/{self.cast.public.id}/members/{self.cast.guest.id}"
        return "PUT", self.cast.owner, member, {"access_level": self.random.choice([10, 20])}


@pytest.fixture
def project(cast, monkeypatch):
    monkeypatch.setattr(paging, "_FAR", 0)
    return Project(cast, seed=7)


@pytest.mark.commits
def test_after_any_change_far_pages_are_those_that_a_walk_reaches(project, thorough):
    for change in project.changes * (4 if thorough else 1):
        lists, (verb, who, path, params) = project.some_lists(), change()
        assert who.ask(verb, path, params=params).status in (200, 201, 204, 400), (
            verb,
            path,
            params,
        )  # 400: moved already
        project.check(lists)
        project.check_labels(project.random.choice(project.readers))
    lists = project.some_lists()
    assert project.cast.root.delete(f"/users/{project.cast.developer.id}", hard_delete=True).status == 204
    project.check(lists)
    project.check_labels(project.cast.guest)


@pytest.mark.commits
def test_after_changes_at_once_far_pages_are_those_that_a_walk_reaches(project, thorough):
    lists = [(who, {"sort": sort}) for who in project.readers for sort in ("desc", "asc")]

    async def read(who, query):
        for number in (3, 4, 5):
            await who.exchange("GET", project.path, params={"per_page": SIZE, "page": number, **query})

    async def at_once(changes):
        changed = [who.exchange(verb, path, params=params) for verb, who, path, params in changes]
        await asyncio.gather(*(read(*each) for each in lists), *changed)

    for _ in range(4 if thorough else 2):
        chosen = [project.create, project.create_then, *project.random.choices(project.changes, k=6)]
        project.loop.run_until_complete(at_once([change() for change in chosen]))
        project.check(lists)
