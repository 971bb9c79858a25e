import pytest

from mujina.accounts.emails import operations as emails
from mujina.accounts.emails.rules import find_email
from mujina.kernel.actor import SYSTEM


@pytest.fixture
def confirm(cast):
    """`confirm(person, email)`: the person has followed the link in the mail to this secondary address."""

    async def follow(user_id, email_id):
        async with cast.database.transaction() as tx:
            await emails.confirm(tx, SYSTEM, await find_email(tx, user_id, email_id))

    return lambda person, email: cast.root.loop.run_until_complete(follow(person.id, email["id"]))
