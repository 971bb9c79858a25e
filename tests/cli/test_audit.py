"""`mujina audit`."""

from pathlib import Path

from tests.cli.command import mujina


def test_an_operator_reads_who_changed_access(tmp_path: Path, migrated_url: str):
    where = {"MUJINA_DATA": str(tmp_path), "MUJINA_DATABASE_URL": migrated_url}
    mujina("user", "create", "anna", "--email", "anna@example.org", "--stdin", stdin="a-pa55word-of-anna\n", **where)
    token = mujina("token", "create", "anna", "--name", "Robot", **where).out.strip()
    mujina("user", "block", "anna", **where)
    shown = mujina("audit", "User", "1", **where).out
    lines = [line.split() for line in shown.splitlines()]
    assert lines[0] == ["id", "at", "who", "from", "entity", "what", "target"]
    assert [" ".join(line[2:]) for line in lines[1:]] == [
        "system User 1 anna user blocked User anna",
        "system User 1 anna add access_token PersonalAccessToken Robot",
        "system User 1 anna user password changed User anna",
        "system User 1 anna add user User anna",
    ]
    assert token
    assert token not in shown
    assert len(mujina("audit", "--limit", "2", **where).out.splitlines()) == 3
    assert len(mujina("audit", "--since", "2999-01-01", **where).out.splitlines()) == 1
    assert mujina("audit", "--id", "1", **where).error.startswith("Give the kind of the entity")
    assert mujina("audit", "--since", "soon", **where).error.startswith("--since must be a time")
