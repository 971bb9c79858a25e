"""What every page can rely on: rights, forms, fragments, one-time messages, errors, addresses."""

import json
from dataclasses import replace

import pytest

from mujina.kernel.product import Chapter, Product
from mujina.product import PRODUCT
from tests.harness.browsers import browser_of
from tests.harness.client import Raw
from tests.web.gallery import pages as gallery


@pytest.fixture
def browse(stage, database, cast):
    """Browsers of an application that has the pages of the gallery as well."""
    gallery.use_templates()
    client = stage.client(database, product=Product([*PRODUCT.chapters, Chapter("tests.web.gallery")]))
    return lambda name: browser_of(getattr(cast, name), database, client)


@pytest.fixture
def here(cast):
    return f"/{cast.private.path}/gallery"


def test_rights_are_those_of_the_rules(browse, here):
    shown = {name: browse(name).open(here).text for name in ("guest", "developer", "owner", "root")}
    assert [(("#push" in text), ("#own" in text)) for text in shown.values()] == [
        (False, False), (True, False), (True, True), (True, True),
    ]  # fmt: skip


def test_a_refused_page_names_the_role(browse, here):
    answer = browse("reporter").open(f"{here}/admin")
    assert (answer.status, "This needs the Master role or higher." in answer.text) == (403, True)
    assert "Back to" in answer.text
    assert browse("stranger").open(f"{here}/admin").status == 404
    visitor = browse("master")
    visitor.open(here)
    answer = visitor.send(f"{here}/own")
    assert (answer.status, "This needs the Owner role" in answer.text) == (403, True)


def test_tails_and_numbers_arrive(browse, here, cast):
    visitor = browse("owner")

    def tail(path):
        text = visitor.open(path).text
        return json.loads(text.split('id="tail">')[1].split("<")[0].replace("&#34;", '"'))

    assert tail(f"{here}/feature/x/ü%20%2523.md") == {"path": "feature/x/ü %23.md"}
    assert tail(f"{here}/of/7") == {"number": "7"}
    assert tail(f"{here}/of/seven") == {"path": "of/seven"}
    assert tail(f"/groups/{cast.team.path}/-/gallery") == {"group": cast.team.path}
    assert visitor.open(f"/groups/{cast.team.path}/-/gallery.atom").status == 200


def test_addresses_of_newer_versions_redirect(browse, here, cast):
    visitor = browse("owner")
    for path, now in [
        (f"/{cast.private.path}/-/gallery/of/7", f"{here}/of/7"),
        (f"/{cast.team.path}/-/gallery", f"/groups/{cast.team.path}/-/gallery"),
        (f"/groups/{cast.team.path}/gallery", f"/groups/{cast.team.path}/-/gallery"),
    ]:
        answer = visitor.open(path, a=1)
        assert (answer.status, answer.headers["Location"]) == (301, f"{now}?a=1"), path
    assert browse("stranger").open(f"/{cast.private.path}/-/gallery").status == 404


def test_a_form_leads_on_with_a_message_that_is_shown_once(browse, here):
    visitor = browse("owner")
    visitor.open(here)
    answer = visitor.send(here, title="A <b>")
    assert (answer.status, answer.headers["Location"]) == (303, f"{here}?page=2")
    flash = answer.headers["Set-Cookie"].split("_service_flash=")[1].split(";")[0]
    visitor.headers["cookie"] = f"_service_session={visitor.cookie}; _service_flash={flash}"
    shown = visitor.open(here)
    assert "Created “A &lt;b&gt;”." in shown.text
    assert "_service_flash=" in shown.headers["Set-Cookie"]
    other = browse("guest")
    other.headers["cookie"] = f"_service_session={other.cookie}; _service_flash={flash}"
    assert "Created “" not in other.open(here).text


def test_a_refused_form_is_shown_again_with_its_values_and_complaints(browse, here):
    visitor = browse("owner")
    visitor.open(here)
    answer = visitor.send(here, title="taken", size=3, secret="hidden", text="<kept>", confidential="true")
    assert answer.status == 422
    assert 'id="title-problem"' in answer.text
    assert 'aria-invalid="true" aria-describedby="title-problem title-help"' in answer.text
    assert visitor.field("title") == "taken"
    assert "&lt;kept&gt;" in answer.text
    assert "hidden" not in answer.text.replace('type="hidden"', "").replace("aria-hidden", "")
    assert 'value="true" checked' in answer.text
    assert visitor.send(here).status == 422
    assert 'id="title-problem"' in visitor.page.text
    assert visitor.send(here, title="x", size="large").status == 422
    assert visitor.send(here, title="moved").status == 409
    assert "Someone changed it" in visitor.page.text


def test_a_form_without_its_token_keeps_the_values(browse, here):
    visitor = browse("owner")
    visitor.open(here)
    answer = visitor.send(here, token=None, title="kept")
    assert (answer.status, "This page has expired" in answer.text, visitor.field("title")) == (422, True, "kept")
    assert visitor.send(here, title="kept").status == 303


def test_submitted_text_survives_a_lost_session_or_permission(browse, here, cast):
    text, secret = "It took me\na while to write this.", "Nobody repeats this secret."
    visitor, master = browse("anonymous"), browse("master")
    visitor.open(f"/{cast.public.path}/gallery")
    for path in (f"/{cast.public.path}/gallery", here, "/nothing/there"):
        answer = visitor.send(path, thing={"text": text}, secret=secret)
        assert (answer.status, text in answer.text, secret in answer.text) == (401, True, False), path
    master.open(here)
    answer = master.send(f"{here}/own", text=text)
    assert (answer.status, text in answer.text) == (403, True)


