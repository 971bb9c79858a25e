from tests.harness.cases import Case, cases


def test_a_board_is_made_by_masters_and_seen_by_all(cast, boards):
    made = cast.master.post(boards, name=" Sprint ")
    assert (made.status, made.json["name"]) == (201, "Sprint")
    assert cast.guest.get(f"{boards}/{made.json['id']}").json == made.json


@cases(
    [
        Case("anonymous", "GET /projects/{public.id}/boards", 401),
        Case("stranger", "GET /projects/{private.id}/boards", 404, {"message": "404 Project Not Found"}),
        Case("stranger", "GET /projects/{public.id}/boards", 200),
        Case("guest", "GET /projects/{private.id}/boards/9999", 404, {"message": "404 Board Not Found"}),
        Case("developer", "POST /projects/{private.id}/boards", 403, params={"name": "x"}),
        Case("master", "POST /projects/{private.id}/boards", 400, {"message": {"name": ["can't be blank"]}}, {"name": " "}),
    ]
)  # fmt: skip
def test_readers_list_boards_and_masters_create_them(case, cast):
    case.holds(cast)
