import pytest

from mujina.accounts.users.rules import find_user
from mujina.accounts.users.sign_in import accounts
from mujina.kernel.passwords import Passwords
from mujina.kernel.permissions.actor import SYSTEM
from tests.harness.visitor import Visitor

PASSWORD = "correct horse battery"


@pytest.fixture(scope="session")
def hashed(loop):
    """The hash of PASSWORD, made once."""
    return loop.run_until_complete(Passwords(kilobytes=64).hash(PASSWORD))


@pytest.fixture
def known(cast, hashed):
    """Reporter and root know their password, which is PASSWORD."""

    async def set_passwords(tx):
        for person in (cast.reporter, cast.root, cast.blocked):
            await accounts.set_password(tx, SYSTEM, await find_user(tx, person.id), hashed)

    cast.transact(set_passwords)
    return cast


@pytest.fixture
def visitor(client, known):
    return Visitor(client)


@pytest.fixture
def signed_in(visitor):
    """The reporter's browser, signed in."""
    assert visitor.sign_in("reporter", PASSWORD).status == 303
    return visitor
