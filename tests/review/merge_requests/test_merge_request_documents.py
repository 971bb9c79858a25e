"""Whatever changes, and in whatever order: the stored document of a merge request is what computing would give."""

import pytest

from tests.harness.stored_documents import SLOTS, RandomChange, stored_documents


@pytest.fixture
def documents(cast, code, database):
    lists = (
        f"{code.requests}?per_page=100",
        "/merge_requests?scope=all&per_page=100&order_by=updated_at",
        f"/groups/{cast.company.id}/merge_requests?per_page=100&order_by=title",
        "/search?scope=merge_requests&search=request",
        f"{code.requests}?per_page=100&with_labels_details=true",
    )
    with stored_documents("merge_request_documents", cast.root, database, lists) as made:
        yield made


class Change(RandomChange):
    """A random change of something that merge requests show."""

    def __init__(self, cast, code, documents, seed):
        super().__init__(cast, documents, code.id, "merge_requests", seed)
        self.code = code
        for _ in range(4):
            self.create()

    @property
    def opened(self):
        """One of those that are open, as the API shows it."""
        return self.random.choice(self.cast.root.get(f"{self.code.requests}?state=opened").json or [self.create().json])

    def path_of(self, request):
        return f"{self.code.requests}/{request['iid']}"

    def branch(self):
        self.number += 1
        name = f"branch{self.number}"
        self.code.branch(name, **{name: "text\n"})
        return name

    def create(self):
        return self.code.open(
            source_branch=self.branch(), title=f"request {self.name()}", description=f"{SLOTS}\n- [x] done\n- [ ] to do",
            labels=f"bug,label of projects,label of groups,{self.number}", assignee_ids=self.assignable[:2],
            reviewer_ids=self.assignable[1:], milestone_id=self.random.choice(self.milestones),
        )  # fmt: skip

    def write_as(self, user):
        return self.cast.root.post(
            f"{self.code.requests}?sudo={user['id']}", title=f"request {self.number}", source_branch=self.branch(),
            target_branch="master",
        )  # fmt: skip

    def edit_columns(self):
        change = self.random.choice(
            [
                {"title": f"Draft: request {self.name()}"},
                {"title": f"request {self.name()}"},
                {"description": f"{self.name()}\n- [x] done"},
                {"discussion_locked": self.random.choice([True, False])},
                {"squash": True},
                {"remove_source_branch": True},
            ]
        )
        return self.cast.owner.put(self.entity, **change)

    def edit_state(self):
        return self.cast.owner.put(self.entity, state_event=self.random.choice(["close", "reopen"]))

    def edit_reviewers(self):
        chosen = self.random.sample(self.assignable, self.random.randrange(3))
        return self.cast.owner.put(self.entity, reviewer_ids=chosen or [0])

    def edit_votes(self):
        awards = f"{self.entity}/award_emoji"
        given = self.cast.master.post(awards, name=self.random.choice(["thumbsup", "thumbsdown"])).json
        self.documents.check(self.cast.root, late=1)
        return self.cast.master.delete(f"{awards}/{given['id']}")

    def edit_discussions(self):
        """Open one where discussions block merging, resolve it, and delete its note."""
        self.cast.root.put(self.project, only_allow_merge_if_all_discussions_are_resolved=True)
        request = self.path_of(self.opened)
        discussion = self.cast.developer.post(f"{request}/discussions", body="why?").json
        here = f"{request}/discussions/{discussion['id']}"
        for resolved in (True, False):
            self.documents.check(self.cast.root, late=1)
            assert self.cast.developer.put(here, resolved=resolved).status == 200
        self.documents.check(self.cast.root, late=1)
        return self.cast.developer.delete(f"{here}/notes/{discussion['notes'][0]['id']}")

    def edit_settings(self):
        change = self.random.choice(
            [
                {"merge_method": self.random.choice(["merge", "rebase_merge", "ff"])},
                {"only_allow_merge_if_all_discussions_are_resolved": self.random.choice([True, False])},
                {"only_allow_merge_if_pipeline_succeeds": self.random.choice([True, False])},
            ]
        )
        return self.cast.root.put(self.project, **change)

    def edit_approvals(self):
        """Ask for some, give one, take it back; then the one who could approve may no longer."""
        root, request = self.cast.root, self.path_of(self.opened)
        root.post(f"{self.project}/approvals", approvals_before_merge=self.random.choice([1, 2]))
        self.documents.check(root, late=1)
        assert self.cast.master.post(f"{request}/approve").status == 201
        self.documents.check(root, late=1)
        assert self.cast.master.post(f"{request}/unapprove").status == 201
        for level in (10, 40):
            self.documents.check(root, late=1)
            changed = root.put(f"{self.project}/members/{self.cast.master.id}", access_level=level)
        root.post(f"{self.project}/approvals", approvals_before_merge=self.random.choice([0, 1]))
        return changed

    def edit_pipeline(self):
        """A status where merging demands success."""
        request = self.opened
        self.cast.root.put(self.project, only_allow_merge_if_pipeline_succeeds=True)
        status = f"{self.project}/statuses/{request['sha']}"
        for state in ("running", "failed"):
            self.documents.check(self.cast.root, late=1)
            assert self.cast.developer.post(status, state=state, ref=request["source_branch"]).status == 201
        self.documents.check(self.cast.root, late=1)
        return self.cast.developer.post(status, state="success", ref=request["source_branch"])

    def unblock(self):
        """A new request that nothing keeps from being merged."""
        self.cast.root.put(
            self.project, only_allow_merge_if_all_discussions_are_resolved=False, merge_method="merge",
            only_allow_merge_if_pipeline_succeeds=False,
        )  # fmt: skip
        self.cast.root.post(f"{self.project}/approvals", approvals_before_merge=0)
        return self.create().json

    def edit_automatic_merge(self):
        request = self.unblock()
        status = f"{self.project}/statuses/{request['sha']}"
        self.cast.developer.post(status, state="running", ref=request["source_branch"])
        return self.cast.master.put(f"{self.path_of(request)}/merge", merge_when_pipeline_succeeds=True)

    def edit_source(self):
        self.number += 1
        self.code.commit(self.opened["source_branch"], **{f"more{self.number}": "text\n"})
        return self.cast.root.get(self.code.requests)

    def edit_target(self):
        """A commit that conflicts with one of them."""
        branch = self.opened["source_branch"]
        if self.cast.owner.get(f"{self.project}/repository/files/{branch}?ref=master").status == 404:
            self.code.commit("master", **{branch: "another text\n"})
        return self.cast.root.get(self.code.requests)

    def edit_merge(self):
        return self.cast.master.put(f"{self.path_of(self.unblock())}/merge")

    def remove_fork(self):
        fork = self.cast.stranger.post(
            f"{self.project}/fork", path=f"fork{self.number}", name=f"fork{self.number}"
        ).json
        self.cast.stranger.post(
            f"/projects/{fork['id']}/repository/commits", branch="from-fork", start_branch="master", commit_message="x",
            actions=[{"action": "create", "file_path": f"fork{self.number}", "content": "text"}],
        )  # fmt: skip
        made = self.cast.stranger.post(
            f"/projects/{fork['id']}/merge_requests", title="request of a fork", source_branch="from-fork",
            target_branch="master", target_project_id=self.code.id,
        )  # fmt: skip
        assert made.status == 201, made
        self.settle()
        return self.cast.stranger.delete(f"/projects/{fork['id']}")


@pytest.mark.long(10)
@pytest.mark.commits
def test_after_any_change_documents_are_what_computing_gives(cast, code, documents):
    change = Change(cast, code, documents, seed=7)
    documents.check(cast.root, most=5)
    change.check_each(rounds=1, late=1)
    documents.check(cast.developer, most=5, late=1)
