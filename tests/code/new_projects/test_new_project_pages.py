"""The form of a new project."""

import pytest

one_engine = pytest.mark.parametrize("engine", ["sqlite"], indirect=True)


@one_engine
def test_a_project_is_created_with_a_readme(browse, cast):
    developer = browse("developer")
    page = developer.open("/projects/new")
    assert f"/{cast.developer.username}/" in page.text
    assert f"/{cast.team.path}/" not in page.text, "a developer creates no projects in the group"
    fields = {"name": "Otter", "path": "otter", "description": "Talks to servers", "visibility": "private"}
    sent = developer.send("/projects", **fields, initialize_with_readme="true")
    assert (sent.status, sent.headers["Location"]) == (303, f"/{cast.developer.username}/otter")
    file = cast.developer.get(f"/projects/{cast.developer.username}%2Fotter/repository/files/README.md/raw?ref=master")
    assert file.text == "# Otter\n\nTalks to servers\n"
    # The same name again: the values are kept, and the complaint stands beside its field.
    developer.open("/projects/new")
    again = developer.send("/projects", **fields)
    assert again.status in (409, 422)
    assert developer.field("name") == "Otter"
    assert 'id="path-problem"' in again.text


@one_engine
def test_a_group_is_chosen_by_its_link_and_the_levels_are_explained(browse, cast):
    owner = browse("owner")
    page = owner.open(f"/projects/new?namespace_id={cast.team.id}")
    assert f'<option value="{cast.team.id}" selected>' in page.text
    sent = owner.send("/projects", name="In the team", path="in-the-team", namespace_id=cast.team.id)
    assert sent.headers["Location"] == f"/{cast.team.path}/in-the-team"
    cast.root.put("/application/settings", restricted_visibility_levels=["public"])
    assert "Restricted by your administrator." in owner.open("/projects/new").text
    refused = owner.send("/projects", name="Open", path="open", visibility="public")
    assert refused.status == 422
    assert 'id="visibility-problem"' in refused.text
    assert "Restricted" not in browse("root").open("/projects/new").text


@one_engine
def test_a_project_is_imported(browse, cast):
    master = browse("master")
    assert "Git repository URL" in master.open("/projects/new?tab=import").text
    fields = {"tab": "import", "name": "Imported", "path": "imported"}
    for url in ("", "http://127.0.0.1/x.git", "nonsense"):
        refused = master.send("/projects", **fields, import_url=url)
        assert refused.status == 422
        assert 'id="import_url-problem"' in refused.text
    sent = master.send(
        "/projects", **fields, import_url="https://git.example/x.git", import_username="anna", import_password="p@ss"
    )
    assert sent.status == 303
    project = cast.master.get(f"/projects/{cast.master.username}%2Fimported").json
    assert project["import_status"] in ("scheduled", "started", "failed")
    cast.root.put("/application/settings", import_sources=[])
    assert "Import repository" not in master.open("/projects/new").text.split("<main")[1]


def test_a_full_namespace_is_not_offered(browse, cast):
    forms = ("/projects/new", "/projects/new/archive", f"/{cast.public.path}/forks/new")
    cast.root.put(f"/users/{cast.guest.id}", projects_limit=0)
    cast.root.put(f"/users/{cast.owner.id}", projects_limit=0)
    for path in forms:
        assert "You have reached your limit of projects" in browse("guest").open(path).text
        offered = browse("owner").open(path).text
        assert f'value="{cast.team.id}"' in offered
        assert ">/owner/<" not in offered
        assert ">owner<" not in offered
