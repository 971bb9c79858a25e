"""Every refusal and its exact body, spelled once. Refusals are raised, never returned; raising rolls back."""

from collections.abc import Iterable, Mapping
from typing import Any, cast


class ApiError(Exception):
    """An answer other than success: status, JSON body (None: no body) and extra headers."""

    def __init__(self, status: int, body: Any = None, headers: Mapping[str, str] | None = None) -> None:
        super().__init__(status, body)
        self.status = status
        self.body = body
        self.headers = dict(headers or {})

    @property
    def sentences(self) -> list[str]:
        """What is wrong, as people read it: `Username has already been taken`."""
        body: Mapping[str, Any] = cast("Mapping[str, Any]", self.body) if isinstance(self.body, Mapping) else {}
        return _sentences(body.get("message", body.get("error")))


def _sentences(said: Any) -> list[str]:
    if isinstance(said, Mapping):
        complaints = cast("Mapping[str, Any]", said).items()
        return [f"{name.replace('_', ' ').capitalize()} {each}" for name, of in complaints for each in _sentences(of)]
    if isinstance(said, list):
        return [sentence for each in cast("list[Any]", said) for sentence in _sentences(each)]
    return [str(said)] if said else []


class Overtaken(ApiError):
    """A branch was no longer where the change started: nothing was done, and it may be tried again."""

    def __init__(self) -> None:
        super().__init__(400, {"message": "The branch has moved in the meantime. Please try again."})


def not_modified() -> ApiError:
    """Nothing changed: already subscribed, already starred, the todo exists."""
    return ApiError(304)


def missing(*names: str) -> ApiError:
    """Required attributes were not given."""
    return ApiError(
        400,
        {
            "message": f'400 (Bad request) "{names[0]}" not given',
            "error": ", ".join(f"{name} is missing" for name in names),
        },
    )


def unacceptable(*complaints: str) -> ApiError:
    """Parameters of the wrong form; each complaint reads `<name> is invalid`, `<name> does not have a valid value`."""
    return ApiError(400, {"error": ", ".join(complaints)})


def none_of(names: Iterable[str]) -> ApiError:
    """At least one of these was needed."""
    return ApiError(400, {"error": f"{', '.join(names)} are missing, at least one parameter must be provided"})


def some_of(names: Iterable[str]) -> ApiError:
    """These are given together or not at all."""
    return ApiError(400, {"error": f"{', '.join(names)} provide all or none of parameters"})


def exclusive(names: Iterable[str]) -> ApiError:
    """At most one of these may be given."""
    return ApiError(400, {"error": f"{', '.join(names)} are mutually exclusive"})


def invalid(problems: Mapping[str, Any]) -> ApiError:
    """Validation failed: each property with its complaints."""
    return ApiError(400, {"message": dict(problems)})


def bad_request(reason: str) -> ApiError:
    """Refused with a sentence that says why."""
    return ApiError(400, {"message": reason})


def malformed_body() -> ApiError:
    return ApiError(
        400,
        {
            "error": "Problem: message body does not match declared format\n"
            "Resolution: when specifying application/json as content-type, "
            "you must pass valid application/json in the request's 'body'"
        },
    )


def unauthorized() -> ApiError:
    return ApiError(401, {"message": "401 Unauthorized"})


def invalid_token(description: str) -> ApiError:
    """A credential that was good once: expired or revoked."""
    challenge = f'Bearer realm="Protected by OAuth 2.0", error="invalid_token", error_description="{description}"'
    return ApiError(
        401,
        {"message": "401 Unauthorized", "error": "invalid_token", "error_description": description},
        {"WWW-Authenticate": challenge},
    )


def oauth(error: str, description: str) -> ApiError:
    """A client's request that is not granted."""
    # Compat: 401 for every one of them, where RFC 6749 has 400 for most.
    challenge = f'Bearer realm="Mujina", error="{error}", error_description="{description}"'
    return ApiError(
        401,
        {"error": error, "error_description": description},
        {"WWW-Authenticate": challenge, "Cache-Control": "no-store", "Pragma": "no-cache"},
    )


