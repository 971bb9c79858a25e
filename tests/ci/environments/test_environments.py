"""Environments of a project as resources."""

import asyncio
import re

import pytest

from mujina.ci.environments.slugs import new_slug
from tests.harness.cases import ANYTHING, Case, Has, cases

HERE = "/projects/{private.id}/environments"
BAD_NAME = "can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', and spaces"
VERBS = [("GET", "/1"), ("PUT", "/1"), ("DELETE", "/1"), ("POST", "/1/stop")]
NAMED = {"name": "production", "external_url": "https://example.org/"}


@cases([
    *(Case(who, f"{verb} {HERE}{rest}", status, ANYTHING, NAMED, events=[])
      for who, status in (("anonymous", 401), ("stranger", 404), ("guest", 403))
      for verb, rest in (("GET", ""), ("POST", ""), *VERBS)),
    *(Case("master", f"{verb} {HERE}{rest}", 404, {"message": "404 Environment Not Found"}, events=[]) for verb, rest in VERBS),
    *(Case("developer", f"{verb} {HERE}/1", 403, events=[]) for verb in ("PUT", "DELETE")),
    Case("reporter", f"POST {HERE}", 403, ANYTHING, NAMED, events=[]),
    Case("reporter", f"POST {HERE}/1/stop", 403, events=[]),
    Case("reporter", f"GET {HERE}", 200, []),
    Case("developer", f"POST {HERE}", 201,
         Has(name="production", slug="production", external_url="https://example.org/", state="available",
             project=Has(path="private")), NAMED, events=["environment.created"]),
    Case("developer", f"POST {HERE}", 201, Has(external_url=None), {"name": "production", "external_url": ""}),
    Case("developer", f"POST {HERE}", 400, Has(error="name is missing")),
    Case("developer", f"POST {HERE}", 400, {"message": {"name": ["can't be blank"]}}, {"name": ""}),
    Case("developer", f"POST {HERE}", 400, {"message": {"name": [BAD_NAME]}}, {"name": "a:b"}),
    Case("developer", f"POST {HERE}", 400, {"message": {"name": ["is too long (maximum is 255 characters)"]}}, {"name": "x" * 256}),
    *(Case("developer", f"POST {HERE}", 400, {"message": {"external_url": ["must be a valid URL"]}},
           {"name": "a", "external_url": url})
      for url in ("javascript:alert(1)", "x", "https://", "http://a b/", "http://[", "ftp://example.org/")),
    Case("developer", f"POST {HERE}", 400, {"error": "slug is automatically generated and cannot be changed"},
         {"name": "a", "slug": "b"}),
])  # fmt: skip
def test_managing_environments_requires_permission_and_valid_parameters(case, cast):
    case.holds(cast)


def test_an_environment_is_listed_edited_stopped_and_deleted(cast):
    here = f"/projects/{cast.private.id}/environments"
    made = cast.developer.post(here, name="Review App").json
    there = f"{here}/{made['id']}"
    assert re.fullmatch(r"review-app-[a-z0-9]{6}", made["slug"])
    assert cast.developer.post(here, name="Review App").json == {"message": {"name": ["has already been taken"]}}
    cast.developer.post(here, name="production")
    assert [each["name"] for each in cast.reporter.get(here).json] == ["Review App", "production"]
    assert [each["name"] for each in cast.reporter.get(here, name="production").json] == ["production"]
    assert [each["name"] for each in cast.reporter.get(here, search="APP").json] == ["Review App"]
    assert cast.reporter.get(there).json == {**made, "last_deployment": None}
    edited = cast.master.put(there, name="review", external_url="http://example.org").json
    assert (edited["name"], edited["slug"], edited["external_url"]) == ("review", made["slug"], "http://example.org")
    assert cast.master.put(there, name="production").json == {"message": {"name": ["has already been taken"]}}
    assert cast.master.put(there, slug="x").json == {"error": "slug is automatically generated and cannot be changed"}
    stopped = cast.developer.post(f"{there}/stop")
    assert (stopped.status, stopped.json["state"]) == (200, "stopped")
    assert [each["name"] for each in cast.reporter.get(here, states="available").json] == ["production"]
    assert cast.master.delete(there).status == 204
    assert cast.events()[-3:] == ["environment.updated", "environment.stopped", "environment.deleted"]


SLUGS = {
    "production": "production", "review-1": "review-1", "1": r"env-1-[a-z0-9]{6}", "Production": r"production-[a-z0-9]{6}",
    "review/feature": r"review-feature-[a-z0-9]{6}", "a--b": r"a-b-[a-z0-9]{6}", "x" * 24: "x" * 24,
    "x" * 25: "x" * 17 + "-[a-z0-9]{6}", "-a-": r"env-a-[a-z0-9]{6}", "/": r"env-[a-z0-9]{6}",
    "abcdefghijklmnop-rst": "abcdefghijklmnop-rst", "abcdefghijklmnop/rst": r"abcdefghijklmnop-[a-z0-9]{6}",
}  # fmt: skip


@pytest.mark.parametrize(("name", "slug"), SLUGS.items())
def test_a_slug_fits_a_host_name(name, slug):
    made = new_slug(name)
    assert re.fullmatch(slug, made)
    assert len(made) <= 24


@pytest.mark.commits
def test_an_environment_is_stopped_once_by_concurrent_requests(cast):
    here = f"/projects/{cast.private.id}/environments"
    environment = cast.developer.post(here, name="staging").json["id"]

    async def at_once():
        return await asyncio.gather(*(cast.developer.exchange("POST", f"{here}/{environment}/stop") for _ in range(3)))

    answers = cast.developer.loop.run_until_complete(at_once())
    assert {(answer.status, answer.json["state"]) for answer in answers} == {(200, "stopped")}
    assert cast.events().count("environment.stopped") == 1
