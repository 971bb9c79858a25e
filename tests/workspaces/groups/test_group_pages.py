"""The pages of groups."""

from tests.harness.creation import make_group, make_project


def test_a_group_shows_its_subgroups_and_projects(browse, cast):
    team = cast.team
    cast.owner.post("/groups", name="Crew", path="crew", parent_id=team.id, visibility="private")
    cast.owner.put(f"/groups/{team.id}", description="We build **boats**.")
    old = make_project(cast.owner, "Oldtimer", namespace_id=team.id)
    cast.owner.post(f"/projects/{old['id']}/archive")
    owner, guest = browse("owner"), browse("guest")
    page = owner.open(f"/{team.path}").text
    for words in ("<strong>boats</strong>", "Crew", "New project", "New subgroup", "private"):
        assert words in page, words
    assert "Oldtimer" not in page
    assert owner.open(f"/groups/{team.path}").text.count("Crew") == page.count("Crew")
    page = guest.open(f"/{team.path}").text
    assert [words in page for words in ("Crew", "New subgroup", "public")] == [False, False, True]
    below = f"/groups/{team.path}/-"
    assert "Oldtimer" in owner.open(f"{below}/archived").text
    assert "No archived projects." in guest.open(f"{below}/archived").text
    assert "No projects are shared with this group." in owner.open(f"{below}/shared").text
    assert "private" in browse("shared").open(f"/groups/{cast.guild.path}/-/shared").text
    assert "Crew" in owner.open(f"{below}/subgroups", search="crew").text
    assert "Nothing matches your search." in owner.open(f"{below}/subgroups", search="qxqnone").text
    assert "This group has no subgroups." in guest.open(f"{below}/subgroups").text
    assert "internal" in owner.open(f"/groups/{cast.company.path}/-/projects").text
    assert owner.open(f"/{team.path}/-/issues").headers["Location"] == f"{below}/issues"
    empty = make_group(cast.owner, "empty", name="Empty")
    assert "No projects yet." in owner.open(f"/{empty['full_path']}").text


def test_a_group_lists_the_issues_that_its_reader_may_see(browse, cast):
    place = f"/groups/{cast.team.path}/-/issues"
    cast.developer.post(f"/projects/{cast.private.id}/issues", title="qxqsecret", confidential=True, labels="wet")
    cast.developer.post(f"/projects/{cast.public.id}/issues", title="Leaking roof", labels="wet")
    developer, guest, stranger = (browse(name) for name in ("developer", "guest", "stranger"))
    assert "qxqsecret" in developer.open(place).text
    assert f"{cast.private.path}#" in developer.open(place).text
    for visitor in (guest, stranger):
        page = visitor.open(place).text
        assert ("qxqsecret" in page, "Leaking roof" in page) == (False, True)
    assert "Leaking roof" in stranger.open(place, label_name="wet", order="due").text
    assert "Leaking roof" in stranger.open(place, search="leaking").text
    assert "No issues match your filters." in stranger.open(place, search="qxqsecret").text
    assert "qxqsecret" in developer.open("/dashboard/issues", scope="created-by-me").text
    assert "qxqsecret" not in developer.open("/dashboard/issues").text