EXPIRED = "Token is expired. You can either do re-authorization or token refresh."
REVOKED = "Token was revoked. You have to re-authorize from the user."


def insufficient_scope(*enough: str) -> ApiError:
    """The token lacks the scope; `enough` would do."""
    return ApiError(
        403,
        {
            "error": "insufficient_scope",
            "error_description": "The request requires higher privileges than provided by the access token.",
            "scope": " ".join(enough),
        },
    )


def forbidden(reason: str | None = None) -> ApiError:
    return ApiError(403, {"message": f"403 Forbidden - {reason}" if reason else "403 Forbidden"})


def over_limit(*complaints: str) -> ApiError:
    """A quota is used up: the complaints stand in an array under `error`."""
    return ApiError(403, {"error": list(complaints)})


def not_found(noun: str) -> ApiError:
    """The noun does not exist, or the caller may not know that it does."""
    return ApiError(404, {"message": f"404 {noun} Not Found"})


def absent(sentence: str) -> ApiError:
    """Not found, in words of its own."""
    return ApiError(404, {"message": sentence})


def unknown_route() -> ApiError:
    return ApiError(404, {"error": "404 Not Found"})


def method_not_allowed(allowed: Iterable[str]) -> ApiError:
    return ApiError(405, {"error": "405 Method Not Allowed"}, {"Allow": ", ".join(allowed)})


def not_now() -> ApiError:
    """The state of the object refuses the operation."""
    return ApiError(405, {"message": "405 Method Not Allowed"})


def format_not_supported(name: str) -> ApiError:
    return ApiError(406, {"error": f"The requested format '{name}' is not supported."})


def timed_out() -> ApiError:
    return ApiError(408, {"message": "408 Request Timeout"})


def conflict(reason: str | Mapping[str, Any] | None = None) -> ApiError:
    return ApiError(409, {"message": reason or "409 Conflict"})


def precondition_failed() -> ApiError:
    return ApiError(412, {"message": "412 Precondition Failed"})


def too_large() -> ApiError:
    return ApiError(413, {"message": "413 Request Entity Too Large"})


def too_large_to_show() -> ApiError:
    return ApiError(413, {"message": "413 The file is too large to be shown: ask for it raw"})


def unsupported_type(name: str) -> ApiError:
    return ApiError(415, {"error": f"The provided content-type '{name}' is not supported."})


def unprocessable(error: str | list[str]) -> ApiError:
    return ApiError(422, {"error": error})


def stale_form() -> ApiError:
    """A form that this browser was not shown, or was shown long ago."""
    return unprocessable(
        "This form is out of date, or was not one of ours. Go back, load the page again, and try once more."
    )


def internal() -> ApiError:
    return ApiError(500, {"message": "500 Internal Server Error"})


def overloaded() -> ApiError:
    """The database could not take the request in time; trying again is sensible."""
    return ApiError(503, {"message": "503 Service Unavailable"}, {"Retry-After": "1"})


TAKEN = "has already been taken"
BLANK = "can't be blank"
INVALID = "is invalid"
NOT_LISTED = "is not included in the list"


class Problems:
    """Collects validation complaints by property, to refuse them all at once."""

    def __init__(self) -> None:
        self._found: dict[str, Any] = {}

    def add(self, name: str, complaint: str) -> None:
        found = self._found.setdefault(name, [])
        if complaint not in found:
            found.append(complaint)

    def embed(self, entity: str, problems: Mapping[str, Any]) -> None:
        """Complaints about an embedded entity stand under its name."""
        self._found[entity] = dict(problems)

    def require(self, name: str, text: str | None) -> None:
        if text is None or not text.strip():
            self.add(name, BLANK)

    def limit(self, name: str, text: str | None, longest: int) -> None:
        if text is not None and len(text) > longest:
            self.add(name, f"is too long (maximum is {longest} characters)")

    def __bool__(self) -> bool:
        return bool(self._found)

    def __contains__(self, name: str) -> bool:
        return name in self._found

    def refuse(self) -> None:
        """Raise what was found, if anything was."""
        if self._found:
            raise invalid(self._found)

    @property
    def found(self) -> dict[str, Any]:
        return self._found
