"""Output of git that nobody reads to its end, as for a HEAD request."""

import asyncio

from mujina.adapters.git import git

ROUNDS = 40
"""Git may end before or after it is told to."""


def test_a_stream_that_is_closed_early_is_no_warning_in_the_log(caplog):
    async def close_early() -> None:
        for _ in range(ROUNDS):
            pieces = await git.begun(git.stream(None, "version"))
            await pieces.aclose()

    asyncio.run(close_early())
    assert caplog.messages == []
