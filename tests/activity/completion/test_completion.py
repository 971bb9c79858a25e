"""GET /autocomplete/references: what a text may name, for those who may see it."""

from tests.harness.browsers import browser_of


def test_a_reader_is_offered_only_what_they_may_see(client, database, cast):
    project = cast.private
    here = f"/projects/{project.id}"
    owner = cast.owner
    assert owner.post(f"{here}/issues", title="Zebra in the open").status == 201
    assert owner.post(f"{here}/issues", title="Zebra in secret", confidential=True).status == 201
    assert owner.post(f"{here}/labels", name="zebra crossing", color="#112233").status == 201
    assert owner.post(f"{here}/milestones", title="zebra").status == 201

    def offered(name, sign, search):
        path = "/autocomplete/references"
        return browser_of(getattr(cast, name), database, client).open(
            path, project_id=project.id, sign=sign, search=search
        )

    def texts(*query):
        return [each["text"] for each in offered(*query).json]

    assert [each["title"] for each in offered("owner", "#", "zebra").json] == ["Zebra in secret", "Zebra in the open"]
    assert [each["title"] for each in offered("guest", "#", "zebra").json] == ["Zebra in the open"]
    assert texts("guest", "~", "zeb") == ['~"zebra crossing"']
    assert texts("guest", "%", "zeb") == ["%zebra"]
    assert texts("guest", "@", "repor") == ["@reporter"]
    assert texts("guest", "@", "nobody%") == texts("guest", "!", "x") == []
    assert offered("stranger", "#", "zebra").status == 404
    assert offered("guest", "?", "zebra").status == 400
    assert offered("anonymous", "#", "zebra").status == 404


def test_the_search_field_suggests_places_that_the_reader_may_see(client, database, cast):
    def suggested(name, search, project=None):
        query = {"project_id": project.id} if project else {}
        found = browser_of(getattr(cast, name), database, client).open(
            "/autocomplete/references", search=search, **query
        )
        assert found.status == 200, found
        return [each["address"] for each in found.json]

    private, group = f"/{cast.private.path}", f"/{cast.private.path.rpartition('/')[0]}"
    assert private in suggested("guest", "private")
    assert suggested("stranger", "private") == suggested("anonymous", "private") == []
    assert f"/{cast.public.path}" in suggested("anonymous", "public")
    assert group in suggested("guest", "team")
    assert cast.root.post("/groups", name="Hidden herd", path="hidden-herd", visibility="private").status == 201
    assert suggested("root", "hidden-he") == ["/hidden-herd"]
    assert suggested("stranger", "hidden-he") == suggested("guest", "hidden-he") == []
    assert "/reporter" in suggested("guest", "repor")
    assert "/reporter" not in suggested("anonymous", "repor")
    assert suggested("guest", f"#{cast.open}", cast.private) == [f"{private}/issues/{cast.open}"]
    assert suggested("guest", str(cast.open), cast.private) == [f"{private}/issues/{cast.open}"]
    assert suggested("guest", str(cast.confidential), cast.private) == []
    assert suggested("guest", "ssh ke") == ["/profile/keys"]
    assert suggested("guest", "background") == []
    assert suggested("root", "background") == ["/admin/background_jobs"]
    assert suggested("guest", "a") == []
