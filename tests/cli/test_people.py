"""`mujina user` and `mujina token`, beside a running server that sees their effect at the next request."""

import asyncio
import base64
import re
from pathlib import Path

from mujina.kernel.db.connect import connect
from tests.cli.command import mujina
from tests.harness.running import RunningServer
from tests.serve.wire import ask


class Operator:
    """Somebody with a shell on the machine of the instance."""

    def __init__(self, server: RunningServer) -> None:
        self._where = {"MUJINA_DATA": str(server.data), "MUJINA_DATABASE_URL": server.database_url}

    def types(self, *words: str, typed: str = "") -> str:
        ended = mujina(*words, typed=typed, **self._where)
        assert ended.code == 0, ended.err
        return ended.out

    def is_refused(self, *words: str) -> str:
        return mujina(*words, **self._where).refusal


def test_an_operator_lets_a_person_in_and_out(standing_server: RunningServer):
    operator = Operator(standing_server)
    told = operator.types("user", "create", "ada", "--email", "ada@example.com", "--name", "Ada Lovelace")
    assert re.fullmatch(r"ada has the id \d+\.\nThe password is \S{16} \(shown only this once\)\.\n", told)
    token = operator.types("token", "create", "ada", "--scopes", "api,read_user").strip()

    def status() -> int:
        return ask(standing_server.url, "/api/v4/user", f"Private-Token: {token}")[0]

    assert status() == 200
    assert operator.types("user", "block", "ada") == "ada is now blocked.\n"
    assert operator.types("user", "block", "ada") == "ada was blocked already.\n"
    assert status() == 403
    assert re.search(r"ada +Ada Lovelace +ada@example.com +blocked +no", operator.types("user", "list"))
    assert operator.types("user", "unblock", "Ada") == "ada is now active.\n"
    assert status() == 200
    [_, _, line] = f"\n{operator.types('token', 'list', 'ada')}".splitlines()
    assert line.split()[1:6] == ["command", "line", "api", "read_user", "never"]
    assert token not in line
    assert operator.types("token", "revoke", "ada", line.split()[0]) == f"Token {line.split()[0]} of ada is revoked.\n"
    assert status() == 401


def test_a_password_is_read_from_standard_input_and_never_shown(standing_server: RunningServer):
    operator = Operator(standing_server)
    flags = ("--email", "grace@example.com", "--stdin")
    assert "password" not in operator.types("user", "create", "grace", *flags, typed="correct horse\n")
    told = operator.types("user", "password", "grace", "--stdin", typed="battery staple\n")
    assert told == "grace has a new password.\n"


def test_an_operator_unlocks_an_account(standing_server: RunningServer):
    operator = Operator(standing_server)
    operator.types("user", "create", "lin", "--email", "lin@example.com", "--stdin", typed="correct horse\n")
    token = operator.types("token", "create", "lin", "--scopes", "api").strip()
    headers = (f"Private-Token: {token}", "Content-Type: application/json")
    made = ask(standing_server.url, "/api/v4/projects", *headers, method="POST", body=b'{"name": "locked"}')
    assert made[0] == 201

    def status(password: str) -> int:
        login = base64.b64encode(f"lin:{password}".encode()).decode()
        page = "/lin/locked.git/info/refs?service=git-upload-pack"
        return ask(standing_server.url, page, f"Authorization: Basic {login}")[0]

    assert status("correct horse") == 200
    assert {status("wrong") for _ in range(10)} == {401}
    assert status("correct horse") == 401
    assert operator.types("user", "unlock", "lin") == "lin is now unlocked.\n"
    assert operator.types("user", "unlock", "lin") == "lin was not locked.\n"
    assert status("correct horse") == 200


def test_an_operator_makes_administrators_and_deletes_users(standing_server: RunningServer):
    operator = Operator(standing_server)
    operator.types("user", "create", "max", "--email", "max@example.com")
    token = operator.types("token", "create", "max", "--scopes", "api").strip()

    def shown() -> tuple[int, bool | None]:
        status, _, body = ask(standing_server.url, "/api/v4/user", f"Private-Token: {token}")
        return status, body.get("is_admin")

    assert operator.types("user", "admin", "max", "--on") == "max is an administrator.\n"
    assert shown() == (200, True)
    assert operator.types("user", "admin", "max", "--off") == "max is an ordinary user.\n"
    assert shown() == (200, None)
    assert "on" in operator.is_refused("user", "admin", "max")
    assert operator.is_refused("user", "admin", "root", "--off") == operator.is_refused("user", "delete", "root")
    disable = ("user", "disable-two-factor", "max")
    assert operator.types(*disable) == "Two-factor authentication of max is not enabled.\n"
    asyncio.run(enable_two_factor(standing_server, "max"))
    assert operator.types(*disable) == "Two-factor authentication of max is now disabled.\n"
    assert operator.types("user", "delete", "max") == "max is deleted.\n"
    assert shown()[0] == 401
    assert operator.is_refused("user", "delete", "max") == "There is nobody called max: see `mujina user list`."


async def enable_two_factor(server: RunningServer, username: str) -> None:
    database = connect(server.database_url)
    await database.open()
    async with database.transaction() as tx:
        await tx.run("UPDATE users SET two_factor_enabled = TRUE WHERE username = :username", username=username)
    await database.close()


def test_what_cannot_be_done_is_refused_in_a_sentence(standing_server: RunningServer):
    operator = Operator(standing_server)
    assert operator.is_refused("user", "create", "root", "--email", "a@b.c") == "Username has already been taken"
    assert operator.is_refused("user", "block", "nobody") == "There is nobody called nobody: see `mujina user list`."
    assert operator.is_refused("user", "password", "root", "--stdin") == "There is no password on standard input."
    assert operator.is_refused("token", "create", "root", "--scopes", "all") == (
        "--scopes must be of api, read_user, sudo, read_repository, separated by commas, not 'all'."
    )
    assert operator.is_refused("token", "revoke", "root", "9" * 20) == "id does not fit 64 bits: see --help."
    assert operator.is_refused("token", "list", "\udcff") == "What was typed is no text in UTF-8."
    assert operator.is_refused("token", "revoke", "root", "99") == "root has no token 99: see `mujina token list root`."
    for day in ("soon", "2030-02-31", "20300131", "2020-01-01", ""):
        assert operator.is_refused("token", "create", "root", "--expires-on", day) == (
            f"--expires-on must be a day to come, such as 2030-01-31, not {day!r}."
        )


def test_a_verb_makes_no_instance_by_mistake(tmp_path: Path):
    assert mujina("user", "list", "--data", str(tmp_path / "typo")).refusal == (
        "There is no instance here yet: start one with `mujina serve`, or name its folder with --data."
    )
    assert not (tmp_path / "typo").exists()


def test_what_people_call_themselves_does_not_speak_to_the_terminal(standing_server: RunningServer):
    operator = Operator(standing_server)
    operator.types("user", "create", "eve", "--email", "eve@example.com", "--name", "\x1b]0;Eve\x07")
    assert "\x1b" not in operator.types("user", "list")
