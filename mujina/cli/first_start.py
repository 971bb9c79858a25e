"""The first start of an instance creates its administrator."""

from mujina.accounts.credentials import operations as credentials
from mujina.accounts.credentials.rules import authenticate
from mujina.accounts.users import operations
from mujina.accounts.users.params import CreateUser
from mujina.accounts.users.rules import find_user
from mujina.accounts.users.sign_in import accounts
from mujina.kernel import secrets
from mujina.kernel.db.transaction import Database, Tx
from mujina.kernel.errors import ApiError
from mujina.kernel.permissions.actor import SYSTEM
from mujina.kernel.services import Services


async def create_root(services: Services) -> str | None:
    """Create the administrator `root` if there are no users; return a message for the operator, if any."""
    settings = services.settings
    if await _has_users(services.database):
        return await _check_root_token(services.database, settings.root_token)
    password = settings.root_password or secrets.new_password()
    hashed = await services.passwords.hash(password)
    async with services.database.transaction() as tx:
        # Processes that start together wait here for each other; only the first one creates root.
        await tx.value("SELECT revision FROM schema_revision FOR UPDATE")
        if await tx.value("SELECT 1 FROM users LIMIT 1"):
            return None
        await _create(tx, password, hashed, settings.root_token)
    if settings.root_password:
        return None
    return f"The administrator is `root` with the password {password} (it will not be shown again)."


async def _check_root_token(database: Database, token: str | None) -> str | None:
    """A message if the token is not valid on this existing instance: a script that relies on it would get 401."""
    if token is None:
        return None
    try:
        async with database.reading() as tx:
            await authenticate(tx, token)
    except ApiError:
        return (
            "The setting root_token (MUJINA_ROOT_TOKEN) is not a valid token of this existing instance and is ignored: "
            "it is created at the first start only. Create another with `mujina token create root`."
        )
    return None


async def _has_users(database: Database) -> bool:
    async with database.reading() as tx:
        return await tx.value("SELECT 1 FROM users LIMIT 1") is not None


async def _create(tx: Tx, password: str, hashed: str, token: str | None) -> None:
    change = CreateUser(
        username="root",
        name="Administrator",
        email="admin@example.com",
        password=password,
        admin=True,
        skip_confirmation=True,
    )
    root = await find_user(tx, await operations.create(tx, SYSTEM, change, hashed))
    await accounts.set_password(tx, SYSTEM, root, hashed)  # the operator knows it: no change is required
    if token:
        await credentials.create_token(tx, SYSTEM, root.id, "first start", ["api", "sudo"], token=token)
