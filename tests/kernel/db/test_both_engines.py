"""What a transaction promises, whichever engine keeps the promise."""

import msgspec
import pytest

from mujina.kernel.db.errors import ForeignKeyViolation, UnbindableValue, UniqueViolation


class Shelf(msgspec.Struct, array_like=True, frozen=True):
    id: int
    name: str
    open: bool


ADD = "INSERT INTO shelves (id, room, name, open) VALUES (:id, :room, :name, :open)"
ALL = "SELECT id, name, open FROM shelves ORDER BY id"


@pytest.fixture
def shelves(database, run):
    async def add():
        async with database.transaction() as tx:
            each = [{"id": n, "room": "loft", "name": f"n{n}", "open": n % 2 == 0} for n in (2, 3, 4)]
            await tx.run_each(ADD, each)

    run(add())
    return database


def test_rows_come_in_the_shape_that_was_asked_for(shelves, run):
    async def story():
        async with shelves.reading() as tx:
            assert await tx.rows(Shelf, ALL) == [
                Shelf(1, "first", False), Shelf(2, "n2", True), Shelf(3, "n3", False), Shelf(4, "n4", True),
            ]  # fmt: skip
            assert await tx.row(Shelf, ALL) == Shelf(1, "first", False)
            assert await tx.row(Shelf, "SELECT id, name, open FROM shelves WHERE id = :id", id=9) is None
            assert await tx.rows(tuple[int, bool], "SELECT id, open FROM shelves WHERE open") == [(2, True), (4, True)]
            assert await tx.values("SELECT id FROM shelves WHERE NOT open ORDER BY id") == [1, 3]
            assert await tx.value("SELECT name FROM shelves WHERE id = :id", id=3) == "n3"
            assert await tx.value("SELECT name FROM shelves WHERE id = :id", id=9) is None

    run(story())


def test_lists_are_bound_behind_in(shelves, run):
    async def story():
        async with shelves.reading() as tx:
            assert await tx.values("SELECT id FROM shelves WHERE id IN :ids ORDER BY id", ids=[4, 2, 9]) == [2, 4]
            assert await tx.values("SELECT id FROM shelves WHERE id IN :ids", ids=[-(2**63), 3, 2**63 - 1]) == [3]
            assert await tx.values("SELECT id FROM shelves WHERE name IN :names", names=["n3", '"{,}\\']) == [3]
            assert await tx.values("SELECT id FROM shelves WHERE id IN :ids", ids=[]) == []
            assert await tx.value("SELECT count(*) FROM shelves WHERE id NOT IN :ids", ids=[]) == 4
            assert await tx.value("SELECT count(*) FROM shelves WHERE name NOT IN :names", names=["n2"]) == 3

    run(story())


def test_running_tells_how_many_rows_it_changed(shelves, run):
    async def story():
        async with shelves.transaction() as tx:
            assert await tx.run("UPDATE shelves SET open = :open WHERE id > :id", open=True, id=2) == 2
            assert await tx.run("UPDATE shelves SET open = FALSE WHERE id = 9") == 0
            assert await tx.run("DELETE FROM shelves") == 4

    run(story())


def test_running_for_each_of_none_does_nothing(shelves, run):
    async def story():
        async with shelves.transaction() as tx:
            await tx.run_each(ADD, [])
            await tx.run_each("DELETE FROM shelves WHERE id IN :ids", [{"ids": [2]}, {"ids": []}, {"ids": [3, 4]}])
            assert await tx.values("SELECT id FROM shelves") == [1]

    run(story())


def test_a_block_that_raises_leaves_no_trace(shelves, run):
    async def story():
        with pytest.raises(KeyError):
            async with shelves.transaction() as tx:
                await tx.run("DELETE FROM shelves")
                raise KeyError
        async with shelves.reading() as tx:
            assert await tx.value("SELECT count(*) FROM shelves") == 4

    run(story())


def test_a_value_that_cannot_be_sent_does_not_end_the_transaction(shelves, run):
    async def story():
        with pytest.raises(KeyError):
            async with shelves.transaction() as tx:
                with pytest.raises(UnicodeEncodeError):
                    await tx.run("DELETE FROM shelves WHERE name = :name", name="\ud800")
                await tx.run("DELETE FROM shelves")
                raise KeyError
        async with shelves.reading() as tx:
            assert await tx.value("SELECT count(*) FROM shelves") == 4

    run(story())


def test_a_savepoint_fails_alone(shelves, run):
    async def story():
        async with shelves.transaction() as tx:
            await tx.run("DELETE FROM shelves WHERE id = 4")
            with pytest.raises(UniqueViolation):
                async with tx.savepoint():
                    await tx.run("DELETE FROM shelves WHERE id = 3")
                    await tx.run(ADD, id=2, room="cellar", name="x", open=False)
            with pytest.raises(UniqueViolation):
                async with tx.savepoint():
                    await tx.run_each(ADD, [{"id": 2, "room": "cellar", "name": "x", "open": False}])
            async with tx.savepoint():
                await tx.run("DELETE FROM shelves WHERE id = 1")
        async with shelves.reading() as tx:
            assert await tx.values("SELECT id FROM shelves ORDER BY id") == [2, 3]

    run(story())


