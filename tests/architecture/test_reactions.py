"""What follows from events names tasks and kinds that exist."""

import re

from mujina.kernel.events import EnqueueJob, consequences_of
from mujina.product import PRODUCT
from tests.harness.composed import TASKS

CONSEQUENCES = consequences_of(PRODUCT)


def test_a_deferred_reaction_names_a_task_that_exists():
    reactions = [reaction for kind in CONSEQUENCES.kinds for reaction in CONSEQUENCES.reactions(kind)]
    enqueued = {reaction.task for reaction in reactions if isinstance(reaction, EnqueueJob)}
    assert enqueued
    assert enqueued <= {task.name for task in TASKS}


def test_every_kind_is_a_noun_and_a_verb():
    assert [kind for kind in CONSEQUENCES.kinds if not re.fullmatch(r"[a-z_]+\.[a-z_]+", kind)] == []


def test_no_two_tasks_share_a_name():
    names = [task.name for task in TASKS]
    assert sorted(set(names)) == sorted(names)
