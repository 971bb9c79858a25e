"""The first start of an instance makes its administrator."""

from mujina.accounts.credentials import operations as credentials
from mujina.accounts.users import accounts, operations
from mujina.accounts.users.params import CreateUser
from mujina.accounts.users.rules import find_user
from mujina.kernel import secrets
from mujina.kernel.actor import SYSTEM
from mujina.kernel.db.transaction import Database, Tx
from mujina.kernel.services import Services


async def make_root(services: Services) -> str | None:
    """The administrator `root`, if nobody was ever here; what to tell the operator, once, if a password was made up."""
    if await _anybody(services.database):
        return None
    settings = services.settings
    password = settings.root_password or secrets.new_password()
    hashed = await services.passwords.hash(password)
    async with services.database.transaction() as tx:
        # Of processes that start together one goes first; the others find its root.
        await tx.value("SELECT version_num FROM alembic_version FOR UPDATE")
        if await tx.value("SELECT 1 FROM users LIMIT 1"):
            return None
        await _make(tx, password, hashed, settings.root_token)
    if settings.root_password:
        return None
    return f"The administrator is `root` with the password {password} (shown only this once)."


async def _anybody(database: Database) -> bool:
    async with database.reading() as tx:
        return await tx.value("SELECT 1 FROM users LIMIT 1") is not None


async def _make(tx: Tx, password: str, hashed: str, token: str | None) -> None:
    change = CreateUser(
        username="root",
        name="Administrator",
        email="admin@example.com",
        password=password,
        admin=True,
        skip_confirmation=True,
    )
    root = await find_user(tx, await operations.create(tx, SYSTEM, change, hashed))
    await accounts.set_password(tx, SYSTEM, root, hashed)  # the operator chose it, or is told: it need not be changed
    if token:
        await credentials.create_token(tx, root.id, "first start", ["api", "sudo"], token=token)
