"""Checks of CI files."""

from mujina.ci.config_files.operations import read_file
from mujina.ci.lint import operations
from mujina.ci.lint.entities import Lint, ProjectLint, to_lint, to_project_lint
from mujina.ci.lint.params import LintContent, LintProjectContent, LintProjectFile
from mujina.ci.lint.rules import LINT_CONTENT, LINT_FILE
from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.params import UNSET, Ref
from mujina.kernel.http.routing import get, post


@post("/ci/lint", status=200)
async def lint(call: Call, query: LintContent) -> Lint:
    """Check the text of a CI file that belongs to no project."""
    compiled, merged = await operations.lint(call.actor, operations.to_bytes(query.content))
    return to_lint(compiled, merged if query.include_merged_yaml else UNSET, jobs=bool(query.include_jobs))


# Compat: the checks with a project are younger than the specification; today's clients use no other.
@get("/projects/:id/ci/lint")
async def lint_project_file(call: Call, id: Ref, query: LintProjectFile) -> ProjectLint:
    """Check the CI file of a commit."""
    linted, path = await operations.find_linted(
        call.services, call.actor, id, query.content_ref or query.sha or "", to=LINT_FILE
    )
    content = read_file(linted.found, path) if linted.found else b""
    result = await operations.lint_for_project(
        linted, content, dry_run=bool(query.dry_run), ref=query.dry_run_ref or query.ref or None
    )
    return to_project_lint(result, jobs=bool(query.include_jobs))


@post("/projects/:id/ci/lint", status=200)
async def lint_project_content(call: Call, id: Ref, query: LintProjectContent) -> ProjectLint:
    """Check a text as the CI file of a project."""
    content = operations.to_bytes(query.content)
    linted, _ = await operations.find_linted(call.services, call.actor, id, query.ref or "", to=LINT_CONTENT)
    result = await operations.lint_for_project(linted, content, dry_run=bool(query.dry_run), ref=query.ref or None)
    return to_project_lint(result, jobs=bool(query.include_jobs))
