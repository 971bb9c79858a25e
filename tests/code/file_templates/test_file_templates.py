"""/templates and /projects/:id/templates."""

import pytest

from mujina.code.file_templates.licenses import LICENSES
from mujina.code.file_templates.store import TYPES, read_template, template_keys
from mujina.kernel import clock
from tests.harness.cases import Case, Has, cases

PLAIN = ("dockerfiles", "gitignores", "gitlab_ci_ymls")
HERE = "GET /projects/{private.id}/templates"


@cases([
    Case("anonymous", "GET /templates/gitignores/Rust", 200, Has(name="Rust")),
    Case("anonymous", "GET /templates/gitignores/Nothing", 404, {"message": "404 gitignore Not Found"}),
    Case("anonymous", "GET /templates/dockerfiles/Nothing", 404, {"message": "404 dockerfile Not Found"}),
    Case("anonymous", "GET /templates/gitlab_ci_ymls/Nothing", 404, {"message": "404 gitlab_ci_yml Not Found"}),
    Case("anonymous", "GET /templates/gitignores/..%2Flicenses%2Fmit", 404),
    Case("anonymous", "GET /templates/licenses/mit", 200, Has(key="mit", nickname=None, popular=True)),
    Case("anonymous", "GET /templates/licenses/MIT", 200, Has(key="mit")),
    Case("anonymous", "GET /templates/licenses/nothing", 404, {"message": "404 License Not Found"}),
    Case("anonymous", "GET /templates/licenses", 400, {"error": "popular is invalid"}, {"popular": "somewhat"}),
    Case("anonymous", "GET /projects/{public.id}/templates/licenses", 200),
    Case("anonymous", "GET /projects/{private.id}/templates/licenses", 404, {"message": "404 Project Not Found"}),
    Case("stranger", "GET /projects/{private.id}/templates/licenses/mit", 404, {"message": "404 Project Not Found"}),
    Case("guest", f"{HERE}/dockerfiles/Golang", 200, Has(name="Golang")),
    Case("guest", f"{HERE}/dockerfiles/Nothing", 404, {"message": "404 Template Not Found"}),
    Case("guest", f"{HERE}/songs", 400, {"error": "type does not have a valid value"}),
    Case("guest", f"{HERE}/songs/x", 400, {"error": "type does not have a valid value"}),
])  # fmt: skip
def test_templates_are_shown(case, cast):
    case.holds(cast)


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_lists_are_paged_and_lead_to_texts(cast):
    for kind in PLAIN:
        first = cast.anonymous.get(f"/templates/{kind}", per_page=2)
        second = cast.anonymous.get(f"/templates/{kind}", per_page=2, page=2)
        assert first.headers["X-Total"] == str(len(template_keys(kind)))
        assert [each["key"] for each in [*first.json, *second.json]] == template_keys(kind)[:4]
        of_project = cast.guest.get(f"/projects/{cast.private.id}/templates/{kind}", per_page=2)
        assert of_project.json == first.json
        key = first.json[0]["key"]
        shown = cast.anonymous.get(f"/templates/{kind}/{key}").json
        assert shown == {"name": key, "content": (read_template(kind, key) or b"").decode()}
    assert cast.anonymous.get("/templates/gitlab_ci_ymls/Pages%2FHTML").status == 200


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_popular_licenses_are_chosen(cast):
    keys = {
        popular: [each["key"] for each in cast.anonymous.get("/templates/licenses", popular=popular).json]
        for popular in (True, False)
    }
    assert keys[True] == ["apache-2.0", "gpl-3.0", "mit"]
    assert sorted(keys[True] + keys[False]) == sorted(LICENSES) == template_keys("licenses")
    listed = cast.guest.get(f"/projects/{cast.private.id}/templates/licenses").json
    assert listed[0] == {"key": "agpl-3.0", "name": "GNU Affero General Public License v3.0"}


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_blanks_of_a_license_are_filled_in(cast):
    year = clock.now()[:4]
    shown = cast.anonymous.get("/templates/licenses/mit", fullname=r"Ann \1 & Co")
    assert rf"Copyright (c) {year} Ann \1 & Co" in shown.json["content"]
    assert f"Copyright (c) {year} <copyright holders>" in cast.anonymous.get("/templates/licenses/mit").json["content"]
    of_me = cast.guest.get("/templates/licenses/bsd-2-clause").json["content"]
    assert f"Copyright (c) {year} {cast.guest.get('/user').json['name']}" in of_me
    of_project = cast.guest.get(f"/projects/{cast.private.id}/templates/licenses/gpl-3.0").json["content"]
    name = cast.guest.get(f"/projects/{cast.private.id}").json["name"]
    assert f"\n     {name}\n" in of_project
    given = cast.guest.get(f"/projects/{cast.private.id}/templates/licenses/gpl-3.0", project="Rocket").json
    assert "\n     Rocket\n" in given["content"]
    assert (
        f"Copyright {year} Ann" in cast.anonymous.get("/templates/licenses/apache-2.0", fullname="Ann").json["content"]
    )


@pytest.mark.parametrize("engine", ["sqlite"], indirect=True)
def test_a_new_file_begins_with_a_template(browse, cast):
    developer, here = browse("developer"), f"/{cast.private.path}/new/master"
    plain = developer.open(here)
    assert all(f'<optgroup label="{kind.title}">' in plain.text for kind in TYPES.values())
    page = developer.open(f"{here}?template=gitignores/Python")
    assert 'value=".gitignore"' in page.text
    assert "__pycache__/" in page.text
    assert "Add .gitignore" in page.text
    license_page = developer.open(f"{here}?template=licenses/mit")
    assert 'value="LICENSE"' in license_page.text
    assert f"Copyright (c) {clock.now()[:4]} " in license_page.text
    for unknown in ("songs/x", "licenses", "licenses/../../store.py", "licenses/%2e%2e"):
        assert developer.open(f"{here}?template={unknown}").status == 200