@pytest.mark.parametrize("last", [True, False])
def test_an_error_of_running_for_each_fails_the_block_with_all_that_it_did(shelves, run, last):
    """PostgreSQL runs it together with the next statement, or with the commit."""
    new, taken = ({"id": id, "room": "cellar", "name": f"{id}", "open": False} for id in (7, 2))

    async def story():
        with pytest.raises(UniqueViolation):
            async with shelves.transaction() as tx:
                await tx.run_each(ADD, [new])
                assert await tx.values("SELECT id FROM shelves WHERE id > 4") == [7]
                await tx.run_each(ADD, [taken])
                if not last:
                    await tx.run("DELETE FROM shelves WHERE id = 3")
        async with shelves.transaction() as tx:
            await tx.run_each(ADD, [new])
            with pytest.raises(KeyError):
                async with tx.savepoint():
                    await tx.run_each("DELETE FROM shelves WHERE id = :id", [new, taken])
                    raise KeyError
        async with shelves.reading() as tx:
            assert await tx.values("SELECT id FROM shelves ORDER BY id") == [1, 2, 3, 4, 7]

    run(story())


@pytest.mark.parametrize(("row", "columns"), [((2, "x", "y"), ("id",)), ((9, "loft", "n2"), ("room", "name"))])
def test_a_second_row_where_one_may_be_is_a_conflict_with_its_columns(shelves, run, row, columns):
    async def story():
        async with shelves.transaction() as tx:
            await tx.run(ADD, id=row[0], room=row[1], name=row[2], open=False)

    with pytest.raises(UniqueViolation) as refusal:
        run(story())
    assert (refusal.value.table, refusal.value.columns) == ("shelves", columns)
    assert str(refusal.value) == f"shelves({', '.join(columns)})"


@pytest.mark.parametrize("statement", ["INSERT INTO books (id, shelf_id) VALUES (7, 9)", "DELETE FROM shelves"])
def test_a_reference_to_nothing_is_dangling(shelves, run, statement):
    async def story():
        async with shelves.transaction() as tx:
            await tx.run("INSERT INTO books (id, shelf_id) VALUES (1, 1)")
            await tx.run(statement)

    with pytest.raises(ForeignKeyViolation):
        run(story())


def test_nul_is_refused_and_text_is_kept_as_it_is(shelves, run):
    async def story():
        async with shelves.transaction() as tx:
            with pytest.raises(UnbindableValue):
                await tx.run(ADD, id=8, room="x", name="a\0b", open=False)
            for given in ("", "Ünïcödé 🦝", "'%s' :x $1 \\", "a" * 1_000_000):
                assert await tx.value("SELECT CAST(:given AS text)", given=given) == given

    run(story())


def test_integers_of_64_bits_are_bound_whole(shelves, run):
    async def story():
        async with shelves.reading() as tx:
            for given in (0, -1, 2**31, 2**63 - 1, -(2**63)):
                assert await tx.value("SELECT CAST(:given AS bigint) + 0", given=given) == given

    run(story())


def test_text_sorts_by_its_bytes_and_like_minds_the_case(shelves, run):
    async def story():
        async with shelves.reading() as tx:
            assert await tx.values("SELECT name FROM shelves WHERE name LIKE 'N%'") == []
            assert await tx.value("SELECT count(*) FROM shelves WHERE name LIKE 'n%'") == 3

    run(story())


def test_only_a_commit_runs_what_waits_for_it(shelves, run):
    woken = []

    async def story():
        with pytest.raises(KeyError):
            async with shelves.transaction() as tx:
                tx.after_commit(lambda: woken.append("never"))
                raise KeyError
        async with shelves.transaction() as tx:
            tx.after_commit(lambda: woken.append(1))
            tx.after_commit(lambda: 1 // 0)
            tx.after_commit(lambda: woken.append(2))
            assert woken == []

    run(story())
    assert woken == [1, 2]


def test_statements_are_counted(shelves, run):
    async def story():
        before = shelves.statements
        async with shelves.transaction() as tx:
            await tx.rows(Shelf, ALL)
            await tx.run("UPDATE shelves SET open = TRUE")
        async with shelves.reading() as tx:
            await tx.value("SELECT 1")
        async with shelves.searching() as tx:
            await tx.value("SELECT 1")
        assert shelves.statements - before == 4

    run(story())


def test_a_search_sees_what_was_committed(shelves, run):
    async def story():
        async with shelves.searching() as tx:
            assert await tx.values("SELECT id FROM shelves WHERE name LIKE :like ORDER BY id", like="n%") == [2, 3, 4]

    run(story())
