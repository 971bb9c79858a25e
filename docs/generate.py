"""Writes the pages that are generated from the code, wholly or in part, and the schema of new SQLite databases.

A test checks that they are current.

python -m docs.generate            writes them
python -m docs.generate --check    fails where they are out of date
"""

import sys
from pathlib import Path

from docs import application_settings, compatibility, events, metrics, operating, quirks
from mujina.migrations import newest

HERE = Path(__file__).parent

PAGES = {
    "application-settings.md": application_settings.page,
    "compatibility.md": compatibility.page,
    "events.md": events.page,
    "metrics.md": metrics.page,
    "operating.md": operating.page,
    "quirks.md": quirks.page,
    "../mujina/migrations/newest.sqlite.sql": newest.generate,
}


def stale() -> list[str]:
    """The pages that are out of date."""
    return [
        name
        for name, page in PAGES.items()
        if not (HERE / name).exists() or (HERE / name).read_text(encoding="utf-8") != page()
    ]


def main() -> None:
    out_of_date = stale()
    if "--check" in sys.argv and out_of_date:
        sys.exit(f"Out of date: {', '.join(out_of_date)}. `make docs` writes them.")
    for name in out_of_date:
        (HERE / name).write_text(PAGES[name](), encoding="utf-8")
        print(f"docs/{name}")


if __name__ == "__main__":
    main()
