import pytest

from tests.workspaces.custom_attributes.subjects import at, every


@every
def test_an_attribute_is_set_and_set_again(cast, subject):
    here = at(cast, subject)
    answer = cast.root.put(f"{here}/location", value="Lisbon")
    assert (answer.status, answer.json) == (200, {"key": "location", "value": "Lisbon"})
    assert cast.events()[-1].endswith(".annotated")
    assert cast.root.put(f"{here}/location", value="Porto").json == {"key": "location", "value": "Porto"}
    assert cast.root.get(here).json == [{"key": "location", "value": "Porto"}]


@every
@pytest.mark.parametrize(("who", "status"), [("anonymous", 401), ("owner", 403), ("guest", 403), ("read_user", 403)])
def test_only_administrators_set_attributes(cast, subject, who, status):
    for verb in ("GET", "PUT", "DELETE"):
        assert getattr(cast, who).ask(verb, f"{at(cast, subject)}/key", params={"value": "x"}).status == status
    assert getattr(cast, who).get(at(cast, subject)).status == status


@every
def test_key_and_value_of_an_attribute_are_required(cast, subject):
    here = at(cast, subject)
    assert cast.root.put(f"{here}/key").json["message"] == '400 (Bad request) "value" not given'
    assert cast.root.put(f"{here}/key", value="").json == {"message": {"value": ["can't be blank"]}}
    assert cast.root.put(f"{here}/{'k' * 256}", value="x").json == {
        "message": {"key": ["is too long (maximum is 255 characters)"]}
    }
    assert cast.root.put(f"{here}/key", value="ü" * 255).status == 200
    assert cast.root.put(f"{here}/key", value="ü" * 256).status == 400
    assert cast.root.put(f"{here}/a%1Fb", value="x").json == {"message": {"key": ["is invalid"]}}


@pytest.mark.parametrize(
    ("subject", "noun"),
    [
        ("/users/999999", "User"),
        ("/users/nobody", "User"),
        ("/groups/999999", "Group"),
        ("/projects/999999", "Project"),
    ],
)
def test_attributes_of_an_unknown_subject_are_not_found(cast, subject, noun):
    here = at(cast, subject)
    for verb, path in (("GET", here), ("GET", f"{here}/x"), ("PUT", f"{here}/x"), ("DELETE", f"{here}/x")):
        answer = cast.root.ask(verb, path, params={"value": "x"})
        assert (answer.status, answer.json) == (404, {"message": f"404 {noun} Not Found"})
