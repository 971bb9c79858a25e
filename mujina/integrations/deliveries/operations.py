"""One call of a hook's URL, and its record without secrets."""

import re
from base64 import b64encode
from collections.abc import Callable, Sequence
from functools import lru_cache
from time import perf_counter
from typing import Final
from urllib.parse import unquote, unquote_plus, urlsplit, urlunsplit
from uuid import NAMESPACE_URL, uuid5

import msgspec

from mujina.adapters.mail import PostponedMail
from mujina.adapters.outbound.client import Outbound, OutboundResponse, RequestOptions, Timeouts
from mujina.adapters.outbound.dial import HostUnreachable
from mujina.adapters.outbound.guard import OutboundForbidden
from mujina.integrations.deliveries.mails.operations import send_mails
from mujina.integrations.deliveries.queue.leases import Attempt, HookRequest, find_request, log_attempts, resume
from mujina.integrations.hooks.operations import TOKEN, URL
from mujina.integrations.services.calls import ServiceCall, ServiceMail, build_calls
from mujina.integrations.services.operations import PURPOSE
from mujina.kernel import clock, errors
from mujina.kernel.build import VERSION
from mujina.kernel.http.dispatcher import DELIVERY_HEADER, DELIVERY_PURPOSE
from mujina.kernel.monitoring.logs import log
from mujina.kernel.monitoring.metrics import count_delivery
from mujina.kernel.product import ExtensionPoint
from mujina.kernel.secrets import UnreadableSecret, Vault
from mujina.kernel.services import Services

TIMEOUTS: Final = Timeouts(connect=10, read=10, total=10)
MAX_ANSWER_BYTES: Final = 64 * 1024
INTERNAL_ERROR: Final = "internal error"
SENT: Final = "250"
"""The status of a mail that the mail server took."""
NO_SUPPORTED_EVENT: Final = "This service receives none of the sample events."
REDACTED: Final = "[REDACTED]"
UNREADABLE: Final = (
    "The URL or the secret token of this hook cannot be decrypted, because the key that encrypted it is missing. "
    "Save the hook again with both of them."
)
MIN_SECRET_LENGTH: Final = 4
_SECRET_PARAMETER: Final = re.compile(
    r"((?:^|(?<=&))[^=&]*(?:token|secret|passw|key|sig|auth)[^=&]*=)([^&]*)", re.IGNORECASE
)
_SECRET_HEADERS: Final = frozenset(
    {
        "set-cookie",
        "set-cookie2",
        "authorization",
        "www-authenticate",
        "proxy-authenticate",
        DELIVERY_HEADER.lower(),
    }
)


RECEIVERS: Final = ExtensionPoint[Callable[[str, dict[str, str], str], OutboundResponse | None]](
    "what sees the URL, the headers and the body of every delivery, and may answer it in the place of the receiver"
)


class Sent(msgspec.Struct, frozen=True):
    """The result of a call."""

    attempt: Attempt
    retriable: bool
    """Whether another attempt may succeed: the receiver was not reached, or did not answer in time, or the operator may
    bring a missing key back."""


async def call_once(services: Services, hook_id: int, payload_id: int) -> Attempt:
    """Call the hook now with a stored payload, for a test or once more, and log it; a success resumes a paused hook.

    422 if it is the hook of a service that is not told of this event.
    """
    async with services.database.reading() as tx:
        request = await find_request(tx, hook_id, payload_id)
    if request is None:
        raise errors.not_found("Hook")
    outbound = Outbound(services.settings.outbound_allow)
    try:
        sent = await send(services, outbound, request)
    finally:
        await outbound.aclose()
    if sent is None:
        raise errors.Unprocessable({"message": NO_SUPPORTED_EVENT})
    attempt = sent.attempt
    async with services.database.transaction() as tx:
        await log_attempts(tx, [attempt])
        if attempt.successful:
            await resume(tx, hook_id)
    return attempt


def check_success(attempt: Attempt) -> None:
    """422 if the receiver did not answer with success."""
    if not attempt.successful:
        reason = attempt.error or f"The receiver answered with status {attempt.response_status}."
        raise errors.Unprocessable({"message": reason})


async def send(services: Services, outbound: Outbound, request: HookRequest) -> Sent | None:
    """Call the hook, or the service behind it, once. None: the service is not told of this event."""
    try:
        if request.service is None:
            return await _post(services, outbound, request, _hook_call(services, request), _logged_url)
        calls, secrets = service_calls(services.vault, request)
    except UnreadableSecret as error:
        return _not_sent(request, error)
    sent: Sent | None = None
    for call in calls:
        if isinstance(call, ServiceMail):
            sent = await _mail(services, request, call)
        else:
            sent = await _post(services, outbound, request, call, _logged_origin, secrets)
        if sent.attempt.failed:
            break
    return sent


