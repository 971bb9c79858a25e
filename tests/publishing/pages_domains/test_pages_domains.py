"""/pages/domains and /projects/:id/pages/domains."""

import pytest

from tests.harness.cases import Case, Has, cases
from tests.harness.certificates import self_signed
from tests.harness.client import Raw

HERE = "/projects/{private.id}/pages/domains"


CERTIFICATE, KEY = self_signed()
OTHER_CERTIFICATE, OTHER_KEY = self_signed("other.example.org", days=-1)


@cases([
    Case("anonymous", f"GET {HERE}", 401),
    Case("stranger", f"GET {HERE}", 404, {"message": "404 Project Not Found"}),
    Case("developer", f"GET {HERE}", 403, {"message": "403 Forbidden"}),
    Case("developer", f"POST {HERE}", 403, params={"domain": "www.example.org"}, events=[]),
    Case("master", f"GET {HERE}", 200, []),
    Case("master", f"GET {HERE}/www.example.org", 404, {"message": "404 Pages domain Not Found"}),
    Case("master", f"POST {HERE}", 400, Has(error="domain is missing")),
    Case("master", f"POST {HERE}", 201, Has(domain="www.example.org", url="http://www.example.org", verified=False),
         {"domain": " WWW.Example.org. "}, events=["pages_domain.created"]),
    Case("master", f"POST {HERE}", 201, Has(domain="xn--bcher-kva.example"), {"domain": "bücher.example"}),
    *(
        Case("master", f"POST {HERE}", 400, {"message": {"domain": ["is invalid"]}}, {"domain": name}, events=[])
        for name in ("", "localhost", "a b.example", "-a.example", "10.0.0.1", "a..example", "https://a.example",
                     "x" * 300 + ".example")
    ),
    Case("master", f"POST {HERE}", 400, {"message": {"domain": ["*.mujina.test is restricted"]}}, {"domain": "x.mujina.test"}),
    Case("master", f"POST {HERE}", 400,
         {"message": {"certificate": ["must be a valid PEM certificate"], "key": ["must be a valid PEM private key"]}},
         {"domain": "a.example", "certificate": "x", "key": "y"}),
    Case("master", f"POST {HERE}", 400, {"message": {"key": ["must be a valid PEM private key"]}},
         {"domain": "a.example", "certificate": CERTIFICATE}),
    Case("master", f"POST {HERE}", 400, {"message": {"key": ["doesn't match the certificate"]}},
         {"domain": "a.example", "certificate": CERTIFICATE, "key": OTHER_KEY}),
    Case("master", "GET /pages/domains", 403),
    Case("root", "GET /pages/domains", 200, []),
])  # fmt: skip
def test_domains_need_permission_and_valid_certificates(case, cast):
    case.holds(cast)


@pytest.fixture
def here(cast):
    return f"/projects/{cast.private.id}/pages/domains"


def test_a_certificate_is_stored_changed_and_removed(cast, here):
    made = cast.master.post(here, domain="www.example.org", certificate=CERTIFICATE, key=KEY)
    assert (made.status, made.json["url"]) == (201, "https://www.example.org")
    shown = made.json["certificate"]
    assert (shown["subject"], shown["expired"], shown["certificate"]) == ("CN=www.example.org", False, CERTIFICATE)
    assert cast.master.get(f"{here}/WWW.example.org").json == made.json
    [stored] = cast.rows("SELECT pd.key FROM pages_domains pd")
    assert "PRIVATE" not in stored[0]
    [listed] = cast.root.get("/pages/domains").json
    assert (listed["project_id"], listed["certificate"]["expired"]) == (cast.private.id, False)
    changed = cast.master.put(f"{here}/www.example.org", certificate=OTHER_CERTIFICATE, key=OTHER_KEY).json
    assert changed["certificate"]["expired"] is True
    assert cast.master.put(f"{here}/www.example.org").json == changed, "nothing is given, nothing changes"
    assert cast.master.put(f"{here}/www.example.org", certificate="", key="").json == {
        "domain": "www.example.org", "url": "http://www.example.org", "verified": False,
        "verification_code": made.json["verification_code"],
    }  # fmt: skip
    assert cast.master.delete(f"{here}/www.example.org").status == 204
    assert cast.master.delete(f"{here}/www.example.org").status == 404


