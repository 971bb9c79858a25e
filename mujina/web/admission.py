"""Admission to pages, and where visitors go who must sign in or complete a setup step first."""

from mujina.kernel import errors
from mujina.kernel.html.pages import PageRequest, PageRoute, Redirect
from mujina.kernel.urls import with_target


def admission(request: PageRequest, page: PageRoute, form_page: PageRoute | None) -> Redirect | None:
    """The sign-in page if the visitor must sign in first; None if the page opens."""
    if request.actor.anonymous and not page.anonymous:
        return Redirect(with_target("/users/sign_in", target_of(page, request, form_page)))
    if page.admin and not request.actor.admin:
        raise errors.unknown_route()
    return None


def target_of(page: PageRoute, request: PageRequest, form_page: PageRoute | None) -> str:
    """The page to show after signing in, or after a setup step is completed.

    It is the requested one, or the one that shows the form, which is not sent again.
    """
    if form_page is None:
        return "/"
    if form_page.path == page.path or request.http.method == "GET":
        return request.http.relative_uri
    return "/" if "{" in form_page.path else form_page.path
