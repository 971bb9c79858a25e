"""release-it makes a release of a package: it commits, tags, pushes, and creates the release with the notes."""

import json
import os
import subprocess

RELEASE_IT = "release-it@19.2.4"


def test_release_it_makes_a_release(request, tmp_path, *, thorough):
    """It has 180 packages, which come from the network: only `make soak` runs it."""
    if not thorough:
        return
    published = request.getfixturevalue("published")
    folder = tmp_path / "otter"
    folder.mkdir()
    person = {"GIT_AUTHOR_NAME": "Ann", "GIT_AUTHOR_EMAIL": "ann@example.org"}
    person |= {name.replace("AUTHOR", "COMMITTER"): value for name, value in person.items()}
    environment = {**os.environ, **person, "GITLAB_TOKEN": published.private_token, "NO_PROXY": "*", "CI": "1"}

    def run(*command):
        done = subprocess.run(
            command, cwd=folder, env=environment, capture_output=True, text=True, check=False, timeout=600
        )
        assert done.returncode == 0, done.stdout + done.stderr

    project = published.projects.create({"name": "Otter"})
    remote = project.http_url_to_repo.replace("://", f"://any:{published.private_token}@")
    settings = {
        "git": {"changelog": "git log --pretty=format:'* %s'"},
        "npm": {"publish": False},
        "gitlab": {"release": True, "origin": published.url},
    }
    (folder / "package.json").write_text(json.dumps({"name": "otter", "version": "0.0.1", "release-it": settings}))
    (folder / ".gitignore").write_text("node_modules\n")
    run("npm", "install", "--no-audit", "--no-fund", "--save-dev", "--save-exact", RELEASE_IT)
    run("git", "init", "--quiet", "--initial-branch", "main")
    run("git", "add", ".")
    run("git", "commit", "--quiet", "--message", "Swim")
    run("git", "remote", "add", "origin", remote)
    run("git", "push", "--quiet", "--set-upstream", "origin", "main")
    run("npx", "release-it", "1.0.0", "--ci")
    release = project.releases.get("1.0.0")
    assert (release.name, release.description.strip()) == ("Release 1.0.0", "* Swim")
    assert project.tags.get("1.0.0").commit["title"] == "Release 1.0.0"
