from mujina.adapters.git_storage import Storage


def test_another_branch_becomes_the_default_one(cast, filled, stage):
    project = filled(cast.private, "stable")
    changed = cast.master.put(f"/projects/{project.id}", default_branch="stable")
    assert (changed.status, changed.json["default_branch"]) == (200, "stable")
    assert (Storage.of(stage.folder).place(project.id) / "HEAD").read_text() == "ref: refs/heads/stable\n"


def test_a_branch_that_is_not_there_is_refused(cast, filled):
    project = filled(cast.private)
    for name in ("none", "v1", "", "HEAD", "../x", "-x"):
        refused = cast.master.put(f"/projects/{project.id}", default_branch=name)
        wanted = {"base": [f"Could not change HEAD: branch '{name}' does not exist"]}
        assert (refused.status, refused.json) == (400, {"message": wanted})
    assert cast.guest.put(f"/projects/{project.id}", default_branch="none").status == 403
    assert cast.stranger.put(f"/projects/{project.id}", default_branch="none").status == 404


def test_an_empty_repository_has_no_default_branch(cast, clean):
    changed = cast.master.put(f"/projects/{cast.private.id}", default_branch="main")
    assert (changed.status, changed.json["default_branch"]) == (200, None)
    made = cast.master.post("/projects", name="fresh", default_branch="main")
    assert (made.status, made.json["default_branch"]) == (201, None)
