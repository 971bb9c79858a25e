import asyncio

import pytest

from tests.harness.cases import Case, Has, cases
from tests.planning.issue_links.relations import link, related


def test_two_issues_are_related_both_ways(cast, issues):
    here, there = f"{issues}/{cast.open}", f"{issues}/{cast.confidential}"
    made = link(cast.reporter, here, cast.private.id, cast.confidential)
    assert made.status == 201
    assert (made.json["source_issue"]["iid"], made.json["target_issue"]["iid"]) == (cast.open, cast.confidential)
    assert related(cast.reporter, here) == [(cast.private.id, cast.confidential)]
    assert related(cast.reporter, there) == [(cast.private.id, cast.open)]


def test_a_pair_is_related_once(cast, issues):
    assert link(cast.reporter, f"{issues}/{cast.open}", cast.private.id, cast.confidential).status == 201
    for one, other in ((cast.open, cast.confidential), (cast.confidential, cast.open)):
        again = link(cast.reporter, f"{issues}/{one}", cast.private.id, other)
        assert (again.status, again.json) == (409, {"message": "Issue(s) already assigned"})
    assert link(cast.reporter, f"{issues}/{cast.open}", cast.private.id, cast.open).status == 400


def test_both_issues_get_a_note_for_readers_of_the_other(cast, issues):
    here, there = f"/projects/{cast.public.id}/issues/{cast.open}", f"{issues}/{cast.open}"
    link(cast.reporter, here, cast.private.id, cast.open)
    (other,) = cast.reporter.get(f"{here}/links").json
    cast.reporter.delete(f"{here}/links/{other['issue_link_id']}")
    link(cast.reporter, here, cast.private.id, cast.open)

    def note_bodies(person, issue):
        return [note["body"] for note in person.get(f"{issue}/notes", sort="asc").json]

    path = f"{cast.private.path}#{cast.open}"
    related, unrelated = f"marked this issue as related to {path}", f"removed the relation with {path}"
    assert note_bodies(cast.guest, here) == [related, unrelated, related]
    assert note_bodies(cast.guest, there)[0] == f"marked this issue as related to {cast.public.path}#{cast.open}"
    assert note_bodies(cast.stranger, here) == []


@cases(
    [
        Case("anonymous", "GET /projects/{public.id}/issues/{open}/links", 401),
        Case("stranger", "GET /projects/{public.id}/issues/{open}/links", 200, []),
        Case("guest", "GET /projects/{private.id}/issues/{confidential}/links", 404, {"message": "404 Issue Not Found"}),
        Case(
            "guest", "POST /projects/{private.id}/issues/{open}/links", 403,
            params={"target_project_id": 1, "target_issue_iid": 2},
        ),
        Case(
            "reporter", "POST /projects/{private.id}/issues/{open}/links", 404, {"message": "404 Issue Not Found"},
            {"target_project_id": 1, "target_issue_iid": 999},
        ),
        Case(
            "reporter", "POST /projects/{private.id}/issues/{open}/links", 404, {"message": "404 Project Not Found"},
            {"target_project_id": "no/such", "target_issue_iid": 1},
        ),
        Case("reporter", "POST /projects/{private.id}/issues/{open}/links", 400,
             Has(error="target_project_id is missing, target_issue_iid is missing")),
        Case("reporter", "DELETE /projects/{private.id}/issues/{open}/links/999", 404, {"message": "404 Issue Link Not Found"}),
        Case("guest", "DELETE /projects/{private.id}/issues/{open}/links/999", 403),
    ]
)  # fmt: skip
def test_relating_issues_requires_permission_on_both(case, cast):
    case.holds(cast)


@pytest.mark.commits
def test_relating_both_ways_at_once_makes_one_link(cast, loop, issues):
    pairs = [(cast.open, cast.confidential), (cast.confidential, cast.open)] * 8

    async def all_at_once():
        return await asyncio.gather(
            *(
                cast.reporter.exchange(
                    "POST", f"{issues}/{one}/links",
                    params={"target_project_id": cast.private.id, "target_issue_iid": other},
                )
                for one, other in pairs
            )
        )  # fmt: skip

    assert sorted(answer.status for answer in loop.run_until_complete(all_at_once())) == [201] + [409] * 15
    assert len(related(cast.reporter, f"{issues}/{cast.open}")) == 1
