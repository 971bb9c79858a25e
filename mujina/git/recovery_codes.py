"""New recovery codes over SSH, for users who lost their device and have their key: `ssh git@… 2fa_recovery_codes`."""

from typing import TYPE_CHECKING

from mujina.accounts.two_factor import operations
from mujina.accounts.users import entities
from mujina.kernel.permissions.actor import Actor
from mujina.kernel.services import Services

if TYPE_CHECKING:
    from asyncssh import SSHServerProcess

QUESTION = "New recovery codes take the place of those you have. Do you want them? (yes/no)\n"
NOT_NEEDED = "Two-factor authentication is not on for your account.\n"
KEPT = "Your recovery codes stay as they are.\n"
SHOWN = (
    "Your two-factor authentication recovery codes are:\n\n{}\n\nEach code works once. They will not be shown again.\n"
)


async def renew(services: Services, actor: Actor, process: "SSHServerProcess[bytes]") -> int:
    """Create and show new codes after the user has answered yes."""
    async with services.database.reading() as tx:
        enabled = (await entities.own(tx, actor)).two_factor_enabled
    if not enabled:
        process.stderr.write(NOT_NEEDED.encode())
        return 1
    process.stdout.write(QUESTION.encode())
    if (await process.stdin.readline()).strip().lower() != b"yes":
        process.stdout.write(KEPT.encode())
        return 0
    async with services.database.transaction() as tx:
        codes = await operations.regenerate_codes(tx, actor)
    process.stdout.write(SHOWN.format("\n".join(codes)).encode())
    return 0
