import stat
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from mujina.kernel import secrets
from mujina.kernel.secrets import (
    UnreadableSecret,
    Vault,
    digest,
    instance_key,
    new_key,
    new_oauth_token,
    new_token,
    same,
)
from tests.harness import fork_server
from tests.harness.any_text import any_text

VAULT = Vault(new_key())


def test_a_personal_access_token_is_twenty_url_safe_characters():
    tokens = {new_token() for _ in range(100)}
    assert len(tokens) == 100
    assert all(len(token) == 20 and token.replace("-", "").replace("_", "").isalnum() for token in tokens)


def test_an_oauth_token_is_sixty_four_hexadecimal_digits():
    assert len(new_oauth_token()) == 64
    assert int(new_oauth_token(), 16)


def test_a_digest_says_nothing_but_whether_the_token_is_the_same():
    token = new_token()
    assert digest(token) == digest(token)
    assert digest(token) != digest(new_token())
    assert token not in digest(token)
    assert len(digest("\ud800")) == 64


def test_secrets_are_compared_whole():
    assert same("tøken", "tøken")
    assert not same("token", "tokem")
    assert not same("token", "token ")


@given(any_text())
def test_an_encrypted_text_is_decrypted(text: str):
    stored = VAULT.encrypt(text, "hook token")
    assert VAULT.decrypt(stored, "hook token") == text


def test_encrypting_a_text_twice_gives_two_results():
    assert VAULT.encrypt("once", "hook token") != VAULT.encrypt("once", "hook token")


def test_a_secret_is_read_for_its_own_purpose_only():
    stored = VAULT.encrypt("s3cret", "hook token")
    with pytest.raises(UnreadableSecret, match="another purpose"):
        VAULT.decrypt(stored, "import password")


# Encrypted once: each encryption differs, and what is drawn below must depend on nothing that changes between draws.
STORED = VAULT.encrypt("s3cret", "hook token")


@given(st.integers(0, len(STORED) - 1), st.sampled_from("Aa0-_:=é"))
def test_a_secret_that_was_tampered_with_is_refused(at: int, other: str):
    assume(other != STORED[at])
    with pytest.raises(UnreadableSecret):
        VAULT.decrypt(STORED[:at] + other + STORED[at + 1 :], "hook token")


def test_another_key_is_refused_with_a_sentence_that_names_both():
    other = Vault(new_key())
    with pytest.raises(UnreadableSecret, match=f"{VAULT.key_id}, but the key in use is {other.key_id}"):
        other.decrypt(VAULT.encrypt("s3cret", "hook token"), "hook token")


def test_after_a_new_key_is_put_in_front_old_secrets_are_still_read():
    old, new = new_key(), new_key()
    stored = Vault(old).encrypt("s3cret", "hook token")
    both = Vault(f"{new}\n{old}\n")
    assert both.decrypt(stored, "hook token") == "s3cret"
    assert Vault(new).decrypt(both.encrypt("later", "hook token"), "hook token") == "later"


_KEY = "".join(f"{n:02d}" for n in range(21)) + "="


@pytest.mark.parametrize("key", ["", "  ", "short", "é" * 44, "A" * 44, _KEY[:-4], "!" + _KEY[1:]])
def test_something_that_is_no_key_is_refused_with_a_sentence(key: str):
    with pytest.raises(UnreadableSecret, match="instance key"):
        Vault(key)


def test_the_key_is_made_once_and_only_its_owner_may_read_it(tmp_path: Path):
    key = instance_key(tmp_path)
    assert instance_key(tmp_path) == key
    assert Vault(key).key_id
    path = tmp_path / "secrets" / "instance.key"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert [entry.name for entry in path.parent.iterdir()] == ["instance.key"]


def test_a_key_given_by_setting_goes_before_the_one_in_the_data_folder(tmp_path: Path):
    given_key = new_key()
    assert instance_key(tmp_path, given_key) == given_key
    assert not (tmp_path / "secrets").exists()


def test_processes_that_start_together_agree_on_one_key(tmp_path: Path):
    with ThreadPoolExecutor(6) as threads:
        ended = list(threads.map(lambda _: fork_server.run("tests.kernel.key_maker", str(tmp_path)), range(6)))
    assert {code for code, _, _ in ended} == {0}, ended
    assert len({key for _, key, _ in ended}) == 1
    assert [entry.name for entry in (tmp_path / "secrets").iterdir()] == ["instance.key"]


def test_a_masked_form_token_is_different_each_time_and_belongs_to_its_cookie():
    one, other = secrets.masked_form_token("cookie"), secrets.masked_form_token("cookie")
    assert one != other
    assert secrets.is_form_token("cookie", one)
    assert secrets.is_form_token("cookie", other)
    for cookie, token in [
        ("another", one),
        ("", one),
        ("cookie", one[:-2]),
        ("cookie", "é"),
        ("cookie", ""),
        ("cookie", "zz"),
    ]:
        assert not secrets.is_form_token(cookie, token)


def test_a_signed_text_is_read_with_its_cookie_only():
    signed = secrets.sign("cookie", "Saved “ü”.")
    assert secrets.read_signed("cookie", signed) == "Saved “ü”."
    for cookie, text in [
        ("another", signed),
        ("", signed),
        ("cookie", f"A{signed}"),
        ("cookie", ""),
        ("cookie", "ü.x"),
    ]:
        assert secrets.read_signed(cookie, text) is None
