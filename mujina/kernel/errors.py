"""Every error of the API with its exact body, spelled once. Raising one rolls the transaction back."""

import re
from collections.abc import Iterable, Mapping
from http import HTTPStatus
from typing import Any, TypeVar, cast

Item = TypeVar("Item")


class ApiError(Exception):
    """A response other than success: status, JSON body (None: no body) and extra headers."""

    def __init__(self, status: int, body: Any = None, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(status, body)
        self.status = status
        self.body = body
        self.headers = dict(headers or {})

    @property
    def sentences(self) -> list[str]:
        """The complaints as sentences: `Username has already been taken`."""
        body: Mapping[str, Any] = cast("Mapping[str, Any]", self.body) if isinstance(self.body, Mapping) else {}
        message, error = body.get("message"), body.get("error")
        return _sentences(message if isinstance(message, Mapping) or error is None else error)

    @property
    def reasons(self) -> list[str]:
        """The sentences for people: without the status, which is the title of the page."""
        return [re.sub(r"^[0-9]{3} [A-Z][A-Za-z ]+ - ", "", sentence) for sentence in self.sentences]

    @property
    def generic(self) -> bool:
        """Whether it says no more than its status: `404 Project Not Found`."""
        return all(re.fullmatch(r"[0-9]{3} [A-Z][A-Za-z ]+", sentence) for sentence in self.sentences)

    @property
    def by_field(self) -> dict[str, list[str]]:
        """The complaints about single properties: `title` → `can't be blank`."""
        body: Mapping[str, Any] = cast("Mapping[str, Any]", self.body) if isinstance(self.body, Mapping) else {}
        message = body.get("message")
        if isinstance(message, Mapping):
            return {name: _sentences(of) for name, of in cast("Mapping[str, Any]", message).items()}
        complaints = [str(part).partition(" ") for part in str(body.get("error", "")).split(", ")]
        return {name: [complaint] for name, _, complaint in complaints if name.isidentifier() and complaint}


def property_title(name: str) -> str:
    """The name of a property as people write it: `import_url` → `Import URL`."""
    return re.sub(r"\burl\b", "URL", name.replace("_", " ").capitalize(), flags=re.IGNORECASE)


def _sentences(message: Any) -> list[str]:
    if isinstance(message, Mapping):
        complaints = cast("Mapping[str, Any]", message).items()
        return [f"{property_title(name)} {each}" for name, of in complaints for each in _sentences(of)]
    if isinstance(message, list):
        return [sentence for each in cast("list[Any]", message) for sentence in _sentences(each)]
    return [str(message)] if message else []


class KnownError(ApiError):
    """An error whose status is that of its class."""

    code: int

    def __init__(self, body: Any = None, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(self.code, body, headers)


class NotModified(KnownError):
    code = 304


class BadRequest(KnownError):
    code = 400


class IncompleteBody(BadRequest):
    """The client disconnected before the end of its body."""


class Invalid(BadRequest):
    """Validation failed; the body has the complaints of each property."""


class Unauthorized(KnownError):
    code = 401


class Forbidden(KnownError):
    code = 403


class NotFound(KnownError):
    code = 404


class MethodNotAllowed(KnownError):
    code = 405


class NotAcceptable(KnownError):
    code = 406


class RequestTimeout(KnownError):
    code = 408


class Conflict(KnownError):
    code = 409


class PreconditionFailed(KnownError):
    code = 412


class TooLarge(KnownError):
    code = 413


class UnsupportedMediaType(KnownError):
    code = 415


class Unprocessable(KnownError):
    code = 422


class InternalError(KnownError):
    code = 500


class Unavailable(KnownError):
    code = 503


class BranchMoved(BadRequest):
    """The branch was no longer where the change started: nothing was written, and the change may be tried again."""

    def __init__(self) -> None:
        super().__init__({"message": "The branch has moved in the meantime. Please try again."})


def not_modified() -> NotModified:
    """The request changed nothing: already subscribed, already starred, the todo exists."""
    return NotModified()


def missing(*names: str) -> BadRequest:
    """Required attributes were not given."""
    error = ", ".join(f"{name} is missing" for name in names)
    return BadRequest({"message": f'400 (Bad request) "{names[0]}" not given', "error": error})


def unacceptable(*complaints: str) -> BadRequest:
    """Parameters of the wrong form; each complaint reads `<name> is invalid`, `<name> does not have a valid value`."""
    return BadRequest({"error": ", ".join(complaints)})


def none_of(names: Iterable[str]) -> BadRequest:
    """At least one of these was needed."""
    return BadRequest({"error": f"{', '.join(names)} are missing, at least one parameter must be provided"})


def some_of(names: Iterable[str]) -> BadRequest:
    """These are given together or not at all."""
    return BadRequest({"error": f"{', '.join(names)} provide all or none of parameters"})


def exclusive(names: Iterable[str]) -> BadRequest:
    """At most one of these may be given."""
    return BadRequest({"error": f"{', '.join(names)} are mutually exclusive"})


def invalid(problems: Mapping[str, Any]) -> Invalid:
    """Validation failed: each property with its complaints."""
    return Invalid({"message": dict(problems)})


def taken(*names: str) -> Invalid:
    """Another row has the value of each of these properties, which is unique."""
    return invalid({name: [TAKEN] for name in names})


def bad_request(reason: str) -> BadRequest:
    """Rejected with a sentence that says why."""
    return BadRequest({"message": reason})


def target_too_long(limit: int) -> ApiError:
    return ApiError(414, {"message": f"414 URI Too Long - path and query may have {limit} bytes"})


def incomplete_body() -> IncompleteBody:
    return IncompleteBody({"error": "The body of the request is incomplete"})


def malformed_body() -> BadRequest:
    return _unlike_declared("application/json", "valid application/json")


def malformed_multipart() -> BadRequest:
    return _unlike_declared("multipart/form-data", "a boundary and valid parts")


def _unlike_declared(content_type: str, expected: str) -> BadRequest:
    problem = "Problem: message body does not match declared format"
    resolution = f"when specifying {content_type} as content-type, you must pass {expected} in the request's 'body'"
    return BadRequest({"error": f"{problem}\nResolution: {resolution}"})


def unauthorized() -> Unauthorized:
    return Unauthorized({"message": "401 Unauthorized"})


def invalid_token(description: str) -> Unauthorized:
    """A token that has expired or was revoked."""
    challenge = f'Bearer realm="Protected by OAuth 2.0", error="invalid_token", error_description="{description}"'
    return Unauthorized(
        {"message": "401 Unauthorized", "error": "invalid_token", "error_description": description},
        {"WWW-Authenticate": challenge},
    )


def oauth(error: str, description: str) -> Unauthorized:
    """An OAuth request that is not granted."""
    # Compat: 401 for every one of them, where RFC 6749 has 400 for most.
    challenge = f'Bearer realm="Mujina", error="{error}", error_description="{description}"'
    return Unauthorized(
        {"error": error, "error_description": description},
        {"WWW-Authenticate": challenge, "Cache-Control": "no-store", "Pragma": "no-cache"},
    )


EXPIRED = "Token is expired. You can either do re-authorization or token refresh."
REVOKED = "Token was revoked. You have to re-authorize from the user."


def insufficient_scope(*enough: str) -> Forbidden:
    """The token lacks the scope; any of `enough` suffices."""
    return Forbidden(
        {
            "error": "insufficient_scope",
            "error_description": "The request requires higher privileges than provided by the access token.",
            "scope": " ".join(enough),
        },
    )


def forbidden(reason: str | None = None) -> Forbidden:
    return Forbidden({"message": f"403 Forbidden - {reason}" if reason else "403 Forbidden"})


def over_limit(*complaints: str) -> Forbidden:
    """A quota is used up: the complaints stand in an array under `error`."""
    return Forbidden({"error": list(complaints)})


def not_found(noun: str) -> NotFound:
    """The noun does not exist, or the caller may not know that it does."""
    return NotFound({"message": f"404 {noun} Not Found"})


def or_not_found(value: Item | None, noun: str) -> Item:
    """Returns the value that a look-up found; raises `not_found` if it is None."""
    if value is None:
        raise not_found(noun)
    return value


def not_found_with(sentence: str) -> NotFound:
    """The response for something that was not found, with a message of its own."""
    return NotFound({"message": sentence})


def unknown_route() -> NotFound:
    return NotFound({"error": "404 Not Found"})


def graphql_not_served() -> NotFound:
    """The body for clients of GraphQL, which look for `errors`."""
    return NotFound({"error": "404 Not Found", "errors": [{"message": "GraphQL is not served by this instance"}]})


def method_not_allowed(allowed: Iterable[str]) -> MethodNotAllowed:
    return MethodNotAllowed({"error": "405 Method Not Allowed"}, {"Allow": ", ".join(allowed)})


def not_now() -> MethodNotAllowed:
    """The state of the object does not allow the operation."""
    return MethodNotAllowed({"message": "405 Method Not Allowed"})


def format_not_supported(name: str) -> NotAcceptable:
    return NotAcceptable({"error": f"The requested format '{name}' is not supported."})


def timed_out() -> RequestTimeout:
    return RequestTimeout({"message": "408 Request Timeout"})


def conflict(reason: str | Mapping[str, Any] | None = None) -> Conflict:
    return Conflict({"message": reason or "409 Conflict"})


def precondition_failed() -> PreconditionFailed:
    return PreconditionFailed({"message": "412 Precondition Failed"})


def too_large() -> TooLarge:
    return TooLarge({"message": "413 Request Entity Too Large"})


def too_large_to_show() -> TooLarge:
    return TooLarge({"message": "413 The file is too large to be shown: ask for it raw"})


def unsupported_type(name: str) -> UnsupportedMediaType:
    return UnsupportedMediaType({"error": f"The provided content-type '{name}' is not supported."})


def unprocessable(error: str | list[str]) -> Unprocessable:
    return Unprocessable({"error": error})


def stale_form() -> Unprocessable:
    """A form with an unknown or expired CSRF token."""
    return unprocessable("This page has expired. Your changes were not saved. Send them again.")


def internal() -> InternalError:
    return InternalError({"message": "500 Internal Server Error"})


def too_many_requests(what: str, seconds: int) -> ApiError:
    """Too many requests of this kind came from the client; it may try again after `seconds`."""
    sentence = f"429 Too Many Requests - too many {what}, please try again later"
    return ApiError(429, {"message": sentence}, {"Retry-After": str(seconds)})


def overloaded() -> Unavailable:
    """The database did not serve the request in time; the client may try again."""
    return Unavailable({"message": "503 Service Unavailable"}, {"Retry-After": "1"})


def unreachable(what: str) -> Unavailable:
    """A server that we need to answer did not."""
    return Unavailable({"message": f"503 Service Unavailable - {what} cannot be reached"}, {"Retry-After": "10"})


def unusable_storage(status: int, sentence: str) -> ApiError:
    """Storage is full or read-only (507), reports errors or is damaged (503), and nothing was written."""
    return ApiError(status, {"message": f"{status} {HTTPStatus(status).phrase}: {sentence}"}, {"Retry-After": "60"})


TAKEN = "has already been taken"
BLANK = "can't be blank"
INVALID = "is invalid"
NOT_LISTED = "is not included in the list"
NO_IMAGE = "only images allowed"


class Problems:
    """Collects validation complaints by property, to report them all at once."""

    def __init__(self) -> None:
        self.found: dict[str, Any] = {}

    def add(self, name: str, complaint: str) -> None:
        found = self.found.setdefault(name, [])
        if complaint not in found:
            found.append(complaint)

    def embed(self, entity: str, problems: Mapping[str, Any]) -> None:
        """Complaints about an embedded entity stand under its name."""
        self.found[entity] = dict(problems)

    def require(self, name: str, text: str | None, max_length: int | None = None) -> None:
        if text is None or not text.strip():
            self.add(name, BLANK)
        if max_length is not None:
            self.limit(name, text, max_length)

    def limit(self, name: str, text: str | None, max_length: int) -> None:
        if text is not None and len(text) > max_length:
            self.add(name, f"is too long (maximum is {max_length} characters)")

    def __bool__(self) -> bool:
        return bool(self.found)

    def __contains__(self, name: str) -> bool:
        return name in self.found

    def refuse(self) -> None:
        """Raise what was found, if anything was."""
        if self.found:
            raise invalid(self.found)
