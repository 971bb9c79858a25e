"""The pages of epics: what they show to whom, and what their forms do."""

import re


def order(page):
    """The titles of the issues of an epic, in order."""
    return re.findall(
        r'class="row-title"[^>]*>([^<]*)<', page.partition('id="issues"')[2].partition('id="timeline"')[0]
    )


def test_an_epic_is_written_filled_and_discussed(browse, cast, paper, set_edition):
    place, api = f"/groups/{cast.team.path}/-/epics", f"/projects/{paper['id']}"
    owner, guest = browse("owner"), browse("guest")
    assert owner.open(f"{place}/new").status == 200
    dates = {"start_date": "2018-02-01", "end_date": "2018-01-01"}
    refused = owner.send(place, epic={"title": "", "description": "kept words", **dates})
    assert (refused.status, "kept words" in refused.text, refused.text.count('aria-invalid="true"')) == (422, True, 2)
    made = owner.send(place, epic={"title": "Dry <roof>", "description": "All *dry*", "start_date": "2018-02-01"})
    assert made.status == 303
    here = made.headers["Location"]
    for title, more in (("One", {}), ("Two", {}), ("Secret", {"confidential": True})):
        iid = cast.owner.post(f"{api}/issues", title=title, **more).json["iid"]
        reference = (
            f"{paper['path_with_namespace']}#{iid}"
            if iid % 2
            else f"http://mujina.test/{paper['path_with_namespace']}/issues/{iid}"
        )
        owner.open(here)
        assert owner.send(f"{here}/issues", issue=reference).status == 303, reference
    for wrong in ("", "nothing", f"{cast.private.path}#999", "stranger/nowhere#1"):
        assert owner.send(f"{here}/issues", issue=wrong).status == 422, wrong
    page = owner.open(here).text
    assert "Dry &lt;roof&gt;" in page
    assert "<em>dry</em>" in page
    assert order(page) == ["Secret", "Two", "One"]
    assert order(guest.open(here).text) == ["Two", "One"]
    links = re.findall(r"/issues/(\d+)/delete", page)
    assert owner.send(f"{here}/issues/{links[0]}/move", move_before_id=links[1]).status == 303
    assert owner.send(f"{here}/issues/{links[2]}/move", move_after_id=links[1]).status == 303
    assert order(owner.open(here).text) == ["One", "Two", "Secret"]
    assert guest.send(f"{here}/issues/{links[1]}/delete").status == 403
    assert owner.send(f"{here}/issues/{links[1]}/delete").status == 303
    assert owner.send(f"{here}/notes", body="It **drips**").status == 303
    assert guest.send(f"{here}/notes", body="again").status == 303
    page = owner.open(here).text
    assert "<strong>drips</strong>" in page
    note = re.findall(r'id="note_(\d+)"', page)[-1]
    assert guest.send(f"{here}/notes/{note}", body="once more").status == 303
    assert owner.open(f"{here}/notes/{note}/edit").status == 200
    assert owner.send(f"{here}/react", name="tada").status == 303
    assert ":tada: 1" in owner.open(here).text
    for verb in ("unsubscribe", "unsubscribe", "subscribe", "todo", "todo"):
        assert owner.send(f"{here}/{verb}").status == 303, verb
    assert owner.send(here, epic={"title": "Dry", "end_date": "2018-03-01"}).status == 303
    assert "Dry" in owner.open(place, search="dry").text
    assert "No epics match." in owner.open(place, search="flood").text
    bar = owner.open(f"/groups/{cast.team.path}/-/roadmap").text
    assert "Dry: Feb 1, 2018 to Mar 1, 2018" in bar
    cast.owner.post(
        f"{place.replace(cast.team.path, str(cast.team.id))}",
        title="Long",
        start_date="0001-01-01",
        end_date="9999-12-31",
    )
    assert "Long" in owner.open(f"/groups/{cast.team.path}/-/roadmap").text
    assert guest.open(f"{here}/edit").status == 403
    assert browse("developer").send(f"{here}/delete").status in (403, 422)
    set_edition("standard")
    refused = owner.open(here)
    assert (refused.status, "Epics need the ultimate edition" in refused.text) == (403, True)
    assert "/-/epics" not in refused.text.partition("<main")[0]
    set_edition("ultimate")
    assert owner.send(f"{here}/delete").status == 303
    assert "Epics group issues of several projects." in owner.open(place).text or "Long" in owner.page.text
