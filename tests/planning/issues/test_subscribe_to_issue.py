import asyncio

import pytest

from tests.harness.cases import Case, Has, cases
from tests.harness.statements import statements
from tests.harness.untouched import untouched


@pytest.fixture
def cast(cast):
    return untouched(cast)


def test_users_who_do_not_participate_subscribe_and_unsubscribe(cast, issue):
    assert cast.guest.get(issue).json["subscribed"] is False
    assert cast.guest.post(f"{issue}/unsubscribe").status == 304
    answer = cast.guest.post(f"{issue}/subscribe")
    assert (answer.status, answer.json["subscribed"]) == (201, True)
    assert answer.json == cast.guest.get(issue).json
    assert cast.guest.post(f"{issue}/subscribe").body == b""


@pytest.mark.parametrize("how", ["comment", "award", "assignee"])
def test_participants_are_subscribed(cast, issue, how):
    assert cast.guest.get(issue).json["subscribed"] is False
    match how:
        case "comment":
            cast.guest.post(f"{issue}/notes", body="hello")
        case "award":
            cast.guest.post(f"{issue}/award_emoji", name="tada")
        case _:
            cast.reporter.put(issue, assignee_ids=[cast.guest.id])
    assert cast.guest.get(issue).json["subscribed"] is True
    assert cast.guest.post(f"{issue}/subscribe").status == 304


def test_showing_an_issue_costs_four_statements(cast, issue, database):
    with statements(database) as used:
        cast.guest.get(issue)
    assert used.count <= 4


@cases(
    [
        Case("anonymous", "POST /projects/{public.id}/issues/{open}/subscribe", 401),
        Case("stranger", "POST /projects/{public.id}/issues/{open}/subscribe", 201, Has(subscribed=True)),
        Case("stranger", "POST /projects/{private.id}/issues/{open}/subscribe", 404, {"message": "404 Project Not Found"}),
        Case("guest", "POST /projects/{private.id}/issues/{confidential}/subscribe", 404, {"message": "404 Issue Not Found"}),
        Case("guest", "POST /projects/{private.id}/issues/{confidential}/unsubscribe", 404, {"message": "404 Issue Not Found"}),
    ]
)  # fmt: skip
def test_readers_of_an_issue_subscribe_to_it(case, cast):
    case.holds(cast)


@pytest.mark.commits
def test_many_who_subscribe_at_once_are_all_subscribed(cast, loop):
    issue = f"/projects/{cast.public.id}/issues/{cast.open}"
    people = [cast.guest, cast.developer, cast.stranger, cast.master] * 4

    async def all_at_once():
        return await asyncio.gather(*(person.exchange("POST", f"{issue}/subscribe") for person in people))

    answers = [answer.status for answer in loop.run_until_complete(all_at_once())]
    assert (answers.count(201), answers.count(304)) == (4, 12)
    assert all(person.get(issue).json["subscribed"] for person in people[:4])
