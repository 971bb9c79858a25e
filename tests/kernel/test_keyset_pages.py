"""`pagination=keyset`: pages that follow each other by `cursor`, without numbers and totals."""

from base64 import urlsafe_b64encode

import pytest

NUMBERS = {"x-total", "x-total-pages", "x-page", "x-next-page", "x-prev-page"}


def follow(person, path, *, between=None, **query):
    """The items of all pages, in order; `between` is called after the first page."""
    answer = person.get(path, pagination="keyset", **query)
    items = []
    while True:
        assert answer.status == 200, answer
        assert not NUMBERS & set(answer.headers)
        items += answer.json
        link = answer.headers.get("Link")
        if link is None:
            return items
        assert link.endswith('>; rel="next"')
        assert link.count("rel=") == 1
        assert len(answer.json) == query["per_page"]
        if between is not None:
            between = between() and None
        answer = person.get(link.partition("/api/v4")[2].partition(">")[0])


def by_id(items):
    return [each["id"] for each in items]


@pytest.fixture
def make(cast):
    """Makes a user, a group, an issue that other pages have to make room for."""
    made = iter(range(1, 1000))

    def user():
        name = f"a{next(made)}"
        return cast.root.post("/users", username=name, name=name, email=f"{name}@example.org", password="long enough")

    return {
        "/users": user,
        "/groups": lambda: cast.root.post("/groups", name=f"A{(n := next(made))}", path=f"a{n}"),
        f"/projects/{cast.private.id}/issues": lambda: cast.root.post(
            f"/projects/{cast.private.id}/issues", title=f"A{next(made)}"
        ),
    }


ORDERS = {
    "/users": ["id", "name", "created_at", "updated_at"],
    "/groups": ["id", "name", "path", "created_at", "similarity"],
    "/projects/{private.id}/issues": ["id", "created_at", "updated_at", "title", "due_date"],
}


@pytest.mark.parametrize("path", ORDERS)
def test_each_row_is_shown_once_whatever_is_added_meanwhile(cast, make, path):
    orders, path = ORDERS[path], path.format(private=cast.private)
    for _ in range(2):
        assert make[path]().status == 201
    for order in orders:
        for sort in ("asc", "desc"):
            query = {"order_by": order, "sort": sort}
            expected = by_id(cast.root.get(path, per_page=100, **query).json)
            found = by_id(follow(cast.root, path, per_page=5 if path == "/users" else 2, between=make[path], **query))
            assert [each for each in found if each in expected] == expected, query
            assert by_id(follow(cast.root, path, per_page=100, **query)) == by_id(
                cast.root.get(path, per_page=100, **query).json
            )


def test_a_page_of_the_greatest_size_is_followed_by_the_next(cast, make):
    path = f"/projects/{cast.private.id}/issues"
    for _ in range(100):
        make[path]()
    assert len({*by_id(follow(cast.developer, path, order_by="id", per_page=100))}) == 103


def test_filters_and_rights_hold_on_every_page(cast, make):
    path = f"/projects/{cast.private.id}/issues"
    assert [each["title"] for each in follow(cast.guest, path, per_page=1)] == ["Open"]
    make[path]()
    detailed = follow(cast.developer, path, per_page=1, state="opened", with_labels_details=True)
    assert [each["title"] for each in detailed] == ["A1", "Farewell", "Confidential", "Open"]
    cast.owner.put(f"/projects/{cast.private.id}", issues_enabled=False)
    assert follow(cast.developer, path, per_page=1) == []
    assert cast.stranger.get(path, pagination="keyset").json == {"message": "404 Project Not Found"}
    assert by_id(follow(cast.guest, "/users", per_page=3)) == by_id(cast.guest.get("/users", per_page=100).json)
    assert by_id(follow(cast.anonymous, "/groups", per_page=1)) == by_id(cast.anonymous.get("/groups").json)


@pytest.mark.parametrize(
    ("path", "query"),
    [
        ("/users", {"search": "e"}),
        ("/projects/{private.id}/issues", {"order_by": "weight"}),
        ("/projects/{private.id}/issues", {"search": "open"}),
        ("/projects/{private.id}/labels", {"order_by": "id"}),
        ("/projects/{private.id}/members", {"order_by": "id"}),
    ],
)
def test_other_orders_and_lists_have_numbers_and_a_total(cast, path, query):
    answer = cast.guest.get(path.format(private=cast.private), pagination="keyset", **query)
    assert (answer.status, answer.headers["X-Page"]) == (200, "1")


NO_CURSORS = [
    b"[]", b"{}", b'["x"]', b"[1,2]", b'["a","b",3]', b"[1.5]", b"[18446744073709551616]", b'["\\u0000",1]', b"\xff",
]  # fmt: skip


@pytest.mark.parametrize("path", ORDERS)
def test_what_is_no_cursor_of_the_list_is_refused(cast, path):
    path, query = path.format(private=cast.private), {"pagination": "keyset", "order_by": "created_at"}
    for cursor in ("%", "é", *(urlsafe_b64encode(content).decode() for content in NO_CURSORS)):
        answer = cast.root.get(path, cursor=cursor, **query)
        assert (answer.status, answer.json) == (400, {"error": "cursor is invalid"}), cursor
