"""Record what a program answers, and compare two recordings.

python -m tests.transcript record FILE [--tree PATH] [--python PATH] [--engine sqlite|postgres] [--testing] [--like FILE]
python -m tests.transcript compare FILE FILE [--texts] [--without-ids]
"""

import argparse
import gzip
import json
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path
from typing import Any

from tests.transcript import beyond
from tests.transcript.compare import differences
from tests.transcript.recorder import Recorder
from tests.transcript.routes import Route, read_routes
from tests.transcript.server import serving
from tests.transcript.walk import Walk
from tests.transcript.world import build_world

ROOT = Path(__file__).parents[2]


def record(file: Path, tree: Path, python: Path, engine: str, like: Path | None, *, testing: bool) -> None:
    """Write every exchange of the scenario; `like` names a recording whose routes and parameters are walked again."""
    began = time.monotonic()
    with serving(tree, python, engine, testing=testing) as url, tempfile.TemporaryDirectory() as folder:
        recorder = Recorder(url)
        document = recorder.ask("anonymous", "GET /openapi.json")
        routes = _routes_of(like) if like else read_routes(document.json)
        recorder.exchanges[0] |= {"answer": "", "headers": {}}  # the document describes the program, it is no answer
        recorder.templates = [(route.verb, route.pattern, route.name) for route in routes]
        world = build_world(recorder, Path(folder))
        beyond.exchange_files(recorder, world)
        beyond.speak_git(recorder)
        beyond.visit_pages(recorder)
        Walk(recorder, world, routes).all()
    with gzip.open(file, "wt") as out:
        for line in ({"routes": [route.dump() for route in routes]}, *recorder.exchanges):
            out.write(json.dumps(line, ensure_ascii=False) + "\n")
    _summarize(recorder.exchanges, routes, time.monotonic() - began)


def compare(left: Path, right: Path, *, texts: bool, ids: bool) -> int:
    """Print the differences, grouped by route; 1 if there are any."""
    found = differences(_read(left)[1:], _read(right)[1:], texts=texts, ids=ids)
    for route, lines in sorted(found.items()):
        print(f"{route}: {len(lines)}")
        for line in lines:
            print(f"  {line}")
    print(f"{sum(map(len, found.values()))} exchanges of {len(_read(left)) - 1} differ, in {len(found)} routes")
    return 1 if found else 0


def _read(file: Path) -> list[dict[str, Any]]:
    with gzip.open(file, "rt") as lines:
        return [json.loads(line) for line in lines]


def _routes_of(file: Path) -> list[Route]:
    return [Route(**each) for each in _read(file)[0]["routes"]]


def _summarize(exchanges: list[dict[str, Any]], routes: list[Route], seconds: float) -> None:
    statuses = Counter(f"{each['status'] // 100}xx" for each in exchanges if each["caller"] != "git")
    asked = {each["route"] for each in exchanges}
    answered = {each["route"] for each in exchanges if 200 <= each["status"] < 300}
    names = [route.name for route in routes]
    print(f"{len(exchanges)} exchanges in {seconds:.0f} s: {dict(sorted(statuses.items()))}")
    print(
        f"{len(asked.intersection(names))} of {len(names)} routes asked, {len(answered.intersection(names))} answered with 2xx"
    )
    print("never answered with 2xx:", ", ".join(name for name in names if name not in answered) or "none")


def main() -> int:
    parser = argparse.ArgumentParser(prog="python -m tests.transcript", description=__doc__.splitlines()[0])
    verbs = parser.add_subparsers(dest="verb", required=True)
    recording = verbs.add_parser("record", help="record the answers of a tree")
    recording.add_argument("file", type=Path)
    recording.add_argument("--tree", type=Path, default=ROOT, help="the tree whose program is recorded")
    recording.add_argument("--python", type=Path, default=Path(sys.executable), help="the interpreter it runs on")
    recording.add_argument("--engine", choices=["sqlite", "postgres"], default="sqlite")
    recording.add_argument("--testing", action="store_true", help="record the testing mode of the program")
    recording.add_argument("--like", type=Path, help="a recording whose routes are walked again")
    comparing = verbs.add_parser("compare", help="print what differs between two recordings")
    comparing.add_argument("left", type=Path)
    comparing.add_argument("right", type=Path)
    comparing.add_argument("--texts", action="store_true", help="compare the sentences of pages, too")
    comparing.add_argument("--without-ids", action="store_true", help="do not compare the ids of rows")
    given = parser.parse_args()
    if given.verb == "compare":
        return compare(given.left, given.right, texts=given.texts, ids=not given.without_ids)
    record(given.file, given.tree.resolve(), given.python.absolute(), given.engine, given.like, testing=given.testing)
    return 0


if __name__ == "__main__":
    sys.exit(main())
