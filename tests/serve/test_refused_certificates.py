"""A certificate of sites that cannot be used ends the start with a sentence that says what to do; `mujina doctor` says it, too."""

from pathlib import Path

import pytest
from cryptography.hazmat.primitives import serialization

from tests.cli.command import mujina, mujina_process
from tests.harness.certificates import self_signed
from tests.harness.running import running


@pytest.fixture(scope="module")
def files(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The files of certificates and keys."""
    folder = tmp_path_factory.mktemp("certificates")
    certificate, key = self_signed()
    (folder / "good.pem").write_text(certificate)
    (folder / "good.key").write_text(key)
    (folder / "both.pem").write_text(key + certificate)
    (folder / "other.key").write_text(self_signed()[1])
    expired, of_expired = self_signed(days=-1)
    (folder / "expired.pem").write_text(expired)
    (folder / "expired.key").write_text(of_expired)
    later, of_later = self_signed(begins=10)
    (folder / "later.pem").write_text(later)
    (folder / "later.key").write_text(of_later)
    (folder / "text.pem").write_text("no certificate\n")
    read = serialization.load_pem_private_key(key.encode(), None)
    protected = serialization.BestAvailableEncryption(b"words of tests")
    (folder / "protected.key").write_bytes(
        read.private_bytes(serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, protected)
    )
    return folder


UNUSABLE = {
    ("none.pem", "good.key"): "pages_tls_certificate: {}/none.pem cannot be read (No such file or directory): name another file",
    ("", "good.key"): "pages_tls_key is set to {}/good.key, but pages_tls_certificate is not: name the file of the certificate",
    ("good.pem", ""): "pages_tls_key is not set, and {}/good.pem has no key: name the file with the key.",
    ("good.pem", "none.key"): "pages_tls_key: {}/none.key cannot be read (No such file or directory): name another file",
    ("good.pem", "text.pem"): "pages_tls_key: {}/text.pem has no key in PEM: name the file with the key of {}/good.pem.",
    ("good.pem", "other.key"): "pages_tls_key: {}/other.key has another key than that of the certificate in {}/good.pem",
    ("good.pem", "protected.key"): "pages_tls_key: the key is protected by a password: store it without one",
    ("text.pem", "good.key"): "pages_tls_certificate: {}/text.pem has no certificate in PEM: name the file of the chain.",
}  # fmt: skip
OF_ANOTHER_TIME = {
    ("expired.pem", "expired.key"): "pages_tls_certificate: {}/expired.pem expired at 20",
    ("later.pem", "later.key"): "pages_tls_certificate: {}/later.pem is valid from 20",
}


@pytest.mark.parametrize("names", UNUSABLE)
def test_a_certificate_that_cannot_be_used(tmp_path: Path, files: Path, names: tuple[str, str]):
    environment = environment_of(files, names)
    sentence = UNUSABLE[names].replace("{}", str(files))
    refused = mujina_process("serve", "--port", "0", "--data", str(tmp_path / "data"), **environment)
    assert refused.error.startswith(sentence)
    assert not (tmp_path / "data").exists()
    assert f"PROBLEM  settings: {sentence}" in mujina("doctor", "--data", str(tmp_path), **environment).out


@pytest.mark.parametrize("names", [("good.pem", "good.key"), ("both.pem", "")])
def test_a_certificate_that_can_be_used(tmp_path: Path, files: Path, names: tuple[str, str]):
    assert "ok       settings: " in mujina("doctor", "--data", str(tmp_path), **environment_of(files, names)).out


@pytest.mark.parametrize("names", OF_ANOTHER_TIME)
def test_a_server_starts_with_a_certificate_of_another_time(tmp_path: Path, files: Path, names: tuple[str, str]):
    environment, sentence = environment_of(files, names), OF_ANOTHER_TIME[names].replace("{}", str(files))
    with running(tmp_path, **environment) as server:
        log = server.data.with_suffix(f".{server.starts}.log").read_text()
        assert sentence in log
    assert f"PROBLEM  settings: {sentence}" in mujina("doctor", "--data", str(tmp_path), **environment).out


def environment_of(files: Path, names: tuple[str, str]) -> dict[str, str]:
    settings = zip(("MUJINA_PAGES_TLS_CERTIFICATE", "MUJINA_PAGES_TLS_KEY"), names, strict=True)
    return {variable: f"{files}/{name}" for variable, name in settings if name} | {"MUJINA_PAGES_TLS_PORT": "0"}
