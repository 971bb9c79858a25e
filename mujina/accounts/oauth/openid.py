"""OpenID Connect: ID tokens, which clients verify with the public key of this instance.

We build the tokens ourselves: it takes one header and one signature, and a token library would also bring code that
parses foreign tokens into the server. The tests verify our tokens with such a library.
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
"""The purpose under which the vault encrypts the private key, and the name of the fact that stores it."""
ALGORITHM = "RS256"
LIFETIME = timedelta(minutes=2)
_BITS = 2048


async def id_token(services: Services, issuer: str, client: str, user_id: int, nonce: str | None) -> str:
    """An ID token: the user signed in for this client just now. `nonce` binds it to the client's request."""
    key = await _signing_key(services)
    header = {"alg": ALGORITHM, "typ": "JWT", "kid": _thumbprint(_numbers(key))}
    claims: dict[str, Any] = {
        "iss": issuer, "sub": str(user_id), "aud": client,
        "iat": clock.seconds(clock.now()), "exp": clock.seconds(clock.later(LIFETIME)),
    }  # fmt: skip
    if nonce:
        claims["nonce"] = nonce
    signed = ".".join(_base64url(msgspec.json.encode(part)) for part in (header, claims))
    padding, hashes = deferred_imports.signatures()
    signature = key.sign(signed.encode(), padding.PKCS1v15(), hashes.SHA256())
    return f"{signed}.{_base64url(signature)}"


async def public_keys(services: Services) -> list[dict[str, str]]:
    """The keys with which clients verify our tokens, as JSON Web Keys (RFC 7517)."""
    numbers = _numbers(await _signing_key(services))
    return [{**numbers, "use": "sig", "alg": ALGORITHM, "kid": _thumbprint(numbers)}]


async def _signing_key(services: Services) -> "RSAPrivateKey":
    """The key of the instance: created when first needed, shared by every process, encrypted in the database."""
    async with services.database.reading() as tx:
        encrypted = await instance.read_fact(tx, PURPOSE)
    if encrypted is None:
        created = services.vault.encrypt(await asyncio.to_thread(_generate), PURPOSE)
        async with services.database.transaction() as tx:
            encrypted = await instance.store_fact_once(tx, PURPOSE, created)
    return _load(services.vault.decrypt(encrypted, PURPOSE))


def _generate() -> str:
    forms = deferred_imports.key_forms()
    key = deferred_imports.rsa().generate_private_key(public_exponent=65_537, key_size=_BITS)
    return key.private_bytes(forms.Encoding.PEM, forms.PrivateFormat.PKCS8, forms.NoEncryption()).decode()


@lru_cache(4)
def _load(pem: str) -> Any:
    return deferred_imports.key_forms().load_pem_private_key(pem.encode(), None)


def _numbers(key: "RSAPrivateKey") -> dict[str, str]:
    public = key.public_key().public_numbers()
    return {"e": _base64url(_big_endian(public.e)), "kty": "RSA", "n": _base64url(_big_endian(public.n))}


def _thumbprint(numbers: dict[str, str]) -> str:
    """The thumbprint that identifies a key (RFC 7638)."""
    return _base64url(hashlib.sha256(msgspec.json.encode(numbers, order="sorted")).digest())


def _big_endian(number: int) -> bytes:
    return number.to_bytes((number.bit_length() + 7) // 8)


def _base64url(part: bytes) -> str:
    return base64.urlsafe_b64encode(part).decode().rstrip("=")
