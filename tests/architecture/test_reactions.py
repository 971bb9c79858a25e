"""The table of reactions names tasks and kinds that exist."""

import re

from mujina.activity.events.kinds import KINDS
from mujina.app import TASKS
from mujina.kernel.events import Later
from mujina.reactions import REACTIONS
from mujina.workspaces.projects.operations import note_contribution


def test_a_deferred_reaction_names_a_task_that_exists():
    enqueued = {
        reaction.task for reactions in REACTIONS.values() for reaction in reactions if isinstance(reaction, Later)
    }
    assert enqueued <= {task.name for task in TASKS}


def test_every_event_in_the_feed_of_a_project_updates_its_last_activity():
    moving = {kind for kind, reactions in REACTIONS.items() if note_contribution in reactions}
    assert moving == KINDS.keys() - {"project.created"}, "a new project is active by itself"


def test_every_kind_is_a_noun_and_a_verb():
    assert [kind for kind in REACTIONS if not re.fullmatch(r"[a-z_]+\.[a-z_]+", kind)] == []


def test_no_two_tasks_share_a_name():
    names = [task.name for task in TASKS]
    assert sorted(set(names)) == sorted(names)
