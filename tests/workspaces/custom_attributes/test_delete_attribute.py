from tests.workspaces.custom_attributes.subjects import at, every


@every
def test_an_attribute_is_deleted_once(cast, subject):
    here = at(cast, subject)
    cast.root.put(f"{here}/key", value="x")
    assert cast.root.delete(f"{here}/key").status == 204
    assert cast.root.get(here).json == []
    answer = cast.root.delete(f"{here}/key")
    assert (answer.status, answer.json) == (404, {"message": "404 Custom Attribute Not Found"})
