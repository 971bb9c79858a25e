"""Three people do anything in any order; a small model says what each of them sees, and the API says the same."""

from dataclasses import dataclass, field

from hypothesis import settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule, run_state_machine_as_test

PEOPLE = ("developer", "reporter", "guest")
TRIAGE = {"developer", "reporter"}
LABELS = ("bug", "ui", "docs")

people = st.sampled_from(PEOPLE)
numbers = st.integers(1, 7)
labels = st.sets(st.sampled_from(LABELS))
assignees = st.sets(people)


@dataclass
class Issue:
    """What the model knows of an issue."""

    author: str
    title: str
    confidential: bool
    state: str = "opened"
    labels: set[str] = field(default_factory=set)
    assignees: set[str] = field(default_factory=set)
    estimate: int = 0
    spent: int = 0
    gone: bool = False

    def seen_by(self, who):
        return not self.gone and (not self.confidential or who in TRIAGE or self.concerns(who))

    def concerns(self, who):
        return who == self.author or who in self.assignees

    def changed_by(self, who):
        return who in TRIAGE or self.concerns(who)


class Tracker(RuleBasedStateMachine):
    """The API on one side, the model on the other."""

    def __init__(self, cast):
        super().__init__()
        self.cast = cast
        self.path = f"/projects/{cast.private.id}/issues"

    @initialize()
    def begin(self):
        self.cast.root.loop.run_until_complete(self.forget())
        self.issues = {
            self.cast.open: Issue("reporter", "Open", confidential=False),
            self.cast.confidential: Issue("developer", "Confidential", confidential=True),
            self.cast.farewell: Issue("left", "Farewell", confidential=True),
        }

    async def forget(self):
        """Whatever was done before, the project is as it was."""
        await self.cast.database.forget()
        await self.cast.database.begin()

    def ids(self, names):
        return [getattr(self.cast, name).id for name in sorted(names)]

    def expect(self, who, number, otherwise=200):
        """The issue, and the status that its visibility and the right to change it give."""
        issue = self.issues.get(number)
        if issue is None or not issue.seen_by(who):
            return None, 404
        return issue, otherwise if issue.changed_by(who) else 403

    @rule(who=people, confidential=st.booleans(), labels=labels, assignees=assignees)
    def create(self, who, confidential, labels, assignees):
        number = len(self.issues) + 1
        answer = getattr(self.cast, who).post(
            self.path, title=f"Issue {number}", confidential=confidential, labels=",".join(labels),
            assignee_ids=self.ids(assignees),
        )  # fmt: skip
        assert (answer.status, answer.json["iid"]) == (201, number)
        self.issues[number] = Issue(who, f"Issue {number}", confidential)
        if who in TRIAGE:
            self.issues[number].labels, self.issues[number].assignees = labels, assignees

    @rule(who=people, number=numbers, state=st.sampled_from(["close", "reopen"]), confidential=st.booleans())
    def turn(self, who, number, state, confidential):
        issue, status = self.expect(who, number)
        answer = getattr(self.cast, who).put(
            f"{self.path}/{number}", state_event=state, confidential=confidential, title=f"By {who}"
        )
        assert answer.status == status
        if status == 200:
            issue.state = "closed" if state == "close" else "opened"
            issue.confidential, issue.title = confidential, f"By {who}"

    @rule(who=people, number=numbers, labels=labels, assignees=assignees)
    def triage(self, who, number, labels, assignees):
        issue, status = self.expect(who, number)
        answer = getattr(self.cast, who).put(
            f"{self.path}/{number}", labels=",".join(labels), assignee_ids=self.ids(assignees)
        )
        assert answer.status == status
        if status == 200 and who in TRIAGE:
            issue.labels, issue.assignees = labels, assignees

    @rule(who=people, number=numbers, minutes=st.integers(-30, 60).filter(bool))
    def spend(self, who, number, minutes):
        issue, status = self.expect(who, number, 201)
        if status == 201 and issue.spent + minutes * 60 < 0:
            status = 400
        answer = getattr(self.cast, who).post(f"{self.path}/{number}/add_spent_time", duration=f"{minutes}m")
        assert answer.status == status
        if status == 201:
            issue.spent += minutes * 60

    @rule(who=people, number=numbers, hours=st.integers(1, 9))
    def estimate(self, who, number, hours):
        issue, status = self.expect(who, number)
        answer = getattr(self.cast, who).post(f"{self.path}/{number}/time_estimate", duration=f"{hours}h")
        assert answer.status == status
        if status == 200:
            issue.estimate = hours * 3600

    @rule(who=people, number=numbers)
    def delete(self, who, number):
        issue = self.issues.get(number)
        status = 403 if issue is not None and issue.seen_by(who) else 404
        assert getattr(self.cast, who).delete(f"{self.path}/{number}").status == status

    @rule(number=numbers)
    def delete_as_owner(self, number):
        issue = self.issues.get(number)
        there = issue is not None and not issue.gone
        assert self.cast.owner.delete(f"{self.path}/{number}").status == (204 if there else 404)
        if there:
            issue.gone = True

    @invariant()
    def everybody_sees_what_the_model_says(self):
        for who in PEOPLE:
            seen = {number: issue for number, issue in self.issues.items() if issue.seen_by(who)}
            answer = getattr(self.cast, who).get(self.path, per_page=100)
            assert int(answer.headers["X-Total"]) == len(answer.json) == len(seen)
            for shown in answer.json:
                assert self.as_modelled(shown) == seen[shown["iid"]]

    @invariant()
    def totals_of_states_and_labels_agree(self):
        for who in ("developer", "guest"):
            seen = [issue for issue in self.issues.values() if issue.seen_by(who)]
            for state in ("opened", "closed"):
                total = getattr(self.cast, who).get(self.path, state=state, per_page=1).headers["X-Total"]
                assert int(total) == sum(issue.state == state for issue in seen)
            for label in getattr(self.cast, who).get(f"/projects/{self.cast.private.id}/labels").json:
                states = [issue.state for issue in seen if label["name"] in issue.labels]
                assert label["open_issues_count"] == states.count("opened")
                assert label["closed_issues_count"] == states.count("closed")

    def as_modelled(self, shown):
        return Issue(
            shown["author"]["username"], shown["title"], shown["confidential"], shown["state"], set(shown["labels"]),
            {user["username"] for user in shown["assignees"]}, shown["time_stats"]["time_estimate"],
            shown["time_stats"]["total_time_spent"],
        )  # fmt: skip


def test_anything_in_any_order(cast):
    run_state_machine_as_test(
        lambda: Tracker(cast), settings=settings(max_examples=8, stateful_step_count=12, deadline=None)
    )
