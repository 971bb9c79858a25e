"""Every refusal and its exact body, spelled once. Refusals are raised, never returned; raising rolls back."""

from collections.abc import Iterable, Mapping
from typing import Any, cast


class Refusal(Exception):
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


class Overtaken(Refusal):
    """A branch was no longer where the change started: nothing was done, and it may be tried again."""

    def __init__(self) -> None:
        super().__init__(400, {"message": "The branch has moved in the meantime. Please try again."})


def not_modified() -> Refusal:
    """Nothing changed: already subscribed, already starred, the todo exists."""
    return Refusal(304)


def missing(*names: str) -> Refusal:
    """Required attributes were not given."""
    return Refusal(
        400,
        {
            "message": f'400 (Bad request) "{names[0]}" not given',
            "error": ", ".join(f"{name} is missing" for name in names),
        },
    )


def unacceptable(*complaints: str) -> Refusal:
    """Parameters of the wrong form; each complaint reads `<name> is invalid`, `<name> does not have a valid value`."""
    return Refusal(400, {"error": ", ".join(complaints)})


def none_of(names: Iterable[str]) -> Refusal:
    """At least one of these was needed."""
    return Refusal(400, {"error": f"{', '.join(names)} are missing, at least one parameter must be provided"})


def some_of(names: Iterable[str]) -> Refusal:
    """These are given together or not at all."""
    return Refusal(400, {"error": f"{', '.join(names)} provide all or none of parameters"})


def exclusive(names: Iterable[str]) -> Refusal:
    """At most one of these may be given."""
    return Refusal(400, {"error": f"{', '.join(names)} are mutually exclusive"})


def invalid(problems: Mapping[str, Any]) -> Refusal:
    """Validation failed: each property with its complaints."""
    return Refusal(400, {"message": dict(problems)})


def bad_request(reason: str) -> Refusal:
    """Refused with a sentence that says why."""
    return Refusal(400, {"message": reason})


def malformed_body() -> Refusal:
    return Refusal(
        400,
        {
            "error": "Problem: message body does not match declared format\n"
            "Resolution: when specifying application/json as content-type, "
            "you must pass valid application/json in the request's 'body'"
        },
    )


def unauthorized() -> Refusal:
    return Refusal(401, {"message": "401 Unauthorized"})


def invalid_token(description: str) -> Refusal:
    """A credential that was good once: expired or revoked."""
    challenge = f'Bearer realm="Protected by OAuth 2.0", error="invalid_token", error_description="{description}"'
    return Refusal(
        401,
        {"message": "401 Unauthorized", "error": "invalid_token", "error_description": description},
        {"WWW-Authenticate": challenge},
    )


def oauth(error: str, description: str) -> Refusal:
    """A client's request that is not granted."""
    # Compat: 401 for every one of them, where RFC 6749 has 400 for most.
    challenge = f'Bearer realm="Mujina", error="{error}", error_description="{description}"'
    return Refusal(
        401,
        {"error": error, "error_description": description},
        {"WWW-Authenticate": challenge, "Cache-Control": "no-store", "Pragma": "no-cache"},
    )


EXPIRED = "Token is expired. You can either do re-authorization or token refresh."
REVOKED = "Token was revoked. You have to re-authorize from the user."


def insufficient_scope(*enough: str) -> Refusal:
    """The token lacks the scope; `enough` would do."""
    return Refusal(
        403,
        {
            "error": "insufficient_scope",
            "error_description": "The request requires higher privileges than provided by the access token.",
            "scope": " ".join(enough),
        },
    )


def forbidden(reason: str | None = None) -> Refusal:
    return Refusal(403, {"message": f"403 Forbidden - {reason}" if reason else "403 Forbidden"})


def over_limit(*complaints: str) -> Refusal:
    """A quota is used up: the complaints stand in an array under `error`."""
    return Refusal(403, {"error": list(complaints)})


def not_found(noun: str) -> Refusal:
    """The noun does not exist, or the caller may not know that it does."""
    return Refusal(404, {"message": f"404 {noun} Not Found"})


def absent(sentence: str) -> Refusal:
    """Not found, in words of its own."""
    return Refusal(404, {"message": sentence})


def unknown_route() -> Refusal:
    return Refusal(404, {"error": "404 Not Found"})


def method_not_allowed(allowed: Iterable[str]) -> Refusal:
    return Refusal(405, {"error": "405 Method Not Allowed"}, {"Allow": ", ".join(allowed)})


def not_now() -> Refusal:
    """The state of the object refuses the operation."""
    return Refusal(405, {"message": "405 Method Not Allowed"})


def format_not_supported(name: str) -> Refusal:
    return Refusal(406, {"error": f"The requested format '{name}' is not supported."})


def timed_out() -> Refusal:
    return Refusal(408, {"message": "408 Request Timeout"})


def conflict(reason: str | Mapping[str, Any] | None = None) -> Refusal:
    return Refusal(409, {"message": reason or "409 Conflict"})


def precondition_failed() -> Refusal:
    return Refusal(412, {"message": "412 Precondition Failed"})


def too_large() -> Refusal:
    return Refusal(413, {"message": "413 Request Entity Too Large"})


def too_large_to_show() -> Refusal:
    return Refusal(413, {"message": "413 The file is too large to be shown: ask for it raw"})


def unsupported_type(name: str) -> Refusal:
    return Refusal(415, {"error": f"The provided content-type '{name}' is not supported."})


def unprocessable(error: str | list[str]) -> Refusal:
    return Refusal(422, {"error": error})


def stale_form() -> Refusal:
    """A form that this browser was not shown, or was shown long ago."""
    return unprocessable(
        "This form is out of date, or was not one of ours. Go back, load the page again, and try once more."
    )


def internal() -> Refusal:
    return Refusal(500, {"message": "500 Internal Server Error"})


def overloaded() -> Refusal:
    """The database could not take the request in time; trying again is sensible."""
    return Refusal(503, {"message": "503 Service Unavailable"}, {"Retry-After": "1"})


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
