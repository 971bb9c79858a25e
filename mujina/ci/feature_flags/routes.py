"""Feature flags of projects, and the protocol by which Unleash clients read them."""

from msgspec import UNSET

from mujina.ci.feature_flags import entities, operations, unleash
from mujina.ci.feature_flags.entities import FeatureFlag
from mujina.ci.feature_flags.params import CreateFeatureFlag, EditFeatureFlag, ListFeatureFlags, UnleashClient
from mujina.ci.feature_flags.rules import FeatureFlagRow, find_flag
from mujina.ci.feature_flags.unleash import UnleashFeatures
from mujina.ci.user_lists.rules import READ_FEATURE_FLAGS, WRITE_FEATURE_FLAGS
from mujina.kernel import errors
from mujina.kernel.db.transaction import Tx
from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.params import Ref
from mujina.kernel.http.routing import Segment, delete, get, post, put
from mujina.workspaces.projects.rules import find_project


@get("/projects/:id/feature_flags")
async def list_feature_flags(call: Call, id: Ref, query: ListFeatureFlags, page: Page) -> Paged[FeatureFlag]:
    async with call.reading() as tx:
        project = await find_project(tx, call.actor, id, to=READ_FEATURE_FLAGS)
        return await entities.load_page(tx, project.id, query, page)


@get("/projects/:id/feature_flags/:feature_flag_name")
async def show_feature_flag(call: Call, id: Ref, feature_flag_name: Segment) -> FeatureFlag:
    async with call.reading() as tx:
        project = await find_project(tx, call.actor, id, to=READ_FEATURE_FLAGS)
        return await _load(tx, await find_flag(tx, project.id, feature_flag_name))


@post("/projects/:id/feature_flags")
async def create_feature_flag(call: Call, id: Ref, change: CreateFeatureFlag) -> FeatureFlag:
    async with call.transaction() as tx:
        project = await find_project(tx, call.actor, id, to=WRITE_FEATURE_FLAGS)
        await operations.create(tx, call.actor, project.id, change)
        return await _load(tx, await find_flag(tx, project.id, change.name))


@put("/projects/:id/feature_flags/:feature_flag_name")
async def edit_feature_flag(call: Call, id: Ref, feature_flag_name: Segment, change: EditFeatureFlag) -> FeatureFlag:
    async with call.transaction() as tx:
        project = await find_project(tx, call.actor, id, to=WRITE_FEATURE_FLAGS)
        await operations.edit(tx, call.actor, await find_flag(tx, project.id, feature_flag_name), change)
        name = feature_flag_name if change.name is UNSET else change.name
        return await _load(tx, await find_flag(tx, project.id, name))


@delete("/projects/:id/feature_flags/:feature_flag_name", status=200)
async def delete_feature_flag(call: Call, id: Ref, feature_flag_name: Segment) -> FeatureFlag:
    """Delete the flag; the response shows it for the last time."""
    async with call.transaction() as tx:
        project = await find_project(tx, call.actor, id, to=WRITE_FEATURE_FLAGS)
        flag = await find_flag(tx, project.id, feature_flag_name)
        call.unless_modified(flag.updated_at)
        shown = await _load(tx, flag)
        await operations.remove(tx, call.actor, flag)
        return shown


@get("/feature_flags/unleash/:project_id/client/features", anonymous=True)
async def list_unleash_features(call: Call, project_id: int, query: UnleashClient) -> UnleashFeatures:
    """The flags of a project as an Unleash client in the environment `app_name` reads them."""
    environment = call.request.get_header("UNLEASH-APPNAME") or query.app_name or ""
    async with call.reading() as tx:
        await _authenticate(call, tx, project_id, query)
        return await unleash.load_features(tx, project_id, environment)


@post("/feature_flags/unleash/:project_id/client/register", anonymous=True, status=200)
async def register_unleash_client(call: Call, project_id: int, query: UnleashClient) -> None:
    """Accept the greeting of an Unleash client; nothing about it is stored."""
    async with call.reading() as tx:
        await _authenticate(call, tx, project_id, query)


@post("/feature_flags/unleash/:project_id/client/metrics", anonymous=True, status=200)
async def receive_unleash_metrics(call: Call, project_id: int, query: UnleashClient) -> None:
    """Accept the figures of an Unleash client; nothing of them is stored."""
    async with call.reading() as tx:
        await _authenticate(call, tx, project_id, query)


async def _authenticate(call: Call, tx: Tx, project_id: int, query: UnleashClient) -> None:
    """401 unless the client has the token of the project."""
    given = call.request.get_header("UNLEASH-INSTANCEID") or query.instance_id or ""
    if not await unleash.is_token(tx, call.services.vault, project_id, given):
        raise errors.unauthorized()


async def _load(tx: Tx, flag: FeatureFlagRow) -> FeatureFlag:
    return (await entities.to_entities(tx, [flag]))[0]
