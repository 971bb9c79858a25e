import asyncio

import pytest

from tests.harness.cases import Case, cases


def test_a_todo_is_made_once_until_it_is_done(cast):
    issue = f"/projects/{cast.private.id}/issues/{cast.open}"
    made = cast.guest.post(f"{issue}/todo")
    assert made.status == 201
    assert cast.guest.post(f"{issue}/todo").status == 304
    assert cast.guest.post(f"/todos/{made.json['id']}/mark_as_done").status == 201
    assert cast.guest.post(f"{issue}/todo").status == 201


def test_a_todo_shows_its_issue_whole_with_its_votes(cast):
    issue = f"/projects/{cast.private.id}/issues/{cast.open}"
    cast.developer.post(f"{issue}/award_emoji", name="thumbsup")
    cast.master.post(f"{issue}/award_emoji", name="thumbsup")
    cast.developer.post(f"{issue}/award_emoji", name="thumbsdown")
    todo = cast.guest.post(f"{issue}/todo").json
    target = cast.guest.get(issue).json
    del target["subscribed"], target["_links"]
    assert todo == {
        "id": todo["id"],
        "project": {
            "id": cast.private.id, "name": "private", "name_with_namespace": "Company / Department / Team / private",
            "path": "private", "path_with_namespace": cast.private.path,
        },
        "author": todo["author"],
        "action_name": "marked",
        "target_type": "Issue",
        "target": target | {"upvotes": 2, "downvotes": 1},
        "target_url": target["web_url"],
        "body": "Open",
        "state": "pending",
        "created_at": todo["created_at"],
    }  # fmt: skip
    assert todo["author"]["username"] == "guest"


@cases(
    [
        Case("anonymous", "POST /projects/{public.id}/issues/{open}/todo", 401),
        Case("stranger", "POST /projects/{public.id}/issues/{open}/todo", 201),
        Case("stranger", "POST /projects/{private.id}/issues/{open}/todo", 404, {"message": "404 Project Not Found"}),
        Case(
            "guest", "POST /projects/{private.id}/issues/{confidential}/todo", 404, {"message": "404 Issue Not Found"}
        ),
    ]
)
def test_readers_of_an_issue_create_a_todo_for_it(case, cast):
    case.holds(cast)


@pytest.mark.commits
def test_asking_at_once_makes_one_todo(cast, loop):
    todo = f"/projects/{cast.private.id}/issues/{cast.open}/todo"

    async def all_at_once():
        return await asyncio.gather(*(cast.guest.exchange("POST", todo) for _ in range(16)))

    statuses = sorted(answer.status for answer in loop.run_until_complete(all_at_once()))
    assert statuses == [201] + [304] * 15
    assert cast.guest.get("/todos").headers["X-Total"] == "1"
