"""`mujina user` and `mujina token`, next to a running server, which sees their effect at the next request."""

import base64
import re
from pathlib import Path

import pytest

from mujina.kernel.permissions.actor import SCOPES
from tests.cli.command import mujina
from tests.harness.databases import in_transaction
from tests.harness.running import RunningServer
from tests.serve.wire import ask


class Operator:
    """Runs commands on the machine of the instance."""

    def __init__(self, server: RunningServer) -> None:
        self._environment = {"MUJINA_DATA": str(server.data), "MUJINA_DATABASE_URL": server.database_url}

    def run(self, *words: str, stdin: str = "") -> str:
        result = mujina(*words, stdin=stdin, **self._environment)
        assert result.code == 0, result.err
        return result.out

    def error_of(self, *words: str) -> str:
        return mujina(*words, **self._environment).error


def test_an_operator_creates_blocks_and_unblocks_a_user(shared_server: RunningServer):
    operator = Operator(shared_server)
    output = operator.run("user", "create", "ada", "--email", "ada@example.com", "--name", "Ada Lovelace")
    assert re.fullmatch(
        r"Created user ada with the ID \d+\.\nThe password is \S{16} \(it will not be shown again\)\.\n", output
    )
    token = operator.run("token", "create", "ada", "--scopes", "api,read_user").strip()

    def status() -> int:
        return ask(shared_server.url, "/api/v4/user", f"Private-Token: {token}")[0]

    assert status() == 200
    assert operator.run("user", "block", "ada") == "ada is now blocked.\n"
    assert operator.run("user", "block", "ada") == "ada is already blocked.\n"
    assert status() == 403
    assert re.search(r"ada +Ada Lovelace +ada@example.com +blocked +no", operator.run("user", "list"))
    assert operator.run("user", "unblock", "Ada") == "ada is now active.\n"
    assert status() == 200
    [_, _, line] = f"\n{operator.run('token', 'list', 'ada')}".splitlines()
    assert line.split()[1:6] == ["command", "line", "api", "read_user", "never"]
    assert token not in line
    assert operator.run("token", "revoke", "ada", line.split()[0]) == f"Token {line.split()[0]} of ada is revoked.\n"
    assert status() == 401


def test_an_account_that_waits_for_approval_is_neither_blocked_nor_unblocked(shared_server: RunningServer):
    operator = Operator(shared_server)
    operator.run("user", "create", "newt", "--email", "newt@example.com")
    waits = "UPDATE users SET state = 'blocked_pending_approval' WHERE username = 'newt'"
    in_transaction(shared_server.database_url, lambda tx: tx.run(waits))
    for command in ("block", "unblock"):
        assert operator.error_of("user", command, "newt").startswith("newt waits for approval")


def test_a_password_is_read_from_standard_input_and_never_shown(shared_server: RunningServer):
    operator = Operator(shared_server)
    flags = ("--email", "grace@example.com", "--stdin")
    assert "password" not in operator.run("user", "create", "grace", *flags, stdin="correct horse\n")
    output = operator.run("user", "password", "grace", "--stdin", stdin="battery staple\n")
    assert output == "Changed the password of grace.\n"


def test_an_operator_unlocks_an_account(shared_server: RunningServer):
    operator = Operator(shared_server)
    operator.run("user", "create", "lin", "--email", "lin@example.com", "--stdin", stdin="correct horse\n")
    token = operator.run("token", "create", "lin", "--scopes", "api").strip()
    headers = (f"Private-Token: {token}", "Content-Type: application/json")
    made = ask(shared_server.url, "/api/v4/projects", *headers, method="POST", body=b'{"name": "locked"}')
    assert made[0] == 201

    def status(password: str) -> int:
        login = base64.b64encode(f"lin:{password}".encode()).decode()
        page = "/lin/locked.git/info/refs?service=git-upload-pack"
        return ask(shared_server.url, page, f"Authorization: Basic {login}")[0]

    assert status("correct horse") == 200
    assert {status("wrong") for _ in range(10)} == {401}
    assert status("correct horse") == 401
    assert operator.run("user", "unlock", "lin") == "lin is now unlocked.\n"
    assert operator.run("user", "unlock", "lin") == "lin was not locked.\n"
    assert status("correct horse") == 200


