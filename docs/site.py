"""`make site`: the pages of this folder and of the root, with a reference of the API, as a site in `site/`.

Every link and anchor is checked: one that leads nowhere ends the build with exit code 1.
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

from mujina.api import api_routes
from mujina.kernel.openapi.document import document
from mujina.product import PRODUCT

HERE = Path(__file__).parent
ROOT = HERE.parent
OF_ROOT = {name: f"{name.lower()}.md" for name in ("ARCHITECTURE", "CONTRIBUTING", "CHANGELOG", "SECURITY")}
METHODS = ("get", "post", "put", "patch", "delete")


def stage(pages: Path) -> None:
    """Put every page of the site into this folder; links between them lead to where they are there."""
    for path in (*HERE.glob("*.md"), *(HERE / "guides").glob("*.md"), *(HERE / "decisions").glob("*.md")):
        _write(pages / path.relative_to(HERE), _moved(path.read_text("utf-8"), deeper=path.parent != HERE))
    (pages / "guides" / "start.md").unlink()
    for name, page in OF_ROOT.items():
        _write(pages / page, _moved((ROOT / f"{name}.md").read_text("utf-8"), deeper=False))
    _write(pages / "index.md", _start())
    for name, text in reference(document(api_routes(PRODUCT), "v4")).items():
        _write(pages / "api" / f"{name}.md", text)


def _start() -> str:
    text = _moved((HERE / "guides" / "start.md").read_text("utf-8"), deeper=False)
    return re.sub(r"\]\((?!http)(?:\.\./)?([\w-]+\.md)", lambda link: f"]({_place(link[1])}", text)


def _place(page: str) -> str:
    return f"guides/{page}" if (HERE / "guides" / page).exists() else page


def _moved(text: str, *, deeper: bool) -> str:
    """Links to pages of the root, and from them to this folder; five minutes are the first page."""
    above = "../" if deeper else ""
    text = text.replace("](start.md", "](../index.md")
    for name, page in OF_ROOT.items():
        text = re.sub(rf"\]\((\.\./)*{name}\.md", f"]({above}{page}", text)
    return text.replace("](docs/", "](")


def _write(path: Path, text: str) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def reference(described: dict[str, Any]) -> dict[str, str]:
    """The pages of the API reference by name: one for each tag of the OpenAPI document, and a list of them."""
    pages: dict[str, list[str]] = {}
    for path, operations in described["paths"].items():
        for method in METHODS:
            if method in operations:
                tag = (operations[method].get("tags") or ["other"])[0]
                pages.setdefault(tag, []).append(_operation(described, method, path, operations[method]))
    names = {tag: re.sub(r"\W+", "-", tag.lower()) for tag in pages}
    index = "\n".join(f"- [{tag}]({names[tag]}.md), {len(pages[tag])} operations" for tag in sorted(pages))
    head = "# API reference\n\nEvery operation that is served, from the document at `/api/v4/openapi.json`.\n\n"
    return {"index": f"{head}{index}\n"} | {
        names[tag]: f"# {tag}\n\n" + "\n".join(operations) for tag, operations in pages.items()
    }


def _operation(described: dict[str, Any], method: str, path: str, operation: dict[str, Any]) -> str:
    parameters = [_resolved(described, each) for each in operation.get("parameters", ())]
    body = _resolved(described, operation.get("requestBody", {})).get("content", {}).values()
    fields = [field for content in body for field in _fields(_resolved(described, content.get("schema", {})))]
    rows = [
        *(_row(each["name"], each["in"], each.get("required", False)) for each in parameters),
        *dict.fromkeys(fields),
    ]
    table = "\n".join(["| Parameter | In | |", "|---|---|---|", *rows, ""]) if rows else ""
    statuses = ", ".join(sorted(operation["responses"]))
    return f"## `{method.upper()} {path}`\n\n{operation.get('summary', '')}\n\n{table}\nResponses: {statuses}\n"


def _resolved(described: dict[str, Any], part: dict[str, Any]) -> dict[str, Any]:
    """The part, or what it refers to."""
    if "$ref" not in part:
        return part
    found = described
    for name in part["$ref"].split("/")[1:]:
        found = found[name]
    return found


def _fields(schema: dict[str, Any]) -> list[str]:
    return [_row(name, "body", name in schema.get("required", ())) for name in schema.get("properties", {})]


def _row(name: str, place: str, required: bool) -> str:
    return f"| `{name}` | {place} | {'required' if required else ''} |"


def build(target: Path) -> int:
    """Build the site; the exit code."""
    with tempfile.TemporaryDirectory(prefix="mujina-site-") as folder:
        pages = Path(folder)
        stage(pages)
        for pictures in ("screenshots", "pictures"):
            (pages / pictures).symlink_to(HERE / pictures)
        command = [sys.executable, "-m", "mkdocs", "build", "--strict", "--quiet"]
        command += ["--config-file", str(HERE / "mkdocs.yml"), "--site-dir", str(target)]
        environment = os.environ | {"MUJINA_SITE_PAGES": folder, "NO_MKDOCS_2_WARNING": "1"}
        return subprocess.run(command, env=environment, check=False).returncode


if __name__ == "__main__":
    raise SystemExit(build(ROOT / "site"))
