"""The settings of a project: who sees them, and what their forms change."""

from tests.harness.creation import make_group, make_project


def test_settings_are_saved_by_section(browse, cast):
    here, api = f"/{cast.private.path}", f"/projects/{cast.private.id}"
    owner = browse("owner")
    page = owner.open(f"{here}/edit").text
    for words in ("Danger zone", "Transfer", "Project name", "Merge method", 'name="confirm_remove"'):
        assert words in page, words
    saved = owner.send(f"{here}/edit", name="Otter", description="A client", topics="cli, python")
    assert (saved.status, saved.headers["Location"]) == (303, f"{here}/edit")
    assert owner.send(f"{here}/edit", issues_enabled="false", wiki_enabled="true", visibility="private").status == 303
    assert owner.send(f"{here}/edit", merge_method="ff", approvals_before_merge="2").status == 303
    project = cast.owner.get(api).json
    assert (project["name"], project["description"], project["tag_list"]) == ("Otter", "A client", ["cli", "python"])
    assert (project["issues_enabled"], project["merge_method"], project["approvals_before_merge"]) == (False, "ff", 2)
    refused = owner.send(f"{here}/edit", name="x" * 300, description="kept words")
    assert (refused.status, "kept words" in refused.text) == (422, True)
    assert 'id="name-problem"' in refused.text


def test_a_master_has_no_danger_zone(browse, cast):
    here = f"/{cast.private.path}"
    master = browse("master")
    page = master.open(f"{here}/edit").text
    assert "Danger zone" not in page
    assert 'name="visibility"' not in page
    assert master.send(f"{here}/edit", description="by a master").status == 303
    for verb in ("archive", "rename", "transfer", "remove"):
        assert master.send(f"{here}/{verb}", path="x", confirm_remove=cast.private.path).status == 403, verb
    assert browse("developer").open(f"{here}/edit").status == 403
    assert browse("stranger").open(f"{here}/edit").status == 404
    assert browse("anonymous").open(f"{here}/edit").status == 302


def test_dangerous_acts_want_the_path(browse, cast):
    owner, above = browse("owner"), cast.private.path.rpartition("/")[0]
    made = make_project(cast.owner, "paper", namespace_id=cast.team.id)
    here, api = f"/{made['path_with_namespace']}", f"/projects/{made['id']}"
    owner.open(f"{here}/edit")
    assert owner.send(f"{here}/archive").status == 303
    assert "Unarchive" in owner.open(f"{here}/edit").text
    assert owner.send(f"{here}/unarchive").status == 303
    renamed = owner.send(f"{here}/rename", path="parchment")
    assert renamed.headers["Location"] == f"/{above}/parchment/edit"
    here = f"/{above}/parchment"
    owner.open(f"{here}/edit")
    wrong = owner.send(f"{here}/transfer", group="no/such/group", confirm_transfer="parchment")
    assert (wrong.status, "is not the path of this project" in wrong.text) == (422, True)
    nowhere = owner.send(f"{here}/transfer", group="no/such/group", confirm_transfer=here[1:])
    assert (nowhere.status, "may create projects" in nowhere.text) == (422, True)
    other = make_group(cast.owner, "other", name="Other")
    moved = owner.send(f"{here}/transfer", group="other", confirm_transfer=here[1:])
    assert (moved.status, moved.headers["Location"]) == (303, "/other/parchment")
    assert cast.owner.get(api).json["namespace"]["id"] == other["id"]
    owner.open("/other/parchment/edit")
    assert owner.send("/other/parchment/remove", confirm_remove="parchment").status == 422
    assert owner.send("/other/parchment/remove", confirm_remove="other/parchment").status == 303
    assert cast.owner.get(api).status == 404


def test_an_owner_edits_a_group_on_its_settings_page(browse, cast):
    owner = browse("owner")
    group = make_group(cast.owner, "otters", name="Otters", visibility="private")
    here, api = "/groups/otters/-", f"/groups/{group['id']}"
    assert "Remove group" in owner.open(f"{here}/edit").text
    saved = owner.send(f"{here}/edit", name="Sea otters", description="Wet", visibility="public", lfs_enabled="false")
    assert saved.status == 303
    shown = cast.owner.get(api).json
    assert (shown["name"], shown["description"], shown["visibility"], shown["lfs_enabled"]) == (
        "Sea otters", "Wet", "public", False,
    )  # fmt: skip
    assert owner.send(f"{here}/edit", name="").status == 422
    assert owner.send(f"{here}/path", path="sea-otters").headers["Location"] == "/groups/sea-otters/-/edit"
    here = "/groups/sea-otters/-"
    assert browse("guest").open(f"{here}/edit").status == 403
    assert browse("anonymous").open(f"{here}/edit").status == 302
    owner.open(f"{here}/edit")
    cast.owner.post("/groups", name="Sea", path="sea", visibility="public")
    typed = {"confirm_transfer": "sea-otters"}
    for refused in ({"group": "sea"}, {"group": "nowhere", **typed}, {"group": "", **typed}):
        assert owner.send(f"{here}/transfer", **refused).status == 422, refused
    moved = owner.send(f"{here}/transfer", group="sea", **typed)
    assert (moved.status, moved.headers["Location"]) == (303, "/groups/sea/sea-otters/-/edit")
    assert owner.open("/sea-otters").headers["Location"] == "/sea/sea-otters"
    back = owner.send("/groups/sea/sea-otters/-/transfer", group="", confirm_transfer="sea/sea-otters")
    assert (back.status, back.headers["Location"]) == (303, "/groups/sea-otters/-/edit")
    assert owner.send(f"{here}/remove", confirm_remove="otters").status == 422
    assert owner.send(f"{here}/remove", confirm_remove="sea-otters").status == 303
    assert cast.owner.get(api).status == 404
    links = f"/groups/{cast.team.path}/-/ldap_group_links"
    assert "No LDAP server is configured." in owner.open(links).text
    assert owner.send(links, provider="ldapmain", cn="otters", group_access="30").status == 303
    assert "otters" in owner.open(links).text
    assert owner.send(f"{links}/remove", cn="otters", provider="ldapmain").status == 303


def test_the_audit_log_shows_who_changed_what(browse, cast):
    here = f"/{cast.private.path}"
    assert cast.owner.put(f"/projects/{cast.private.id}", description="Seen").status == 200
    owner = browse("owner")
    page = owner.open(f"{here}/audit_events").text
    assert "Changed description" in page
    assert cast.owner.name in page
    assert "No events match." in owner.open(f"{here}/audit_events", created_before="2001-01-01").text
    assert owner.open(f"/groups/{cast.team.path}/-/audit_events").status == 200
    assert browse("master").open(f"{here}/audit_events").status == 403
