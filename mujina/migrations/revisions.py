"""The known revisions of the schema, read from file names, so that no start imports Alembic."""

from pathlib import Path

from mujina.kernel.db.transaction import Engine

HOME = Path(__file__).parent
VERSIONS = HOME / "versions"


def known() -> list[str]:
    """Every revision, oldest first: `versions/0001_first.py` is `0001`."""
    return sorted(path.name.partition("_")[0] for path in VERSIONS.glob("[0-9]*.py"))


def schema_file(engine: Engine) -> Path:
    """The generated file that makes a fresh database and stamps it with the newest revision."""
    return HOME / f"schema.{engine}.sql"


def schema(engine: Engine) -> list[str]:
    """The statements of that file: each ends a paragraph."""
    paragraphs = schema_file(engine).read_text().split(";\n")
    return [statement for paragraph in paragraphs if (statement := paragraph.strip())]
