"""Users."""

from mujina.accounts.sessions.logins import unlock
from mujina.accounts.users import entities, filters, operations
from mujina.accounts.users.entities import Activity, Avatar, Decision, FullUser, User, UserRef
from mujina.accounts.users.params import (
    CreateUser,
    DeleteUser,
    EditUser,
    ListActivities,
    ListUsers,
    ShowAvatar,
    ShowUser,
)
from mujina.accounts.users.profile import avatars
from mujina.accounts.users.profile.avatars import staged_avatar
from mujina.accounts.users.removing import operations as removal
from mujina.accounts.users.rules import find_person, find_user
from mujina.accounts.users.sign_in import accounts, identities
from mujina.instance.application_settings.rules import read_settings
from mujina.kernel import errors
from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.paging import Page, Paged
from mujina.kernel.http.routing import Digits, Segment, delete, get, post, put
from mujina.kernel.lists.keyset import load_following
from mujina.kernel.permissions.scopes import READ_USER


@get("/users", scopes=READ_USER, anonymous=True)
async def list_users(call: Call, query: ListUsers, page: Page) -> Paged[UserRef | FullUser]:
    async with call.listing(wide=query.search) as tx:
        if call.actor.anonymous and (not query.username or (await read_settings(tx)).forbids("public")):
            raise errors.forbidden("Not authorized to access /api/v4/users")
        selection = filters.listed_users(call.actor, query)
        order = filters.order(call.actor, query)
        if query.pagination != "keyset" or order is filters.BEST_MATCHES:
            users = await entities.load_page(tx, call.actor, selection, order, page)
        else:
            users = await load_following(
                tx, selection, order, page, query.cursor,
                lambda rows, page: entities.load_page(tx, call.actor, rows, order, page),
            )  # fmt: skip
        if query.with_custom_attributes:
            await entities.show_attributes_of(tx, call.actor, users.items)
        return users


@get("/users/:id", scopes=READ_USER, anonymous=True)
async def show_user(call: Call, id: Digits, query: ShowUser) -> User | FullUser:
    async with call.reading() as tx:
        if call.actor.anonymous and (await read_settings(tx)).forbids("public"):
            raise errors.not_found("User")
        shown = await entities.load_one(tx, call.actor, (await find_user(tx, id)).id)
        if query.with_custom_attributes:
            await entities.show_attributes_of(tx, call.actor, [shown])
        return shown


@post("/users", admin=True)
async def create_user(call: Call, change: CreateUser) -> User | FullUser:
    password = operations.password_of(change)
    password_hash = await call.services.passwords.hash(password) if password else None
    async with staged_avatar(call.services.files, change.avatar) as avatar, call.transaction() as tx:
        user_id = await operations.create(tx, call.actor, change, password_hash)
        await avatars.put(tx, call.actor, user_id, avatar)
        return await entities.load_one(tx, call.actor, user_id)


@put("/users/:id", admin=True)
async def edit_user(call: Call, id: Digits, change: EditUser) -> User | FullUser:
    password_hash = await call.services.passwords.hash(change.password) if change.password else None
    async with staged_avatar(call.services.files, change.avatar) as avatar, call.transaction() as tx:
        user = await find_person(tx, id, lock=True)
        await operations.edit(tx, call.actor, user, change, password_hash)
        await avatars.put(tx, call.actor, user.id, avatar)
        return await entities.load_one(tx, call.actor, user.id)


@delete("/users/:id", admin=True)
async def delete_user(call: Call, id: Digits, change: DeleteUser) -> None:
    async with call.transaction() as tx:
        user = await find_person(tx, id)
        call.unless_modified(user.updated_at)
        done = await removal.remove(tx, call.actor, user, hard=change.hard_delete is True)
    if not done:
        await removal.complete(call.services.database, user.id, hard=change.hard_delete is True)


@delete("/users/:id/identities/:provider", admin=True)
async def delete_user_identity(call: Call, id: Digits, provider: Segment) -> None:
    async with call.transaction() as tx:
        await identities.remove(tx, call.actor, await find_person(tx, id, lock=True), provider)


@get("/avatar", anonymous=True)
async def show_avatar(call: Call, query: ShowAvatar) -> Avatar:
    """Show the avatar of the user whose public address this is; every other address has none."""
    async with call.reading() as tx:
        if call.actor.anonymous and (await read_settings(tx)).forbids("public"):
            raise errors.forbidden()
        return await entities.avatar_of_address(tx, query.email)


@get("/user", scopes=READ_USER)
async def show_self(call: Call) -> FullUser:
    """Show your own account."""
    async with call.reading() as tx:
        return await entities.own(tx, call.actor)


@post("/users/:id/block", admin=True)
async def block_user(call: Call, id: Digits) -> bool:
    async with call.transaction() as tx:
        return await accounts.block(tx, call.actor, await find_person(tx, id))


@post("/users/:id/unblock", admin=True)
async def unblock_user(call: Call, id: Digits) -> bool:
    """Also ends the lock that failed sign-ins put on the account; false if the user was neither blocked nor locked."""
    async with call.transaction() as tx:
        user = await find_person(tx, id)
        unblocked = await accounts.unblock(tx, call.actor, user)
        return await unlock(tx, call.actor, user.id) or unblocked


@post("/users/:id/approve", admin=True)
async def approve_user(call: Call, id: Digits) -> Decision:
    """Let in a user who signed up and waits for approval."""
    async with call.transaction() as tx:
        await accounts.approve(tx, call.actor, await find_person(tx, id, lock=True))
    return Decision()


@post("/users/:id/reject", admin=True, status=200)
async def reject_user(call: Call, id: Digits) -> Decision:
    """Delete a user who signed up and waits for approval."""
    async with call.transaction() as tx:
        user = await find_person(tx, id, lock=True)
        accounts.check_pending(user, "reject")
        done = await removal.remove(tx, call.actor, user, hard=True)
    if not done:
        await removal.complete(call.services.database, user.id, hard=True)
    return Decision()


@get("/user/activities", scopes=READ_USER, admin=True)
async def list_user_activities(call: Call, query: ListActivities, page: Page) -> Paged[Activity]:
    """List when each user was last active."""
    async with call.reading() as tx:
        selection = filters.active_since(query.from_ or filters.six_months_ago())
        return await entities.activities(tx, selection, page)
