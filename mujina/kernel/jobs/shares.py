"""How the slots of a runner are shared: between long and short work, between tasks, and between the users they are for.

A task may use at most half of the slots that other tasks leave, and a user at most half of what the other users of a
task leave of its share. One slot more is therefore always free for the next task and the next user.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Mapping

from mujina.kernel.jobs.queue import Capacity, Job
from mujina.kernel.jobs.tasks import Task


class Shares:
    """Which jobs may start beside those that run."""

    def __init__(self, tasks: Mapping[str, Task], at_once: int) -> None:
        self._tasks = tasks
        self._at_once = at_once
        self._long_at_once = max(1, at_once * 2 // 3)

    def capacity(self, running: Collection[Job]) -> Capacity:
        """The tasks that may start another job, without the users who have used up their share of one."""
        if not running:  # as most runners find out several times for each job
            return Capacity([*self._tasks], [], self._at_once)
        return self._capacity(self._tasks, running)

    def _capacity(self, names: Iterable[str], running: Collection[Job]) -> Capacity:
        """The capacity that is left for these tasks."""
        counts = Counter(job.task for job in running if job.task in self._tasks)
        of_users = Counter((job.task, job.owner_id) for job in running)
        long = sum(number for name, number in counts.items() if self._tasks[name].long)
        free = self._at_once - len(running)
        tasks: list[str] = []
        full: list[str] = []
        for name in names:
            number = counts[name]
            share = _half(self._long_at_once - long + number if self._tasks[name].long else free + number)
            if free > 0 and number < share:
                tasks.append(name)
                full += [
                    queue_of(name, owner_id)
                    for (other, owner_id), own in of_users.items()
                    if other == name and own >= _half(share - number + own)
                ]
        return Capacity(tasks, full, free)

    def fitting(self, running: Collection[Job], ready: Collection[Job]) -> list[Job]:
        """Returns the first jobs, in their order, that may all start beside the running ones."""
        chosen: list[Job] = []
        for job in ready:
            capacity = self._capacity([job.task], [*running, *chosen])
            if job.task in capacity.tasks and queue_of(job.task, job.owner_id) not in capacity.full:
                chosen.append(job)
        return chosen


def queue_of(task: str, owner_id: int) -> str:
    """The name of what one user waits for in one task, as the queue compares it."""
    return f"{task}:{owner_id}"


def _half(slots: int) -> int:
    return (slots + 1) // 2
