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
    assert offered("anonymous", "#", "zebra").status == 302
