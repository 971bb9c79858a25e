"""The tasks in the description of an issue or a merge request."""

import hashlib
import re
from collections.abc import Collection
from itertools import count

import msgspec

from mujina.kernel.http.params import UNSET, Ids, Params, Unset
from mujina.kernel.text.deferred_patterns import deferred_pattern
from mujina.planning.system_notes.sentences import TASK
from mujina.rendering.html import Html

_BOX = deferred_pattern(r'<input type="checkbox" class="md-task" disabled( checked)? aria-label="\w+ task">')
"""A task as Markdown is rendered."""


TASKS_CHANGED = "The description has changed meanwhile: the task was not saved."


class TaskCompletion(msgspec.Struct):
    count: int
    completed_count: int


class CheckTasks(Params):
    """The form of the check boxes of a description."""

    tasks: Ids | Unset = UNSET
    """The numbers of the completed tasks."""
    digest: str = ""
    """The digest of the description that the form was made for."""


class TaskBoxes(msgspec.Struct, frozen=True):
    """A rendered description whose check boxes belong to the form `tasks`."""

    html: Html
    digest: str


def completed_tasks(description: str) -> TaskCompletion:
    if "[" not in description:  # nearly all have no task, and the pattern costs more than the rest of a request
        return TaskCompletion(0, 0)
    states = _states(description)
    return TaskCompletion(len(states), sum(states))


def fillable(html: Html, description: str) -> TaskBoxes | None:
    """The boxes as fields; None if there are none, or if they are not those of the tasks, one by one.

    Lines of code may look like tasks, and HTML may have boxes of its own.
    """
    states = _states(description) if "[" in description else []
    if not states or [bool(box) for box in _BOX.findall(html)] != states:
        return None
    numbers = count(1)

    def fill(box: re.Match[str]) -> str:
        number = next(numbers)
        field = f'form="tasks" name="tasks[]" value="{number}"{box[1] or ""} aria-label="Task {number}"'
        return f'<input type="checkbox" class="md-task" {field}>'

    return TaskBoxes(Html(_BOX.sub(fill, html)), digest_of(description))


def digest_of(description: str) -> str:
    return hashlib.sha256(description.encode()).hexdigest()


def with_completed(description: str, numbers: Collection[int]) -> str:
    """The description in which exactly the tasks of these numbers are completed."""
    counted = count(1)

    def line(task: re.Match[str]) -> str:
        start, end = task.start(1) - task.start(), task.end(1) - task.start()
        done = next(counted) in numbers
        box = task[1] if done == (task[1] != " ") else "x" if done else " "
        return f"{task[0][:start]}{box}{task[0][end:]}"

    return TASK.sub(line, description)


def _states(description: str) -> list[bool]:
    return [box != " " for box, _ in TASK.findall(description)]
