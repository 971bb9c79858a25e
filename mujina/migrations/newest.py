"""The newest schema of SQLite as one text, from which new databases are made.

The revisions make the same of an empty database in four times the processor time, because SQLite reads the whole schema
again for each change of a table. `python -m mujina.migrations.newest` writes the text anew; `revise` does, too.
"""

import sys
from hashlib import sha256
from pathlib import Path

from mujina.kernel.db.sql import text
from mujina.kernel.db.sqlite import connection as raw
from mujina.migrations import revisions

NEWEST = Path(__file__).with_name("newest.sqlite.sql")
DECLARED = """
SELECT sql FROM sqlite_schema
WHERE sql IS NOT NULL AND name NOT LIKE 'sqlite_%' AND name NOT IN (SELECT name FROM pragma_table_list WHERE type = 'shadow')
ORDER BY rowid
"""


def newest_schema() -> str | None:
    """The statements that make what all revisions make of an empty database; None if any revision has changed since."""
    checksum, _, statements = NEWEST.read_text().partition("\n")
    return statements if checksum == _checksum() else None


def generate() -> str:
    """The text of the file, from the revisions as they are."""
    connection = raw.connect(Path(":memory:"))
    connection.execute("PRAGMA foreign_keys = OFF")
    each = (one for revision in revisions.known() for one in revisions.statements(revision, "sqlite"))
    run = [text.sqlite(statement).text for statement in each]
    for statement in run:
        connection.execute(statement)
    options = [statement for statement in run if statement.startswith("INSERT") and "_grams, rank)" in statement]
    declared = [str(sql) for (sql,) in connection.execute(DECLARED)]
    return "".join([f"{_checksum()}\n", *(f"{statement};\n" for statement in (*declared, *options))])


def _checksum() -> str:
    """Begins a comment of SQL, which tells from which revisions a text was written."""
    files = sorted(revisions.VERSIONS.glob("*.sqlite.sql"))
    return f"-- {sha256(b''.join(path.read_bytes() for path in files)).hexdigest()}"


if __name__ == "__main__":
    sys.exit(NEWEST.write_text(generate()) == 0)
