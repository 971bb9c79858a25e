"""A runner is woken: these never look by themselves, so what they run they were told of."""

import asyncio
from datetime import timedelta
from pathlib import Path

from mujina.kernel.jobs.runner import Runner
from tests.harness import fork_server
from tests.kernel.jobs import post_office
from tests.kernel.jobs.post_office import deliver, send
from tests.kernel.jobs.watching import at_work, until_empty

NEVER = timedelta(days=1)


def test_a_commit_of_this_process_wakes_its_runner(services, tell):
    async def story():
        async with at_work(Runner(services, [deliver], poll=NEVER)):
            for _ in range(3):
                async with services.database.transaction() as tx:
                    await send(tx, "ada")
                await until_empty(services)

    tell(story())


def test_a_commit_of_another_process_wakes_the_runner(services, tell, database_url, tmp_path):
    async def story():
        async with at_work(Runner(services, [deliver], poll=NEVER)):
            for n in (1, 2):
                await _in_another_process(database_url, tmp_path)
                await until_empty(services)
                assert (tmp_path / "delivered").read_text().splitlines()[-1] == f"ada {n}"

    tell(story())


def test_jobs_enqueued_while_no_runner_was_up_are_found(services, tell):
    async def story():
        async with services.database.transaction() as tx:
            await send(tx, "ada")
        async with at_work(Runner(services, [deliver], poll=NEVER)):
            await until_empty(services)

    tell(story())


async def _in_another_process(url: str, data: Path) -> None:
    program = fork_server.start(post_office.__name__, "send", url, str(data))
    assert await asyncio.to_thread(program.wait) == 0
