"""A row that is deleted between two statements of a read gives 404, not 500."""

from types import SimpleNamespace

import pytest

from mujina.code.deploy_keys import entities as deploy_keys
from mujina.code.protected_branches import entities as protected_branches
from mujina.code.snippets import entities as snippets
from mujina.kernel.errors import ApiError
from mujina.kernel.http.params import Ref
from mujina.kernel.permissions.actor import Actor
from mujina.planning.awards import entities as awards
from mujina.planning.awards.rules import Awardable
from mujina.planning.boards import entities as boards
from mujina.planning.epics import entities as epics
from mujina.planning.issues import entities as issues
from mujina.planning.issues.filters import ReadableProjects
from mujina.planning.labels import entities as labels
from mujina.planning.milestones import entities as milestones
from mujina.planning.notes import entities as notes
from mujina.planning.notes.rules import Noteable
from mujina.planning.todos import entities as todos
from mujina.publishing.releases import entities as releases
from mujina.review.merge_requests import entities as merge_requests
from mujina.workspaces.owners.rules import Owner
from mujina.workspaces.projects.removing.deleted_meanwhile import removed_meanwhile
from tests.harness.composed import ROUTES

GONE = 10**9
ACTOR = Actor(id=1)
ISSUE = Noteable("issue", "Issue", GONE, 1, 1, "a/b", 1, False, 40)
RELEASE = SimpleNamespace(id=GONE)
SERVICES = SimpleNamespace()
SUBJECT = Awardable("issue", "Issue", GONE, 1, 1, False, ("issue", GONE))

SINGLES = {
    "Award Emoji": lambda tx: awards.load_one(tx, SUBJECT, GONE),
    "Board": lambda tx: boards.load_one(tx, ACTOR, Owner("project", GONE, GONE), GONE),
    "Deploy Key": lambda tx: deploy_keys.load_one(tx, GONE, GONE),
    "Epic": lambda tx: epics.load_one(tx, GONE),
    "Issue": lambda tx: issues.load_one(tx, ACTOR, GONE),
    "Label": lambda tx: labels.load_one(tx, ACTOR, Owner("project", 1, 1), ReadableProjects([1], []), GONE),
    "List": lambda tx: boards.load_list(tx, GONE),
    "Merge Request": lambda tx: merge_requests.load_one(tx, ACTOR, GONE, can_merge=False),
    "Milestone": lambda tx: milestones.load_one(tx, GONE),
    "Note": lambda tx: notes.load_one(tx, ISSUE, GONE),
    "Protected Branch": lambda tx: protected_branches.load_one(tx, GONE),
    "Release": lambda tx: releases.load_release(SERVICES, tx, ACTOR, RELEASE, html=False),
    "Snippet": lambda tx: snippets.load_one(tx, GONE),
    "Todo": lambda tx: todos.load_one(tx, ACTOR, GONE),
}


@pytest.mark.parametrize("noun", SINGLES)
def test_a_row_deleted_between_two_statements_is_not_found(database, loop, noun):
    async def show():
        async with database.reading() as tx:
            return await SINGLES[noun](tx)

    with pytest.raises(ApiError) as refused:
        loop.run_until_complete(show())
    assert refused.value.body == {"message": f"404 {noun} Not Found"}


@pytest.mark.parametrize("noun", ["project", "group"])
def test_a_failure_while_the_project_or_group_of_the_path_is_deleted_is_not_found(cast, database, loop, noun):
    """A list of it may have been read half when its rows went."""
    route = next(route for route in ROUTES if route.path == f"/{noun}s/:id/members/all")
    services = SimpleNamespace(database=database)
    present = cast.private if noun == "project" else cast.team

    def respond(ref):
        return loop.run_until_complete(removed_meanwhile(services, route, {"id": Ref(ref)}))

    for ref in (str(GONE), "gone/too"):
        assert respond(ref).body == {"message": f"404 {noun.capitalize()} Not Found"}
    for ref in (str(present.id), present.path):
        assert respond(ref) is None
