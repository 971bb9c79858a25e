"""Settings that have no meaning here: stored, and shown by the objects on which somebody has set them."""

import pytest

from mujina.kernel.http.params import fields_of
from mujina.workspaces.projects.params import ACCESS_LEVELS
from mujina.workspaces.stored_settings.params import StoredGroupSettings, StoredProjectSettings

STORED = {"/projects": StoredProjectSettings, "/groups": StoredGroupSettings}
SAMPLES = {"boolean": True, "integer": 7, "string": "Any text", "array": ["ref", "sub"]}


def sample(field):
    schema = field.form.schema
    return schema["enum"][-1] if "enum" in schema else SAMPLES[schema["type"]]


def samples(place):
    return {field.name: sample(field) for field in fields_of(STORED[place])}


@pytest.fixture(params=STORED)
def place(request):
    return request.param


@pytest.fixture
def own(cast, place):
    """A project or group of the owner, which nobody has given such settings."""
    return cast.private.id if place == "/projects" else cast.team.id


def test_an_object_shows_only_the_settings_that_were_set_on_it(cast, place, own):
    every = samples(place)
    before = cast.guest.get(f"{place}/{own}").json
    assert not before.keys() & {*every, *ACCESS_LEVELS}
    changed = cast.owner.put(f"{place}/{own}", **every)
    assert (changed.status, {name: changed.json[name] for name in every}) == (200, every)
    shown = cast.guest.get(f"{place}/{own}").json
    assert [(name, value) for name, value in shown.items() if name in every] == list(every.items())
    assert shown.keys() == before.keys() | every.keys()
    listed = {each["id"]: each for each in cast.owner.get(place, per_page=100).json}
    assert {name: listed[own][name] for name in every} == every
    others = [each for id_, each in listed.items() if id_ != own]
    assert others
    assert not any(each.keys() & every.keys() for each in others)


def test_an_edit_leaves_other_settings_as_they_are(cast, place, own):
    first, second = list(samples(place).items())[:2]
    cast.owner.put(f"{place}/{own}", **dict([first]))
    cast.owner.put(f"{place}/{own}", **dict([second]))
    cast.owner.put(f"{place}/{own}", description="Other", **{first[0]: None})
    shown = cast.owner.get(f"{place}/{own}").json
    assert (shown[first[0]], shown[second[0]], shown["description"]) == (first[1], second[1], "Other")


def test_a_new_object_shows_what_it_was_made_with(cast, place):
    name, value = next(iter(samples(place).items()))
    made = cast.owner.post(place, name="fresh", path="fresh", **{name: value})
    assert (made.status, made.json[name]) == (201, value)
    assert "emails_enabled" not in cast.owner.get(f"{place}/{made.json['id']}").json


def test_a_value_of_another_type_is_refused(cast, place, own):
    for field in fields_of(STORED[place]):
        answer = cast.owner.put(f"{place}/{own}", **{field.name: {"a": "tree"}})
        assert (answer.status, answer.json["error"].split()[0]) == (400, field.name), answer
    text = next(field.name for field in fields_of(STORED[place]) if field.form.schema == {"type": "string"})
    answer = cast.owner.put(f"{place}/{own}", **{text: "x" * 70_000})
    assert (answer.status, answer.json) == (400, {"error": f"{text} is too long"})
    assert not cast.owner.get(f"{place}/{own}").json.keys() & samples(place).keys()


def test_users_who_may_not_edit_an_object_may_not_set_them(cast, place, own):
    assert cast.developer.put(f"{place}/{own}", emails_enabled=True).status == 403
    assert cast.stranger.put(f"{place}/{own}", emails_enabled=True).status in (403, 404)
    assert "emails_enabled" not in cast.owner.get(f"{place}/{own}").json


def test_a_level_of_a_feature_is_what_the_feature_is(cast):
    here = f"/projects/{cast.private.id}"
    for level, setting in ACCESS_LEVELS.items():
        assert cast.owner.put(here, **{level: "disabled"}).json[level] == "disabled"
        assert cast.owner.put(here, **{setting: True}).json[level] == "enabled"
        refused = cast.owner.put(here, **{level: "private"})
        assert (refused.status, refused.json) == (400, {"error": f"{level} does not have a valid value"})
    group = cast.owner.get(f"/groups/{cast.team.id}").json
    assert next(each for each in group["projects"] if each["id"] == cast.private.id)["wiki_access_level"] == "enabled"
