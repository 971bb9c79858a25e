"""Write the next revision from what changed in the tables: `python -m mujina.migrations.revise add_epics`."""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from mujina.migrations import generate
from mujina.migrations.drafts import draft
from mujina.migrations.engines import engine_for
from mujina.migrations.metadata import tables
from mujina.migrations.revisions import VERSIONS, known
from mujina.migrations.run import upgrade


def revise(name: str) -> Path | None:
    """The new revision, which brings the newest known schema to the tables; None if they are the same."""
    previous = known()[-1]
    revision = f"{int(previous) + 1:04}"
    with TemporaryDirectory() as folder:
        url = f"sqlite:///{folder}/newest.db"
        upgrade(url)
        with engine_for(url).connect() as connection:
            source = draft(connection, tables(), name.replace("_", " ").capitalize(), revision, previous)
    if source is None:
        return None
    path = VERSIONS / f"{revision}_{name}.py"
    path.write_text(source)
    generate.main(check=False)
    return path


if __name__ == "__main__":
    sys.stdout.write(f"{revise(sys.argv[1]) or 'The tables have not changed.'}\n")