async def _post(
    services: Services, outbound: Outbound, request: HookRequest, call: ServiceCall, logged_url: Callable[[str], str],
    further: Sequence[str] = (),
) -> Sent:  # fmt: skip
    """One request. Redirects are not followed, and at most the beginning of the answer is read."""
    headers = {"Content-Type": call.content_type, "User-Agent": f"Mujina/{VERSION}", **call.headers}
    secrets = [*further, *_secrets(headers, call.url)]
    started, started_at = perf_counter(), clock.now()
    response: OutboundResponse | None = None
    error, retriable = None, False
    options = RequestOptions(headers=headers, verify_tls=call.verify_tls, timeouts=TIMEOUTS, max_bytes=MAX_ANSWER_BYTES)
    if call.auth is not None:
        options["auth"] = call.auth
    try:
        response = _answered_here(services, call.url, headers, call.body.decode()) or await outbound.post(
            call.url, body=call.body, **options
        )
    except OutboundForbidden as forbidden:
        error = str(forbidden)
    except HostUnreachable as unreachable:
        error, retriable = str(unreachable), True
    seconds = perf_counter() - started
    status = INTERNAL_ERROR if response is None else str(response.status)
    count_delivery("answered" if response else "unreachable" if retriable else "forbidden", seconds)
    attempt = Attempt(
        hook_id=request.hook_id, payload_id=request.payload_id, url=logged_url(call.url),
        request_headers=_logged(headers), response_headers=_logged(response.headers if response else {}, secrets),
        response_body=_redacted(_text(response), secrets), response_status=status, milliseconds=round(seconds * 1000),
        error=_storable(error), started_at=started_at,
    )  # fmt: skip
    return Sent(attempt, retriable)


def _answered_here(services: Services, url: str, headers: dict[str, str], body: str) -> OutboundResponse | None:
    """The response of a chapter that sees all deliveries and answers this one; None: the receiver is called."""
    return next(filter(None, (answer(url, headers, body) for answer in services.product.all(RECEIVERS))), None)


async def _mail(services: Services, request: HookRequest, call: ServiceMail) -> Sent:
    """The mails, as one attempt."""
    started, started_at, error = perf_counter(), clock.now(), None
    try:
        await send_mails(services, call)
    except (PostponedMail, OSError) as failure:
        error = f"The mail server does not take mail now: {failure}"
    milliseconds = round((perf_counter() - started) * 1000)
    attempt = Attempt(
        hook_id=request.hook_id, payload_id=request.payload_id, url="mailto:", request_headers="{}",
        response_headers="{}", response_body="", response_status=INTERNAL_ERROR if error else SENT,
        milliseconds=milliseconds, error=_storable(error), started_at=started_at,
    )  # fmt: skip
    return Sent(attempt, retriable=error is not None)


def service_calls(vault: Vault, request: HookRequest) -> tuple[list[ServiceCall] | list[ServiceMail], list[str]]:
    """The requests or mails by which a service is told of the event, and the secrets in them."""
    secrets: dict[str, str] = msgspec.json.decode(vault.decrypt(request.service_secrets or "", PURPOSE))
    fields = {**msgspec.json.decode(request.service_properties or "{}"), **secrets}
    calls = build_calls(request.service or "", fields, msgspec.json.decode(request.body))
    known = {part for value in secrets.values() for part in (value, value.rpartition("/")[2])}
    return calls, sorted((part for part in known if len(part) >= MIN_SECRET_LENGTH), key=len, reverse=True)


def _hook_call(services: Services, request: HookRequest) -> ServiceCall:
    url, headers = services.vault.decrypt(request.url, URL), _headers(services, request)
    return ServiceCall(url=url, body=request.body.encode(), headers=headers, verify_tls=request.verify_tls)


def _not_sent(request: HookRequest, error: UnreadableSecret) -> Sent:
    """The record of a call that could not be made."""
    log.warning("the secrets of a hook cannot be decrypted", hook=request.hook_id, error=str(error))
    count_delivery("unreadable", 0)
    attempt = Attempt(
        hook_id=request.hook_id, payload_id=request.payload_id, url="", request_headers="{}", response_headers="{}",
        response_body="", response_status=INTERNAL_ERROR, milliseconds=0, error=UNREADABLE, started_at=clock.now(),
    )  # fmt: skip
    return Sent(attempt, retriable=True)


