import pytest

from tests.harness.cases import Case, cases

MISSING = {"message": "404 Wiki Page Not Found"}


@pytest.fixture
def wiki(cast, stage):
    """The path of the private project's wiki; what the last test left on disk is gone."""
    stage.forget_stored()
    return f"/projects/{cast.private.id}/wikis"


LIST = "GET /projects/{private.id}/wikis"
WRITE = "POST /projects/{private.id}/wikis"
PAGE = {"title": "Home", "content": "Welcome"}


@cases(
    [
        Case("anonymous", LIST, 404),
        Case("stranger", LIST, 404),
        Case("guest", LIST, 200, []),
        Case("anonymous", "GET /projects/{public.id}/wikis", 200, []),
        Case("anonymous", WRITE, 401, params=PAGE),
        Case("reporter", WRITE, 403, params=PAGE, events=[]),
        Case("developer", WRITE, 400, {"message": {"title": ["can't be blank"], "content": ["can't be blank"]}},
             params={"title": "", "content": ""}),
        Case("developer", WRITE, 400, {"error": "format does not have a valid value"}, params=PAGE | {"format": "x"}),
        Case("developer", WRITE, 400, {"message": {"title": ["is too long (maximum is 246 bytes)"]}},
             params=PAGE | {"title": "a/" + "日" * 83}),
        Case("developer", WRITE, 201, params=PAGE | {"title": "日" * 82 + "/" + "日" * 82, "format": "asciidoc"}),
        Case("developer", WRITE, 201, {"format": "markdown", "slug": "Home", "title": "Home", "content": "Welcome"},
             params=PAGE, events=["wiki.pushed", "wiki_page.created"]),
    ]
)  # fmt: skip
def test_readers_read_the_wiki_and_developers_write_it(case, cast, wiki):
    case.holds(cast)


def test_a_page_is_written_shown_changed_and_removed(cast, wiki):
    made = cast.developer.post(wiki, title="How to start", content="*Read*", format="asciidoc")
    wanted = {"format": "asciidoc", "slug": "How-to-start", "title": "How to start"}
    assert (made.status, made.json) == (201, wanted | {"content": "*Read*"})
    assert cast.guest.get(wiki).json == [wanted]
    assert cast.guest.get(wiki, with_content=True).json == [made.json]
    beyond = cast.guest.get(wiki, page=2, per_page=1)
    assert (beyond.json, beyond.headers["X-Total"]) == ([], "1")
    page = f"{wiki}/How-to-start"
    assert cast.guest.get(page).json == made.json
    assert cast.developer.put(page, content="Read").json == wanted | {"content": "Read"}
    moved = cast.developer.put(page, title="docs/start", format="markdown").json
    assert moved == {"format": "markdown", "slug": "docs/start", "title": "docs/start", "content": "Read"}
    assert cast.guest.get(page).json == MISSING
    assert cast.guest.get(f"{wiki}/docs%2Fstart").json == moved
    assert cast.developer.delete(f"{wiki}/docs%2Fstart").status == 403
    assert cast.master.delete(f"{wiki}/docs%2Fstart").status == 204
    assert cast.guest.get(f"{wiki}/docs%2Fstart").json == MISSING
    assert cast.guest.get(wiki).json == []
    assert [kind for kind in cast.events() if kind.startswith("wiki_page")] == [
        "wiki_page.created", "wiki_page.updated", "wiki_page.updated", "wiki_page.deleted",
    ]  # fmt: skip


def test_changed_pages_are_told_to_those_who_may_read_the_wiki(cast, wiki):
    cast.developer.post(wiki, title="How to start", content="Read")
    cast.developer.put(f"{wiki}/How-to-start", title="Start")
    cast.master.delete(f"{wiki}/Start")
    feed = f"/projects/{cast.private.id}/events"

    def told(action):
        return [(event["action_name"], event["target_type"], event["target_title"], event["author_username"])
                for event in cast.guest.get(feed, action=action).json if event["target_type"] == "WikiPage"]  # fmt: skip

    assert told("created") == [("created", "WikiPage", "How to start", "developer")]
    assert told("updated") == [("updated", "WikiPage", "Start", "developer")]
    assert told("destroyed") == [("destroyed", "WikiPage", "Start", "master")]
    cast.owner.put(f"/projects/{cast.private.id}", wiki_enabled=False)
    assert told("updated") == []


def test_two_pages_of_one_title_are_refused(cast, wiki):
    cast.developer.post(wiki, **PAGE)
    again = cast.developer.post(wiki, **PAGE | {"format": "rdoc"})
    assert (again.status, again.json["message"][:14]) == (400, "Duplicate page")
    cast.developer.post(wiki, title="Other", content="x")
    assert cast.developer.put(f"{wiki}/Other", title="Home").status == 400


def test_a_slug_is_where_the_page_is(cast, wiki):
    made = cast.developer.post(wiki, title="/a //b/./c d/", content="x")
    assert (made.status, made.json["slug"]) == (201, "a-/b/c-d")
    assert cast.guest.get(f"{wiki}/a-%2Fb%2Fc-d").json == made.json
    for nothing in ("/", ".", " / "):
        blank = cast.developer.post(wiki, title=nothing, content="x")
        assert (blank.status, blank.json) == (400, {"message": {"title": ["can't be blank"]}})


@pytest.mark.parametrize("title", ["../../etc/passwd", ".git/config", "a/../../b", "x/.GIT/hooks/post-receive"])
def test_a_title_leads_nowhere_else(cast, wiki, title):
    assert cast.developer.post(wiki, title=title, content="x").status == 400
    assert cast.guest.get(wiki).json == []


def test_a_page_that_is_not_there(cast, wiki):
    for ask in (cast.master.get, cast.master.delete):
        assert (ask(f"{wiki}/none").status, ask(f"{wiki}/none").json) == (404, MISSING)
    assert cast.master.put(f"{wiki}/none", content="x").json == MISSING
    assert cast.guest.get(f"{wiki}/..%2F..%2Fetc%2Fpasswd").json == MISSING


def test_a_project_without_a_wiki_refuses(cast, wiki):
    cast.owner.put(f"/projects/{cast.private.id}", wiki_enabled=False)
    assert cast.owner.get(wiki).status == 403
    assert cast.owner.post(wiki, **PAGE).status == 403
