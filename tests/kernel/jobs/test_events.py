"""What happened is stored with the change, and so is what follows from it; or neither is."""

import json
from collections.abc import Callable

import pytest

from mujina.kernel.db.transaction import Tx
from mujina.kernel.events import REACTIONS, EnqueueJob, Event, Reactions, When, consequences_of, record
from mujina.kernel.permissions.actor import SYSTEM, Actor
from mujina.kernel.product import Chapter, Product
from mujina.product import PRODUCT
from tests.kernel.jobs.watching import jobs

ADA = Actor(id=7, username="ada")


@pytest.fixture
def follow(services) -> Callable[[Reactions], None]:
    """For this test, these consequences follow."""

    def compose(reactions: Reactions) -> None:
        services.database.product = Product([Chapter("tests.kernel.jobs", REACTIONS.of(reactions))])

    return compose


def test_an_event_tells_who_did_what_to_which_thing(services, tell, follow):
    async def story():
        follow({})
        async with services.database.transaction() as tx:
            await record(
                tx, "issue.updated", ADA, subject_id=5, project_id=3, confidential=True,
                changes={"title": ("old", "new")},
            )  # fmt: skip
            await record(tx, "group.created", SYSTEM, subject_id=9, group_id=9)
        async with services.database.reading() as tx:
            updated, created = await tx.rows(
                tuple[str, int | None, int | None, int | None, str, int, str, bool],
                """
                SELECT kind, actor_id, project_id, group_id, subject_kind, subject_id, changes, confidential
                FROM events ORDER BY id
                """,
            )
        assert updated[:6] == ("issue.updated", 7, 3, None, "issue", 5)
        assert json.loads(updated[6]) == {"title": ["old", "new"]}
        assert updated[7] is True
        assert created == ("group.created", None, None, 9, "group", 9, "{}", False)

    tell(story())


def test_consequences_follow_in_their_order_and_in_the_transaction_of_the_change(services, tell, follow):
    async def story():
        seen: list[tuple[str, int]] = []

        async def write_a_note(tx: Tx, event: Event) -> None:
            seen.append(("note", await tx.value("SELECT count(*) FROM events WHERE id = :id", id=event.id)))

        async def count(_tx: Tx, event: Event) -> None:
            seen.append(("count", event.subject_id))

        follow({"issue.closed": [write_a_note, count], "issue.reopened": [count]})
        async with services.database.transaction() as tx:
            await record(tx, "issue.closed", ADA, subject_id=5)
        assert seen == [("note", 1), ("count", 5)]

    tell(story())


def test_a_consequence_with_a_condition_follows_in_its_place_if_the_condition_holds(services, tell, follow):
    async def story():
        seen: list[str] = []

        def see(name: str):
            async def reaction(_tx: Tx, _event: Event) -> None:
                seen.append(name)

            return reaction

        by_ada = When(":actor_id = 7 AND :noun = 'issue' AND :subject_id = 5", see("by Ada"))
        urgent = When(":priority = 'high'", see("urgent"), ("priority",))
        follow({"issue.closed": [see("first"), by_ada, urgent, see("last")]})
        async with services.database.transaction() as tx:
            await record(tx, "issue.closed", ADA, subject_id=5, changes={"priority": "low"})
            await record(tx, "issue.closed", Actor(id=8, username="bob"), subject_id=5, changes={"priority": "high"})
        assert seen == ["first", "by Ada", "last", "first", "urgent", "last"]

    tell(story())


def test_a_consequence_for_later_is_a_job_for_the_subject(services, tell, follow):
    async def story():
        follow({"project.deleted": [EnqueueJob("projects.remove")]})
        async with services.database.transaction() as tx:
            await record(tx, "project.deleted", ADA, subject_id=5)
        [job] = (await jobs(services)).values()
        assert (job.task, job.key) == ("projects.remove", "5")

    tell(story())


def test_when_a_consequence_fails_nothing_has_happened(services, tell, follow):
    async def story():
        async def fail(_tx: Tx, _event: Event) -> None:
            raise ZeroDivisionError

        follow({"project.deleted": [EnqueueJob("projects.remove"), fail]})
        with pytest.raises(ZeroDivisionError):
            async with services.database.transaction() as tx:
                await record(tx, "project.deleted", ADA, subject_id=5)
        async with services.database.reading() as tx:
            assert await tx.value("SELECT count(*) FROM events") == 0
        assert await jobs(services) == {}

    tell(story())


def test_nothing_is_recorded_by_a_database_that_no_product_works_on(services, tell):
    async def story():
        del services.database.product
        async with services.database.transaction() as tx:
            with pytest.raises(AttributeError, match="product"):
                await record(tx, "project.deleted", ADA, subject_id=5)

    tell(story())


def test_the_consequences_of_an_event_follow_in_the_order_of_the_chapters(services, tell):
    async def story():
        seen: list[str] = []

        def chapter(name: str) -> Chapter:
            async def reaction(_tx: Tx, _event: Event) -> None:
                seen.append(name)

            return Chapter(name, REACTIONS.of({"issue.closed": [reaction]}))

        services.database.product = Product([chapter("first"), chapter("second")])
        async with services.database.transaction() as tx:
            await record(tx, "issue.closed", ADA, subject_id=5)
        assert seen == ["first", "second"]

    tell(story())


def test_the_data_of_a_deleted_project_is_removed_later():
    assert EnqueueJob("projects.remove") in consequences_of(PRODUCT).reactions("project.deleted")
