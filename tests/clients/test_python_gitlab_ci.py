"""CI files checked with python-gitlab."""

import pytest
from gitlab.exceptions import GitlabCiLintError

GOOD, BAD = "rspec: {script: make}", "rspec: {stage: test}"


def test_ci_files_are_checked(published):
    published.ci_lint.validate({"content": GOOD})
    with pytest.raises(GitlabCiLintError, match="jobs:rspec script can't be blank"):
        published.ci_lint.validate({"content": BAD})
    project = published.projects.create({"name": "built", "initialize_with_readme": True})
    assert project.ci_lint.create({"content": GOOD, "dry_run": True, "include_jobs": True}).jobs[0]["name"] == "rspec"
    with pytest.raises(GitlabCiLintError, match="jobs:rspec script can't be blank"):
        project.ci_lint.validate({"content": BAD})
    assert project.ci_lint.get().errors == ["Please provide content of .gitlab-ci.yml"]
    project.files.create(
        {
            "file_path": ".gitlab-ci.yml",
            "branch": project.default_branch or "master",
            "content": GOOD,
            "commit_message": "Build",
        }
    )
    assert project.ci_lint.get(include_jobs=True).valid
