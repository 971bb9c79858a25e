import asyncio

import pytest

from tests.harness.cases import Case, Has, cases


@cases(
    [
        Case("anonymous", "POST /projects/{public.id}/star", 401),
        Case("stranger", "POST /projects/{private.id}/star", 404, {"message": "404 Project Not Found"}),
        Case("stranger", "POST /projects/{public.id}/star", 201, Has(star_count=1)),
        Case("stranger", "POST /projects/{public.id}/unstar", 304),
    ]
)
def test_readers_star(case, cast):
    case.holds(cast)


def test_a_star_is_given_once_and_taken_once(cast):
    star, unstar = f"/projects/{cast.public.id}/star", f"/projects/{cast.public.id}/unstar"
    assert cast.guest.post(star).json["star_count"] == 1
    again = cast.guest.post(star)
    assert (again.status, again.body) == (304, b"")
    assert cast.reporter.post(star).json["star_count"] == 2
    assert cast.guest.post(unstar).json["star_count"] == 1
    assert cast.guest.post(unstar).status == 304


@pytest.mark.commits
def test_sixteen_stars_of_one_person_count_once(cast):
    async def all_at_once():
        path = f"/projects/{cast.public.id}/star"
        return await asyncio.gather(*(cast.guest.exchange("POST", path) for _ in range(16)))

    statuses = sorted(answer.status for answer in cast.guest.loop.run_until_complete(all_at_once()))
    assert statuses == [201] + [304] * 15
    assert cast.guest.get(f"/projects/{cast.public.id}").json["star_count"] == 1
