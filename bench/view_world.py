"""The instance whose pages are viewed, written through the API: a project with a history, a long issue, requests, a long file."""

from collections.abc import Iterator
from pathlib import Path

from bench import repository
from bench.pages import ask
from bench.seed import TOKEN
from bench.servers import Server

PROJECT = "/team/otter"
NOTES = 100
"""On the first issue."""
FILES = 300
"""Files of the second merge request."""
LINES = 10_000
"""Lines of the file `long.py`."""
LONG_FILE = "".join(f"def f{n}(value: int) -> int:\n    return value + {n}\n" for n in range(LINES // 2))
_COMMITS = 300
_PEOPLE = 6
_ISSUES = 50
_README = "# Otter\n\nA *small* client.\n\n" + "".join(f"- [part {n}](docs/a{n}.md) of `otter`\n" for n in range(40))
_FIRST_DAY = 1_500_000_000
_PASSWORD = "measured and never used"


def fill(server: Server, folder: Path) -> None:
    """Fill an empty instance whose root has `TOKEN`."""
    group = ask(server, "POST", "/groups", name="Team", path="team")
    made = [
        ask(server, "POST", "/projects", name=name, namespace_id=group["id"]) for name in ("otter", *"abcdefghijkl")
    ]
    project = f"/projects/{made[0]['id']}"
    _push(server, folder)
    people = [_join(server, project, n) for n in range(_PEOPLE)]
    ask(server, "POST", f"{project}/milestones", title="first")
    for n in range(_ISSUES):
        text = f"Some *text* for {n}\n\n- a\n- b\n"
        ask(server, "POST", f"{project}/issues", title=f"Issue {n}", description=text, labels="bug,ui", milestone_id=1,
              assignee_ids=[people[n % _PEOPLE]])  # fmt: skip
    for n in range(NOTES):
        text = f"Note {n} with *emphasis* and `code`, see #{1 + n % _ISSUES}, @person{n % _PEOPLE}.\n\n- one\n- two\n"
        ask(server, "POST", f"{project}/issues/1/notes", body=text)
    for branch in ("topic", "wide"):
        ask(server, "POST", f"{project}/merge_requests", title=branch, source_branch=branch, target_branch="main")
    ask(server, "POST", f"{project}/merge_requests/1/notes", body="Looks *good*.")
    ask(server, "POST", f"{project}/wikis", title="home", content="# Home\n\nSee #1.\n")
    ask(
        server,
        "POST",
        f"{project}/snippets",
        title="Snippet",
        file_name="a.py",
        content="print(1)\n",
        visibility="private",
    )
    server.wait_until_idle()


def _join(server: Server, project: str, n: int) -> int:
    """Create a user who is a member of the project."""
    person = ask(server, "POST", "/users", email=f"p{n}@example.org", username=f"person{n}", name=f"Person {n}",
                   password=_PASSWORD, skip_confirmation=True)  # fmt: skip
    ask(server, "POST", f"{project}/members", user_id=person["id"], access_level=30)
    return person["id"]


def _push(server: Server, folder: Path) -> None:
    source = folder / "views.git"
    if not source.exists():
        repository.run(folder, "init", "--quiet", "--bare", str(source))
        repository.import_stream(source, b"".join(_history()))
    address = f"http://root:{TOKEN}@127.0.0.1:{server.port}{PROJECT}.git"
    for refs in ("main", "refs/heads/*:refs/heads/*"):  # the first one becomes the default branch
        repository.run(source, "push", "--quiet", address, refs)


def _history() -> Iterator[bytes]:
    first = {"README.md": _README, "long.py": LONG_FILE, "module.py": LONG_FILE[:8_000]}
    for n in range(_COMMITS):
        path = (f"src/file{n % 80}.py", f"docs/a{n % 30}.md", f"top{n % 25}.txt")[n % 3]
        yield _commit("main", n, {path: f"line {n}\n" * 20} | (first if n == 0 else {}))
    yield _commit("topic", _COMMITS, {f"src/file{n}.py": "topic\n" * 10 for n in range(3)}, "main")
    wide = {
        f"wide/d{n % 10}/f{n}.py": "".join(f"def g{line}():\n    return {n}\n" for line in range(10))
        for n in range(FILES)
    }
    yield _commit("wide", _COMMITS, wide, "main")


def _commit(branch: str, n: int, files: dict[str, str], onto: str = "") -> bytes:
    who = f"committer Somebody <somebody@example.org> {_FIRST_DAY + n * 3600} +0000\n".encode()
    above = f"from refs/heads/{onto}\n".encode() if onto else b""
    changed = (b"M 100644 inline %s\n%s" % (path.encode(), repository.data(text)) for path, text in files.items())
    message = repository.data(f"Change {n}\n\nFor #{1 + n % _ISSUES}.\n")
    return b"".join([f"commit refs/heads/{branch}\n".encode(), who, message, above, *changed])