def test_a_page_beyond_the_end_leads_to_the_last_one(browse, here):
    visitor = browse("owner")
    assert visitor.open(here, page=99, state="a b").headers["Location"] == f"{here}?state=a+b&page=7"
    assert visitor.open(here, page=7).status == 200


def slowed(app, meanwhile):
    """The application, to which the rest of a form comes when something else has happened."""

    async def respond(scope, receive, send):
        whole = await receive()
        parts = [(whole["body"][:5], True), (whole["body"][5:], False)]

        async def receive_part():
            if not parts:
                return await receive()
            body, more = parts.pop(0)
            if not more:
                await meanwhile()
            return {"type": "http.request", "body": body, "more_body": more}

        await app(scope, receive_part, send)

    return respond


@pytest.mark.parametrize("size", [{}, {"transfer-encoding": "chunked"}])
def test_rights_are_those_of_the_time_when_the_form_has_arrived(browse, here, cast, size):
    async def block():
        assert (await cast.root.exchange("POST", f"/users/{cast.developer.id}/block")).status == 201

    async def remove():
        path = f"/projects/{cast.private.id}/members/{cast.guest.id}"
        assert (await cast.root.exchange("DELETE", path)).status == 204

    async def nothing():
        happened.append("the rest was read")

    happened = []
    for name, meanwhile, expected in [
        ("reporter", nothing, (303, f"{here}?page=2")),
        ("developer", block, (303, "/users/sign_in?target=/")),
        ("guest", remove, (404, None)),
    ]:
        visitor = browse(name)
        visitor.open(here)
        visitor.headers |= size
        visitor.client = replace(visitor.client, app=slowed(visitor.client.app, meanwhile))
        answer = visitor.send(here, title="late")
        assert (answer.status, answer.headers.get("Location")) == expected, name
    anonymous = browse("anonymous")
    anonymous.headers |= size
    anonymous.client = replace(anonymous.client, app=slowed(anonymous.client.app, nothing))
    assert anonymous.send(f"/{cast.public.path}/gallery", title="x").headers["Location"].startswith("/users/sign_in")
    assert len(happened) == (1 if size else 2), "a form of unknown size is read for those who may send it"


def test_no_two_pages_have_the_same_token(browse, here):
    visitor = browse("owner")
    tokens = {visitor.open(here) and visitor.token for _ in range(3)}
    assert len(tokens) == 3
    for token in tokens:
        assert visitor.send(here, token=token, title="x").status == 303
    for token in ("", "00", "x", next(iter(tokens))[::-1]):
        assert visitor.send(here, token=token or "0", title="x").status == 422


def test_htmx_gets_the_block_it_replaces(browse, here):
    visitor = browse("owner")
    visitor.headers |= {"hx-request": "true", "hx-target": "things"}
    answer = visitor.open(here)
    assert answer.text.strip().startswith('<div id="things">')
    assert "nonce" not in answer.text
    assert answer.headers["Vary"] == "HX-Request"
    visitor.headers["hx-target"] = "content"
    assert visitor.open(here).text.startswith("<!DOCTYPE html>")


def test_headers_of_pages(browse, here, cast):
    first, second = (browse("owner").open(here).headers for _ in range(2))
    policy = first["Content-Security-Policy"]
    assert policy != second["Content-Security-Policy"]
    assert "script-src 'nonce-" in policy
    assert policy.endswith("form-action 'self'")
    assert first["Cache-Control"] == "no-store"
    assert browse("anonymous").open(f"/{cast.public.path}").headers["Cache-Control"] == "private, no-cache"


def test_pages_require_a_session_or_an_administrator(browse, here, cast):
    public = f"/{cast.public.path}/gallery"
    anonymous = browse("anonymous")
    assert anonymous.open(public).status == 200
    assert anonymous.open(f"{public}/signed_in").headers["Location"] == f"/users/sign_in?target={public}/signed_in"
    assert anonymous.send(public, title="x").headers["Location"].startswith("/users/sign_in")
    assert [browse(name).open("/admin/gallery").status for name in ("owner", "root", "anonymous")] == [404, 500, 302]
    failed = browse("root").open("/admin/gallery")
    assert failed.headers["X-Request-Id"] in failed.text


def test_other_methods_are_refused(browse, here, cast):
    client = browse("owner").client
    assert client.ask("PUT", f"/{here}", Raw(headers={"accept": "text/html"})).status in (302, 404, 405)
    assert client.ask("HEAD", f"//{cast.public.path}").body == b""
    assert browse("owner").send(f"{here}/admin").status == 405


def test_visitors_send_short_forms_and_users_long_ones(browse, here):
    """What nobody has signed for is not read."""
    visitor, user = browse("anonymous"), browse("master")
    long = {"user": {"login": "x" * 100_000, "password": "y"}}
    visitor.open("/users/sign_in")
    assert visitor.send("/users/sign_in", **long).status == 413
    assert visitor.send("/users/sign_in", user={"login": "x", "password": "y"}).status == 422
    user.open(here)
    assert user.send(here, title="x" * 100_000).status == 303
