"""What must not grow with the instance: SQLite, which keeps no statistics here, is asked how it would go about it."""

import apsw
import pytest

from mujina.kernel.db.sql import text
from mujina.kernel.permissions.actor import Actor
from mujina.workspaces.members.lists.all_members import ALL_GROUP_MEMBERS, ALL_PROJECT_MEMBERS
from mujina.workspaces.projects import filters as projects
from mujina.workspaces.projects.params import ListProjects


@pytest.fixture
def plan(_sqlite_stage):
    """How a text would be run, step by step."""
    url = _sqlite_stage.copy()
    with apsw.Connection(url.removeprefix("sqlite:///")) as connection:

        def explain(sql):
            statement = text.sqlite(sql)
            rows = connection.execute(f"EXPLAIN QUERY PLAN {statement.text}", [None] * len(statement.names))
            return [row[3] for row in rows]

        yield explain
    connection.close()
    _sqlite_stage.discard(url)


@pytest.mark.parametrize("team", [ALL_PROJECT_MEMBERS, ALL_GROUP_MEMBERS])
def test_the_members_of_a_group_or_project_are_found_through_an_index(plan, team):
    steps = [step for step in plan(team) if " m " in step]
    assert steps
    assert all("source_kind=? AND source_id=?" in step for step in steps)


@pytest.mark.parametrize("actor", [Actor(id=1, admin=True), Actor(id=1)])
@pytest.mark.parametrize("query", [ListProjects(), ListProjects(membership=True)])
def test_projects_are_counted_and_paged_without_being_looked_up(plan, actor, query):
    selection = projects.readable(actor, query)
    projects.apply_filters(selection, actor, query)
    for sql in (
        f"SELECT count(*) {selection.text}",
        f"SELECT p.id {selection.text} ORDER BY {projects.order(query).text} LIMIT 20",
    ):
        assert plan(sql)[0].startswith("SCAN p USING COVERING INDEX")
