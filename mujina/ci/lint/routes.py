"""Checks of CI files."""

from mujina.ci.lint import operations
from mujina.ci.lint.entities import Lint, ProjectLint, to_lint, to_project_lint
from mujina.ci.lint.operations import DEFAULT_PATH, LintedProject
from mujina.ci.lint.params import LintContent, LintProjectContent, LintProjectFile
from mujina.ci.lint.rules import LINT_CONTENT, LINT_FILE
from mujina.code.commits import operations as commits
from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.params import UNSET, Ref
from mujina.kernel.http.routing import get, post
from mujina.kernel.permissions.rules import Rule
from mujina.workspaces.projects.rules import find_project_with


@post("/ci/lint", status=200)
async def lint(call: Call, query: LintContent) -> Lint:  # noqa: ARG001 - the text is all there is
    """Check the text of a CI file that belongs to no project."""
    compiled, merged = await operations.lint(operations.to_bytes(query.content))
    return to_lint(compiled, merged if query.include_merged_yaml else UNSET, jobs=bool(query.include_jobs))


# Compat: the checks with a project are younger than the specification; today's clients use no other.
@get("/projects/:id/ci/lint")
async def lint_project_file(call: Call, id: Ref, query: LintProjectFile) -> ProjectLint:
    """Check the CI file of a commit."""
    linted, path = await _linted(call, id, query.content_ref or query.sha or "", to=LINT_FILE)
    content = operations.read_file(linted.found, path) if linted.found else b""
    result = await operations.lint_for_project(
        linted, content, dry_run=bool(query.dry_run), ref=query.dry_run_ref or query.ref or None
    )
    return to_project_lint(result, jobs=bool(query.include_jobs))


@post("/projects/:id/ci/lint", status=200)
async def lint_project_content(call: Call, id: Ref, query: LintProjectContent) -> ProjectLint:
    """Check a text as the CI file of a project."""
    content = operations.to_bytes(query.content)
    linted, _ = await _linted(call, id, query.ref or "", to=LINT_CONTENT)
    result = await operations.lint_for_project(linted, content, dry_run=bool(query.dry_run), ref=query.ref or None)
    return to_project_lint(result, jobs=bool(query.include_jobs))


async def _linted(call: Call, id: Ref, ref: str, *, to: Rule) -> tuple[LintedProject, str]:
    """The project at this ref, and the path of its CI file; 404 if the ref is given and does not exist."""
    async with call.reading() as tx:
        project, (path,), _ = await find_project_with(tx, call.actor, id, "p.ci_config_path", (), to=to)
    code = await commits.code_of(call.services, project)
    found = commits.find(code, ref or None) if ref or project.default_branch else None
    return LintedProject(call.services, call.actor, project, found), path or DEFAULT_PATH
