"""OpenID Connect: who a person is, said in a token that any client can check against a key that this instance publishes.

The token is put together by hand: it is one header and one signature by a library we have; a library of tokens in the
server would bring the reading of foreign ones along. The tests check ours with such a library.
"""

import asyncio
import base64
import hashlib
from datetime import timedelta
from functools import lru_cache
from typing import TYPE_CHECKING, Any

import msgspec

from mujina.instance.identity import operations as instance
from mujina.kernel import clock, deferred_imports
from mujina.kernel.services import Services

if TYPE_CHECKING:
    from cryptography.hazmat.primitives.asymmetric.rsa import RSAPrivateKey

SCOPE = "openid"
PURPOSE = "openid_key"
"""What the vault encrypts the private key for, and the name under which the instance remembers it."""
ALGORITHM = "RS256"
LASTS = timedelta(minutes=2)
_BITS = 2048


async def id_token(services: Services, issuer: str, client: str, user_id: int, nonce: str | None) -> str:
    """A person signed in for this client just now; `nonce` ties it to the client's own request."""
    key = await _signing_key(services)
    header = {"alg": ALGORITHM, "typ": "JWT", "kid": _print(_numbers(key))}
    claims: dict[str, Any] = {
        "iss": issuer, "sub": str(user_id), "aud": client,
        "iat": clock.seconds(clock.now()), "exp": clock.seconds(clock.later(LASTS)),
    }  # fmt: skip
    if nonce:
        claims["nonce"] = nonce
    said = ".".join(_coded(msgspec.json.encode(part)) for part in (header, claims))
    padding, hashes = deferred_imports.signatures()
    signature = key.sign(said.encode(), padding.PKCS1v15(), hashes.SHA256())
    return f"{said}.{_coded(signature)}"


async def public_keys(services: Services) -> list[dict[str, str]]:
    """What clients check our tokens against, as JSON Web Keys (RFC 7517)."""
    numbers = _numbers(await _signing_key(services))
    return [{**numbers, "use": "sig", "alg": ALGORITHM, "kid": _print(numbers)}]


async def _signing_key(services: Services) -> "RSAPrivateKey":
    """The key of the instance: made when it is first asked for, the same for every process, encrypted in the database."""
    async with services.database.reading() as tx:
        sealed = await instance.read_fact(tx, PURPOSE)
    if sealed is None:
        made = services.vault.encrypt(await asyncio.to_thread(_make), PURPOSE)
        async with services.database.transaction() as tx:
            sealed = await instance.store_fact_once(tx, PURPOSE, made)
    return _load(services.vault.decrypt(sealed, PURPOSE))


def _make() -> str:
    forms = deferred_imports.key_forms()
    key = deferred_imports.rsa().generate_private_key(public_exponent=65_537, key_size=_BITS)
    return key.private_bytes(forms.Encoding.PEM, forms.PrivateFormat.PKCS8, forms.NoEncryption()).decode()


@lru_cache(4)
def _load(pem: str) -> Any:
    return deferred_imports.key_forms().load_pem_private_key(pem.encode(), None)


def _numbers(key: "RSAPrivateKey") -> dict[str, str]:
    public = key.public_key().public_numbers()
    return {"e": _coded(_big_endian(public.e)), "kty": "RSA", "n": _coded(_big_endian(public.n))}


def _print(numbers: dict[str, str]) -> str:
    """By what keys are told apart (RFC 7638)."""
    return _coded(hashlib.sha256(msgspec.json.encode(numbers, order="sorted")).digest())


def _big_endian(number: int) -> bytes:
    return number.to_bytes((number.bit_length() + 7) // 8)


def _coded(part: bytes) -> str:
    return base64.urlsafe_b64encode(part).decode().rstrip("=")
