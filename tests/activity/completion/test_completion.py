"""GET /autocomplete/references: what a text may name, for those who may see it."""

from mujina.activity.completion.settings_pages import TOPICS, settings_rules
from mujina.product import PRODUCT
from tests.harness.browsers import browser_of
from tests.harness.creation import make_group


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
    twice = {"name": "zebra crossing", "color": "#112233"}
    assert owner.post(f"/groups/{cast.team.id}/labels", **twice).status == 201
    assert texts("guest", "~", "zeb") == ['~"zebra crossing"']
    assert texts("guest", "%", "zeb") == ["%zebra"]
    assert texts("guest", "@", "repor") == ["@reporter"]
    assert texts("guest", "@", "nobody%") == texts("guest", "!", "x") == []
    assert offered("stranger", "#", "zebra").status == 404
    assert offered("guest", "?", "zebra").status == 400
    assert offered("anonymous", "#", "zebra").status == 404


def test_emoji_are_found_by_any_of_their_names(client, database, cast):
    def found(search):
        visitor = browser_of(cast.anonymous, database, client)
        return visitor.open("/autocomplete/references", sign=":", search=search).json

    assert found("tada") == [{"text": "🎉", "title": ":tada:", "address": ""}]
    assert found("+1")[0]["title"] == ":thumbsup:"
    assert [each["title"] for each in found("")][:2] == [":thumbsup:", ":thumbsdown:"]
    assert len(found("a")) == len(found("")) == 8
    assert found("no such emoji") == found("%") == []


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


def test_the_fields_of_a_group_suggest_its_people_labels_and_milestones(client, database, cast):
    group = cast.team.id
    owner = cast.owner
    assert owner.post(f"/groups/{group}/labels", name="zebra crossing", color="#112233").status == 201
    assert owner.post(f"/groups/{group}/milestones", title="zebra").status == 201

    def offered(name, sign, search="zeb", **query):
        return browser_of(getattr(cast, name), database, client).open(
            "/autocomplete/references", sign=sign, search=search, **query
        )

    def texts(*args, **query):
        return [each["text"] for each in offered(*args, **query).json]

    assert texts("guest", "~", group_id=group) == ['~"zebra crossing"']
    assert texts("guest", "%", group_id=group) == ["%zebra"]
    members = [f"@{each['username']}" for each in owner.get(f"/groups/{group}/members/all").json]
    assert sorted(texts("guest", "@", "", group_id=group)) == sorted(members)
    assert texts("guest", "#", "", group_id=group) == texts("guest", "!", "", group_id=group) == []
    hidden = make_group(cast.root, "hidden-herd", name="Hidden herd", visibility="private")["id"]
    assert {offered(name, sign, group_id=hidden).status for name in ("guest", "anonymous") for sign in "@~%"} == {404}


def test_without_a_project_or_group_only_people_are_suggested_and_to_no_anonymous_visitor(client, database, cast):
    def texts(name, sign, search):
        found = browser_of(getattr(cast, name), database, client).open(
            "/autocomplete/references", sign=sign, search=search
        )
        return [each["text"] for each in found.json]

    assert texts("guest", "@", "repor") == ["@reporter"]
    assert texts("guest", "@", "") == texts("guest", "~", "a") == texts("anonymous", "@", "repor") == []


def test_an_anonymous_visitor_is_suggested_labels_of_a_public_project_but_no_people(client, database, cast):
    project = cast.public
    assert cast.root.post(f"/projects/{project.id}/labels", name="zebra", color="#112233").status == 201

    def texts(sign, search):
        found = browser_of(cast.anonymous, database, client).open(
            "/autocomplete/references", project_id=project.id, sign=sign, search=search
        )
        return [each["text"] for each in found.json]

    assert texts("~", "zeb") == ["~zebra"]
    assert texts("@", "") == []


def test_the_search_field_suggests_the_settings_that_the_reader_may_open(client, database, cast):
    def suggested(name, search, **query):
        browser = browser_of(getattr(cast, name), database, client)
        found = [each["address"] for each in browser.open("/autocomplete/references", search=search, **query).json]
        assert [browser.open(address).status for address in found] == [200] * len(found)
        return found

    project, group = {"project_id": cast.private.id}, {"group_id": cast.team.id}
    here, there = f"/{cast.private.path}", f"/groups/{cast.private.path.rpartition('/')[0]}/-"
    assert suggested("owner", "protected", **project) == [f"{here}/settings/repository"]
    assert suggested("master", "protected", **project) == [f"{here}/settings/repository"]
    assert suggested("developer", "protected", **project) == suggested("owner", "protected") == []
    assert suggested("owner", "audit ev", **project) == [f"{here}/audit_events"]
    assert suggested("master", "audit ev", **project) == []
    assert suggested("owner", "webhoo", **group) == [f"{there}/hooks"]
    assert suggested("guest", "webhoo", **group) == suggested("owner", "ldap", **group) == []


def test_every_page_of_settings_that_is_suggested_exists():
    for kind, topics in TOPICS.items():
        assert set(settings_rules(PRODUCT, kind)) == set(topics)
