"""Payloads about releases."""


def test_a_release_is_told_when_it_is_created_edited_and_deleted(hooks, repository):
    path, commit = repository
    sha = commit("master", ("create", "a", {}))
    hooks.add(releases_events=True)
    cast, releases = hooks.cast, path.replace("/repository", "/releases")
    link = {"name": "tool", "url": "https://files.example.org/tool"}
    assert cast.developer.post(releases, tag_name="v1", ref="master", assets={"links": [link]}).status == 201
    [created] = hooks.bodies()
    assert (created["object_kind"], created["action"], created["tag"]) == ("release", "create", "v1")
    assert (created["commit"]["id"], created["assets"]["count"]) == (sha, 5)
    assert [each["name"] for each in created["assets"]["links"]] == ["tool"]
    cast.developer.put(f"{releases}/v1", description="Notes")
    cast.developer.delete(f"{releases}/v1")
    assert [(body["action"], body["description"]) for body in hooks.bodies()] == [
        ("update", "Notes"), ("delete", "Notes"),
    ]  # fmt: skip
