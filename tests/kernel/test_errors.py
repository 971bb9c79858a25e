"""Errors of the API are told apart by their class; each class has one status."""

import pytest

from mujina.kernel import errors
from mujina.kernel.errors import ApiError


@pytest.mark.parametrize(
    ("error", "kind", "status"),
    [
        (errors.not_modified(), errors.NotModified, 304),
        (errors.missing("title"), errors.BadRequest, 400),
        (errors.invalid({"title": [errors.BLANK]}), errors.Invalid, 400),
        (errors.BranchMoved(), errors.BadRequest, 400),
        (errors.invalid_token(errors.EXPIRED), errors.Unauthorized, 401),
        (errors.insufficient_scope("api"), errors.Forbidden, 403),
        (errors.not_found("Project"), errors.NotFound, 404),
        (errors.unknown_route(), errors.NotFound, 404),
        (errors.not_now(), errors.MethodNotAllowed, 405),
        (errors.conflict(), errors.Conflict, 409),
        (errors.precondition_failed(), errors.PreconditionFailed, 412),
        (errors.too_large(), errors.TooLarge, 413),
        (errors.unprocessable("no"), errors.Unprocessable, 422),
        (errors.overloaded(), errors.Unavailable, 503),
    ],
)
def test_an_error_is_caught_by_its_class(error, kind, status):
    with pytest.raises(kind) as caught:
        raise error
    assert isinstance(caught.value, ApiError)
    assert caught.value.status == status


def test_a_validation_error_is_a_bad_request_with_sentences():
    error = errors.invalid({"user_name": ["is invalid", "can't be blank"]})
    assert isinstance(error, errors.BadRequest)
    assert error.sentences == ["User name is invalid", "User name can't be blank"]
