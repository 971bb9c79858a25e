"""The page that checks the CI file of a project, with each error beside its line."""

from typing import Final

from mujina.ci.config_files.operations import read_file
from mujina.ci.language.problems import ConfigProblem
from mujina.ci.lint import operations
from mujina.ci.lint.params import CheckedFile, ShowCiFile
from mujina.ci.lint.rules import LINT_CONTENT
from mujina.kernel.html.pages import HtmlPage, PageRequest, ShowFormAgain, form, view
from mujina.kernel.http.params import Ref
from mujina.workspaces.projects.rules import PUSH_CODE, ProjectRow, jobs_enabled

_HERE = "/{project}/-/ci/editor"
MAX_LINES: Final = 2_000
"""Lines of a file that are shown with their errors."""
MAX_FORM: Final = 4 * 1024 * 1024
"""Bytes of the form: a file of a megabyte, encoded."""


@view(_HERE, to=LINT_CONTENT & jobs_enabled, rights={"push": PUSH_CODE}, anonymous=False)
async def show_editor(request: PageRequest, project: ProjectRow, query: ShowCiFile) -> HtmlPage:
    linted, path = await operations.find_linted(
        request.services, request.actor, Ref.of(project.id), query.ref, to=LINT_CONTENT
    )
    stored = read_file(linted.found, path) if linted.found else b""
    draft = request.draft("content")
    content = stored.decode("utf-8", "replace") if draft is None else draft
    result = None
    if content.strip():
        encoded = operations.to_bytes(content)
        result = await operations.lint_for_project(linted, encoded, dry_run=True, ref=query.ref or None)
    context = {
        "path": path, "stored": bool(stored), "content": content, "result": result, "ref": query.ref,
        "lines": content.splitlines()[:MAX_LINES], "beside": _by_line(result.compiled.errors if result else []),
    }  # fmt: skip
    return HtmlPage("ci/editor.html", context)


@form(_HERE, to=LINT_CONTENT & jobs_enabled, max_body=MAX_FORM)
async def check_file(request: PageRequest, project: ProjectRow, change: CheckedFile) -> ShowFormAgain:  # noqa: ARG001 - the view checks the text
    operations.to_bytes(change.content)
    return ShowFormAgain()


def _by_line(problems: list[ConfigProblem]) -> dict[int, list[str]]:
    """The errors of the file itself that have a line, by its number."""
    found: dict[int, list[str]] = {}
    for problem in problems:
        if problem.line is not None and not problem.file:
            found.setdefault(problem.line, []).append(problem.text)
    return found
