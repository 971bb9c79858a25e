"""The tasks in the description of an issue or a merge request."""

import msgspec

from mujina.planning.notes.sentences import TASK


class TaskCompletion(msgspec.Struct):
    count: int
    completed_count: int


def completed_tasks(description: str) -> TaskCompletion:
    if "[" not in description:  # nearly all have no task, and the pattern costs more than the rest of a request
        return TaskCompletion(0, 0)
    boxes = [box for box, _ in TASK.findall(description)]
    return TaskCompletion(len(boxes), sum(box != " " for box in boxes))