def _headers(services: Services, request: HookRequest) -> dict[str, str]:
    visited = f"{request.visited}{'-' if request.visited else ''}{request.hook_id}"
    delivery = f"{request.key}.{int(clock.timestamp())}.{visited}"
    headers = {
        "Idempotency-Key": f"{request.key}-{request.hook_id}",
        "X-Gitlab-Instance": services.settings.url,
        "X-Gitlab-Event-UUID": request.key,
        "X-Gitlab-Webhook-UUID": _hook_uuid(services.settings.url, request.hook_id),
        "X-Gitlab-Event": request.event,
        "X-Mujina-Event": request.event,
        DELIVERY_HEADER: f"{delivery}.{services.vault.sign(delivery, DELIVERY_PURPOSE)}",
    }
    if token := _token(services.vault, request):
        headers |= {"X-Gitlab-Token": token, "X-Mujina-Token": token}
    return headers


@lru_cache
def _hook_uuid(instance: str, hook_id: int) -> str:
    """The id that every delivery of a hook carries, and none of any other hook or instance."""
    return str(uuid5(NAMESPACE_URL, f"{instance}/hooks/{hook_id}"))


def _token(vault: Vault, request: HookRequest) -> str:
    return vault.decrypt(request.token, TOKEN).strip() if request.token else ""


MASK = "*****"


def masked_url(url: str) -> str:
    """The URL without its password, and without a user name that may be one."""
    parts = urlsplit(url)
    user, found, host = parts.netloc.rpartition("@")
    if not found:
        return url
    name, _, password = user.partition(":")
    shown = f"{name}:{MASK}" if password else MASK
    return urlunsplit(parts._replace(netloc=f"{shown}@{host}"))


def _logged_url(url: str) -> str:
    """The URL as the log keeps it: also without what parameters with such names contain."""
    parts = urlsplit(masked_url(url))
    return urlunsplit(parts._replace(query=_SECRET_PARAMETER.sub(rf"\1{MASK}", parts.query)))


def _logged_origin(url: str) -> str:
    """The server of a service: the rest of the URL may be its secret."""
    parts = urlsplit(url)
    return f"{parts.scheme}://{parts.netloc.rpartition('@')[2]}/"


def unmasked_url(url: str, stored: str) -> str:
    """A URL that `masked_url` showed, perhaps with another path, with the password of the stored one."""
    shown = urlsplit(masked_url(stored))
    server = f"{shown.scheme}://{shown.netloc}"
    if url == server or url.startswith((f"{server}/", f"{server}?")):
        return url.replace(shown.netloc, urlsplit(stored).netloc, 1)
    return url


def _secrets(headers: dict[str, str], url: str) -> list[str]:
    """Hides secrets that a receiver could reveal by echoing its request. Shorter texts are in any answer."""
    user, _, _ = urlsplit(url).netloc.rpartition("@")
    name, _, password = user.partition(":")
    found = [
        headers.get("X-Gitlab-Token", ""),
        headers.get(DELIVERY_HEADER, ""),
        password or name,
        unquote(password or name),
    ]
    if user:
        found.append(b64encode(f"{unquote(name)}:{unquote(password)}".encode()).decode())
    for each in _SECRET_PARAMETER.finditer(urlsplit(url).query):
        found += [each[2], unquote_plus(each[2])]
    return sorted({secret for secret in found if len(secret) >= MIN_SECRET_LENGTH}, key=len, reverse=True)


def _redacted(text: str, secrets: Sequence[str]) -> str:
    for secret in secrets:
        text = text.replace(secret, REDACTED)
    return text


def _logged(headers: dict[str, str], secrets: Sequence[str] = ()) -> str:
    """Headers as the log keeps them, with names as `Content-Type`."""
    shown = {
        _capitalized(name): REDACTED if _is_secret(name) else _redacted(_storable(value) or "", secrets)
        for name, value in headers.items()
    }
    return msgspec.json.encode(shown).decode()


def _is_secret(name: str) -> bool:
    return name.lower() in _SECRET_HEADERS or name.lower().endswith("-token")


def _capitalized(name: str) -> str:
    return "-".join(part[:1].upper() + part[1:] for part in name.split("-"))


def _text(response: OutboundResponse | None) -> str:
    """The answer as text that any database accepts; bytes that are no UTF-8 are dropped."""
    return "" if response is None else response.body.decode("utf-8", "ignore").replace("\0", "")


def _storable(text: str | None) -> str | None:
    return None if text is None else text.replace("\0", "").encode("utf-8", "replace").decode()
