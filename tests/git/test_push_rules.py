"""What a project asks of a push: each rule refuses, and lets through what it asks for. Only what is new is judged."""

import pytest

ENGINES = ("sqlite",)
"""The rules are matched in Python."""

BIG = b"\0" * (2 * 1024 * 1024)


@pytest.fixture(scope="module")
def ruled(forge):
    return forge.filled("ruled")


@pytest.fixture
def copy(forge, ruled):
    """A fresh clone of a developer; the project's rule is forgotten afterward."""
    project, _ = ruled
    yield forge.copy(forge.url(f"{project['path_with_namespace']}.git", "developer"))
    forge.api("DELETE", f"/projects/{project['id']}/push_rule")


@pytest.fixture
def rule(forge, ruled):
    return lambda **asked: forge.api("POST", f"/projects/{ruled[0]['id']}/push_rule", "master", **asked)


def refused(copy, words, branch="HEAD:try/refused"):
    said = copy.git("push", "origin", branch)
    assert not said.ok
    assert f"remote: {words}" in said, said.text


def accepted(copy, branch="HEAD:try/accepted"):
    copy.do("push", "-q", "origin", "+" + branch)


def test_the_message_of_every_new_commit(copy, rule):
    rule(commit_message_regex="Fixes #[0-9]+")
    copy.commit("Fixes #1")
    accepted(copy)
    copy.commit("Just a change")
    copy.commit("Fixes #2")
    refused(copy, "Commit message does not follow the pattern 'Fixes #[0-9]+'")


def test_a_tag_without_a_commit_goes_past_no_rule(copy, rule):
    rule(max_file_size=1)
    copy.write("big.bin", BIG)
    copy.do("add", "big.bin")
    tree = copy.do("write-tree")
    copy.do("tag", "-a", "-m", "A tree", "hidden", tree)
    copy.do("tag", "fine")
    for ref in (f"{copy.do('rev-parse', ':big.bin')}:refs/tags/blob", f"{tree}:refs/tags/tree", "hidden"):
        refused(copy, "A tag leads to no commit, which the push rules of this project cannot judge", ref)
    accepted(copy, "refs/tags/fine")


def test_old_commits_are_not_judged_again(copy, rule):
    copy.commit("As one likes")
    accepted(copy)
    rule(commit_message_regex="^Fixes")
    accepted(copy, "HEAD:try/again")


def test_the_name_of_a_branch(copy, rule):
    rule(branch_name_regex="^(feature|try)/")
    copy.commit()
    refused(copy, "Branch name does not follow the pattern '^(feature|try)/'", "HEAD:odd")
    accepted(copy)
    accepted(copy, ":try/accepted")


def test_the_default_branch_may_have_any_name(forge, ruled, copy, rule):
    rule(branch_name_regex="^feature/")
    ruled[1].commit()
    ruled[1].do("push", "-q", "origin", "master")


def test_the_addresses_of_authors_and_committers(copy, rule):
    rule(author_email_regex=r"@example\.org$")
    copy.commit()
    accepted(copy)
    said = r"Author's email 'a@elsewhere' does not follow the pattern '@example\.org$'"
    copy.do("commit", "-q", "--amend", "--allow-empty", "-m", "x", "--author=A <a@elsewhere>")
    refused(copy, said)
    copy.do(
        "commit",
        "-q",
        "--amend",
        "--allow-empty",
        "-m",
        "x",
        "--author=A <a@example.org>",
        GIT_COMMITTER_EMAIL="c@elsewhere",
    )
    refused(copy, r"Committer's email 'c@elsewhere' does not follow the pattern '@example\.org$'")


def test_authors_must_be_known_here(copy, rule):
    rule(member_check=True)
    copy.commit()
    accepted(copy)
    copy.do("commit", "-q", "--amend", "--allow-empty", "-m", "x", "--author=A <stray@elsewhere>")
    refused(copy, "Author 'stray@elsewhere' is not a member of team")


def test_names_of_files(copy, rule):
    rule(file_name_regex=r"\.(exe|dll)$")
    copy.commit(program__txt="fine")
    accepted(copy)
    copy.write("program.exe", "MZ")
    copy.commit("Add", other="x")
    refused(copy, r"File name program.exe was blacklisted by the pattern \.(exe|dll)$.")


def test_a_file_is_found_though_a_later_commit_removes_it(copy, rule):
    rule(file_name_regex="secret")
    copy.commit("Add", my_secret="x")
    copy.do("rm", "-q", "my_secret")
    copy.do("commit", "-q", "-m", "Remove")
    refused(copy, "File name my_secret was blacklisted by the pattern secret.")


@pytest.mark.parametrize(
    "name",
    [
        "aws/credentials",
        "ssh/personal_rsa",
        "config/server_ed25519",
        "id_rsa",
        "sub/id_ecdsa",
        "x.pem",
        "y.key",
        ".bash_history",
    ],
)
def test_files_that_hold_secrets(copy, rule, name):
    rule(prevent_secrets=True)
    copy.write(name, "secret")
    copy.commit("Leak", other="x")
    refused(copy, f"File name {name} was blacklisted by the pattern")


def test_files_that_only_look_secret(copy, rule):
    rule(prevent_secrets=True)
    copy.write("id_rsa.pub", "public")
    copy.commit("Fine", keys="x")
    accepted(copy)


def test_the_size_of_a_file(copy, rule):
    rule(max_file_size=1)
    copy.write("just.bin", BIG[: 1024 * 1024])
    copy.commit("Just", x="1")
    accepted(copy)
    copy.write("deep/big.bin", BIG)
    copy.commit("Too much", x="2")
    refused(copy, 'File "deep/big.bin" is larger than the allowed size of 1 MB')


def test_tags_may_not_be_deleted(forge, ruled, copy, rule):
    rule(deny_delete_tag=True)
    copy.do("tag", "kept")
    accepted(copy, "kept")
    said = ruled[1].git("push", "origin", ":refs/tags/kept")
    assert "remote: You cannot delete a tag" in said


def test_a_hostile_pattern_takes_no_longer_than_any_other(copy, rule):
    rule(commit_message_regex="^(a+)+$")
    copy.commit("a" * 20_000 + "!")
    refused(copy, "Commit message does not follow the pattern '^(a+)+$'")