def test_certificate_and_key_may_be_attached_as_files(cast, here):
    parts = Raw.multipart(
        {"certificate": ("site.crt", CERTIFICATE.encode()), "key": ("site.key", KEY.encode())}, domain="www.example.org"
    )
    made = cast.master.post(here, parts)
    assert (made.status, made.json["certificate"]["certificate"]) == (201, CERTIFICATE)
    binary = Raw.multipart({"certificate": ("site.der", b"\x30\x82\xff"), "key": ("site.key", KEY.encode())})
    refused = cast.master.put(f"{here}/www.example.org", binary)
    assert (refused.status, refused.json) == (400, {"error": "certificate is invalid"})


def test_a_key_in_the_file_of_the_certificate_is_not_kept_with_it(cast, here):
    both = f"a comment\r\n{CERTIFICATE}{KEY}"
    made = cast.master.post(here, domain="www.example.org", certificate=both, key=KEY)
    assert (made.status, made.json["certificate"]["certificate"]) == (201, CERTIFICATE)
    assert cast.rows("SELECT pd.certificate FROM pages_domains pd") == [(CERTIFICATE,)]


@pytest.mark.parametrize(
    ("given", "stored"), [("bücher.example", "xn--bcher-kva.example"), ("a.example.", "a.example")]
)
def test_a_domain_is_found_by_the_name_with_which_it_was_added(cast, here, given, stored):
    assert cast.master.post(here, domain=given).json["domain"] == stored
    assert {cast.master.get(f"{here}/{name}").json["domain"] for name in (given, stored)} == {stored}
    assert cast.master.get(f"{here}/a b").status == 404


def test_a_domain_belongs_to_one_project(cast, here):
    assert cast.master.post(here, domain="www.example.org").status == 201
    taken = cast.master.post(f"/projects/{cast.public.id}/pages/domains", domain="www.example.org")
    assert (taken.status, taken.json) == (400, {"message": {"domain": ["has already been taken"]}})
    assert cast.master.get(f"/projects/{cast.public.id}/pages/domains/www.example.org").status == 404
    assert cast.master.post(here, domain="a.example.org").status == 201
    first = cast.master.get(here, per_page=1)
    assert (first.headers["X-Total"], first.json[0]["domain"]) == ("2", "a.example.org")


def test_domains_are_managed_in_the_browser(browse, cast, here):
    master, page = browse("master"), f"/{cast.private.path}/pages"
    assert "Pages are not enabled on this instance" in master.open(page).text
    assert browse("developer").open(page).status == 403
    refused = master.send(f"{page}/domains", pages_domain={"domain": "no name"})
    assert (refused.status, "no name" in refused.text) == (422, True)
    fields = {"domain": "www.example.org", "certificate": CERTIFICATE, "key": KEY}
    assert master.send(f"{page}/domains", pages_domain=fields).status == 303
    assert "CN=www.example.org" in master.open(page).text
    shown = master.open(f"{page}/domains/www.example.org").text
    assert ("BEGIN CERTIFICATE" in shown, "PRIVATE KEY" in shown) == (True, False)
    assert master.send(f"{page}/domains/www.example.org", pages_domain={"certificate": "x", "key": "y"}).status == 422
    assert master.send(f"{page}/domains/www.example.org", pages_domain={"certificate": "", "key": ""}).status == 303
    assert cast.master.get(f"{here}/www.example.org").json["url"] == "http://www.example.org"
    assert master.send(f"{page}/domains/www.example.org/delete").status == 303
    assert cast.master.get(here).json == []
