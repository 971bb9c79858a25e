"""Templates of files, of the instance and as projects offer them."""

from typing import get_args

from mujina.code.file_templates import entities
from mujina.code.file_templates.entities import FileTemplate, LicenseTemplate, TemplateName
from mujina.code.file_templates.params import ListLicenses, ShowTemplate
from mujina.code.file_templates.store import TemplateType
from mujina.kernel import errors
from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.params import Ref
from mujina.kernel.http.routing import Segment, get
from mujina.workspaces.projects.rules import find_project


@get(
    dockerfiles="/templates/dockerfiles",
    gitignores="/templates/gitignores",
    gitlab_ci_ymls="/templates/gitlab_ci_ymls",
    anonymous=True,
)
async def list_owner_templates(call: Call, kind: TemplateType, page: Page) -> Paged[TemplateName]:  # noqa: ARG001 - routes take the call
    """List the templates of a type."""
    return entities.paged(entities.template_names(kind), page)


@get(
    dockerfiles="/templates/dockerfiles/:key",
    gitignores="/templates/gitignores/:key",
    gitlab_ci_ymls="/templates/gitlab_ci_ymls/:key",
    anonymous=True,
)
async def show_owner_template(call: Call, kind: TemplateType, key: Segment) -> FileTemplate:  # noqa: ARG001 - routes take the call
    """Show a template with its text."""
    # Compat: the noun is the type in the singular, in lower case.
    return entities.load_template(kind, key, noun=kind.removesuffix("s"))


@get("/templates/licenses", anonymous=True)
async def list_license_templates(call: Call, query: ListLicenses, page: Page) -> Paged[LicenseTemplate]:  # noqa: ARG001 - routes take the call
    """List the licenses with their texts."""
    popular = query.popular if isinstance(query.popular, bool) else None
    return entities.paged(entities.licenses(popular=popular), page)


@get("/templates/licenses/:key", anonymous=True)
async def show_license_template(call: Call, key: Segment, query: ShowTemplate) -> LicenseTemplate:
    """Show a license with its text, in which the year and the given names are filled in."""
    return entities.load_license(key, query.fullname or call.actor.name, query.project or None, noun="License")


# Compat: the templates of projects are younger than the specification.
@get("/projects/:id/templates/:type", anonymous=True)
async def list_project_templates(call: Call, id: Ref, type: Segment, page: Page) -> Paged[TemplateName]:
    """List the templates that a project offers for new files."""
    async with call.reading() as tx:
        await find_project(tx, call.actor, id)
    return entities.paged(entities.template_names(_read_type(type)), page)


@get("/projects/:id/templates/:type/:key", anonymous=True)
async def show_project_template(
    call: Call, id: Ref, type: Segment, key: Segment, query: ShowTemplate
) -> FileTemplate | LicenseTemplate:
    """Show a template that a project offers; its name fills the blank of a license unless another one is given."""
    async with call.reading() as tx:
        project = await find_project(tx, call.actor, id)
    if (kind := _read_type(type)) != "licenses":
        return entities.load_template(kind, key)
    return entities.load_license(key, query.fullname or call.actor.name, query.project or project.name)


def _read_type(text: str) -> TemplateType:
    found = next((each for each in get_args(TemplateType) if each == text), None)
    if found is None:
        raise errors.unacceptable("type does not have a valid value")
    return found
