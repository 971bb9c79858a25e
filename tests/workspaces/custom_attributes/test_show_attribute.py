from tests.workspaces.custom_attributes.subjects import at, every


@every
def test_an_attribute_is_shown(cast, subject):
    here = at(cast, subject)
    cast.root.put(f"{here}/a%2Fb%2Ec", value="x")
    assert cast.root.get(f"{here}/a%2Fb.c").json == {"key": "a/b.c", "value": "x"}


@every
def test_an_unknown_attribute_is_not_found(cast, subject):
    answer = cast.root.get(f"{at(cast, subject)}/nothing")
    assert (answer.status, answer.json) == (404, {"message": "404 Custom Attribute Not Found"})