def test_an_operator_makes_administrators_and_deletes_users(shared_server: RunningServer):
    operator = Operator(shared_server)
    operator.run("user", "create", "max", "--email", "max@example.com")
    token = operator.run("token", "create", "max", "--scopes", "api").strip()

    def shown() -> tuple[int, bool | None]:
        status, _, body = ask(shared_server.url, "/api/v4/user", f"Private-Token: {token}")
        return status, body.get("is_admin")

    assert operator.run("user", "admin", "max", "--on") == "max is an administrator.\n"
    assert shown() == (200, True)
    assert operator.run("user", "admin", "max", "--off") == "max is an ordinary user.\n"
    assert shown() == (200, None)
    assert "on" in operator.error_of("user", "admin", "max")
    assert operator.error_of("user", "admin", "root", "--off") == operator.error_of("user", "delete", "root")
    disable = ("user", "disable-two-factor", "max")
    assert operator.run(*disable) == "Two-factor authentication of max is not enabled.\n"
    enabled = "UPDATE users SET two_factor_enabled = TRUE WHERE username = 'max'"
    in_transaction(shared_server.database_url, lambda tx: tx.run(enabled))
    assert operator.run(*disable) == "Two-factor authentication of max is now disabled.\n"
    assert operator.run("user", "delete", "max") == "max is deleted.\n"
    assert shown()[0] == 401
    assert operator.error_of("user", "delete", "max") == "There is no user named max: see `mujina user list`."


def test_an_invalid_request_prints_one_sentence(shared_server: RunningServer):
    operator = Operator(shared_server)
    assert operator.error_of("user", "create", "root", "--email", "a@b.c") == "Username has already been taken"
    assert operator.error_of("user", "block", "nobody") == "There is no user named nobody: see `mujina user list`."
    assert operator.error_of("user", "password", "root", "--stdin") == "There is no password on standard input."
    assert operator.error_of("token", "create", "root", "--scopes", "all") == (
        f"--scopes must be any of {', '.join(SCOPES)}, separated by commas, not 'all'."
    )
    assert operator.error_of("token", "revoke", "root", "9" * 20) == "id does not fit 64 bits: see --help."
    assert operator.error_of("token", "list", "\udcff") == "The arguments are not valid UTF-8."
    assert operator.error_of("token", "revoke", "root", "99") == "root has no token 99: see `mujina token list root`."
    for day in ("soon", "2030-02-31", "20300131", "2020-01-01", ""):
        assert operator.error_of("token", "create", "root", "--expires-on", day) == (
            f"--expires-on must be a future date such as 2030-01-31, not {day!r}."
        )


def test_users_who_are_no_persons_get_no_rights_and_are_not_removed(shared_server: RunningServer):
    operator = Operator(shared_server)
    for name in ("gone", "robot", "carla-imported"):
        operator.run("user", "create", name, "--email", f"{name}@example.com")
    operator.run("user", "delete", "gone")
    turned = (
        "UPDATE users SET kind = CASE username WHEN 'robot' THEN 'bot' ELSE 'imported' END WHERE username IN :names"
    )
    in_transaction(shared_server.database_url, lambda tx: tx.run(turned, names=["robot", "carla-imported"]))
    commands = (
        "user admin NAME --on", "user password NAME", "user block NAME", "user delete NAME", "user delete NAME --hard",
        "user unlock NAME", "user disable-two-factor NAME", "token create NAME",
    )  # fmt: skip
    for name, kind in (
        ("ghost", "the ghost user, the author of what deleted users wrote"),
        ("robot", "the user of an access token"),
        ("carla-imported", "an imported name"),
    ):
        for command in commands:
            refused = operator.error_of(*command.replace("NAME", name).split())
            assert (command, refused) == (command, f"{name} is {kind}: name a user who is a person.")
    assert operator.run("token", "list", "robot")


@pytest.mark.parametrize("command", ["user list", "mail list", "move-in app.tar.gz"])
def test_a_command_creates_no_instance_by_mistake(command: str, tmp_path: Path):
    assert mujina(*command.split(), "--data", str(tmp_path / "typo")).error == (
        "There is no instance here: start one with `mujina serve`, or give its folder with --data."
    )
    assert not (tmp_path / "typo").exists()
    file = tmp_path / "file"
    file.touch()
    assert mujina(*command.split(), "--data", str(file)).error == (f"--data: {file} is not a folder: name another.")


def test_names_of_users_do_not_control_the_terminal(shared_server: RunningServer):
    operator = Operator(shared_server)
    operator.run("user", "create", "eve", "--email", "eve@example.com", "--name", "\x1b]0;Eve\x07")
    assert "\x1b" not in operator.run("user", "list")
