import asyncio
from collections.abc import Iterator

import pytest

from mujina.kernel.passwords import Passwords


@pytest.fixture
def passwords() -> Iterator[Passwords]:
    quick = Passwords(kilobytes=64, passes=1)
    yield quick
    quick.close()


def test_a_password_is_verified_against_its_hash(passwords: Passwords):
    async def story():
        stored = await passwords.hash("correct horse ✓")
        assert "horse" not in stored
        assert await passwords.verify(stored, "correct horse ✓")
        assert not await passwords.verify(stored, "correct horse")
        assert await passwords.hash("correct horse ✓") != stored

    asyncio.run(story())


def test_no_password_matches_a_missing_hash(passwords: Passwords):
    async def story():
        assert not await passwords.verify(None, "")
        assert not await passwords.verify(None, "password")

    asyncio.run(story())


def test_a_hash_that_is_none_is_never_matched(passwords: Passwords):
    async def story():
        assert not await passwords.verify("", "")
        assert not await passwords.verify("$argon2id$broken", "password")
        assert not await passwords.verify("plain text", "plain text")

    asyncio.run(story())


def test_a_hash_made_with_other_parameters_still_verifies_and_asks_to_be_made_anew(passwords: Passwords):
    stronger = Passwords(kilobytes=128, passes=1)

    async def story():
        stored = await passwords.hash("hunter2")
        assert not passwords.needs_rehash(stored)
        assert stronger.needs_rehash(stored)
        assert stronger.needs_rehash("plain text")
        assert await stronger.verify(stored, "hunter2")

    asyncio.run(story())
    stronger.close()


def test_the_check_for_an_unknown_user_costs_the_same(passwords: Passwords):
    async def story():
        stored = await passwords.hash("hunter2")
        nobody = passwords._dummy_hash
        assert nobody.split("$")[:4] == stored.split("$")[:4]
        assert [len(part) for part in nobody.split("$")] == [len(part) for part in stored.split("$")]

    asyncio.run(story())


def test_the_event_loop_goes_on_while_many_sign_in(passwords: Passwords):
    slow = Passwords()

    async def story():
        stored = await passwords.hash("hunter2")
        turns = 0
        signing_in = asyncio.gather(*(slow.verify(None if n % 2 else stored, "hunter2") for n in range(4)))
        while not signing_in.done():
            turns += 1
            await asyncio.sleep(0)
        assert turns > 4
        assert await signing_in == [True, False, True, False]

    asyncio.run(story())
    slow.close()
