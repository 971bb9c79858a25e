from collections.abc import Iterator
from dataclasses import dataclass

import pytest

from tests.harness.cast import Cast
from tests.harness.files import ForgetfulFiles
from tests.harness.furniture import Standing
from tests.harness.rolled_back import RolledBack
from tests.harness.stage import Stage


@dataclass(frozen=True)
class Furnished:
    """The cast with one of everything around them, for tests that walk all routes."""

    cast: Cast
    standing: dict[str, Standing]
    database: RolledBack
    files: ForgetfulFiles

    def forget(self) -> None:
        """Back to the beginning: what was asked until now leaves no trace."""

        async def start_again() -> None:
            await self.database.forget()
            await self.database.begin()

        self.cast.root.loop.run_until_complete(start_again())
        self.files.forget()


@pytest.fixture
def furnished(stage: Stage) -> Iterator[Furnished]:
    database, files, cast, standing = stage.furnished
    stage.loop.run_until_complete(database.begin())
    yield Furnished(cast, standing, database, files)
    stage.loop.run_until_complete(database.forget())
    files.forget()
