"""Every command is run with each of its flags and arguments; a new one belongs into one of the tables here."""

import os
import shlex
import subprocess
import sys
import time

import pytest
from cyclopts import App

from mujina.cli.commands.application import app
from tests.cli.command import CHEAP_PASSWORDS, mujina
from tests.harness import fork_server
from tests.harness.running import ROOT
from tests.harness.slapd import ADMIN, ADMIN_PASSWORD

DONE = """
    migrate
    version
    config show
    doctor
    doctor --fix
    storage --limit 5
    service install --print --user nobody --unit {folder}/mujina.service
    user create boss --email boss@example.com --name 'The Boss' --admin --stdin
    user create ann --email ann@example.com
    user list
    user block ann
    user unblock ann
    user unlock ann
    user disable-two-factor ann
    user admin ann --on
    user admin ann --off
    user password ann
    user password ann --stdin
    token create boss --scopes api,sudo --name robot --expires-on 2999-01-31
    token list boss
    token revoke boss 1
    ldap check main
    ldap sync-users --dry-run
    ldap sync-users --confirm
    ldap sync-groups --dry-run
    ldap sync-groups --confirm
    ldap status
    geo status
    job list --all
    job retry --all
    job drain --timeout 600
    hook deliveries 1 --limit 5
    audit User 1 --since 2018-01-31 --limit 5
    mail list
    seed --schema
    imported list
    database copy {database_url} sqlite:///{folder}/copied.db
    backup {folder}/target --encrypt --keep 2
    backup {folder}/other --key-file {folder}/key
    backup list {folder}/target
    backup list {folder}/other --key-file {folder}/key
    backup verify {folder}/other --key-file {folder}/key
    user delete ann --hard
    user create ann --email ann@example.com
    user delete ann
"""
REFUSED = """
    serve --testing --stop-with-stdin --host 192.0.2.1
    ldap sync-groups --group nowhere
    ldap rename-provider ldapmain ldapnew
    geo join http://127.0.0.1:1 code
    geo promote --confirm
    geo confirm-loss team/project --wiki
    job retry projects.import 7
    hook redeliver 1
    hook resume 1
    mail show nowhere
    seed nowhere.yaml
    move-in http://127.0.0.1:1 --group team --into here --dry-run --people {folder}/people --report {folder}/report
    move-in http://127.0.0.1:1 --project team/app --from gitea
    imported claim nobody ann
    export team/app {folder}/archive
    export team {folder}/archive --group
    restore {folder}/other --key-file {folder}/key
    restore {folder}/other --key-file {folder}/key --only nowhere --as elsewhere
    restore {folder}/other --key-file {folder}/key --at nowhere
    backup verify {folder}/other --key-file {folder}/key --at nowhere
"""
"""What they need is missing here, and they say so; tests of their own have it. A key file gives the key at once, and a
passphrase, by which one target is encrypted, after half a second.
"""
REPLICATED = """
    geo init-primary https://one.example
    geo add-secondary https://two.example
"""
"""Done on PostgreSQL, and refused on SQLite."""
UNTIL_INTERRUPTED = """
    serve --host 127.0.0.1 --port 0 --ssh-port 0 --pages-port 0 --workers 1 --ready-file {folder}/ready
    worker
"""
INSTANCE = ("--data", "{folder}", "--database-url", "{database_url}", "--config", "{folder}/mujina.toml")
"""Every command takes these."""


def lines(table):
    return [line.strip() for line in table.splitlines() if line.strip()]


def commands(group: App, *names: str):
    """Each command below the group: its words, and the command itself."""
    for name in group:
        if not name.startswith("-"):
            command = group[name]
            yield from commands(command, *names, name)
            if command.default_command is not None:
                yield (*names, name), command


def options(command: App) -> set[str]:
    """The spellings of its flags, and the names of its arguments in order."""
    found = set[str]()
    for argument in command.assemble_argument_collection():
        if argument.parse and "*" not in argument.names:
            flags = argument.field_info.kind is argument.field_info.KEYWORD_ONLY
            found |= set(argument.names) if flags else {argument.field_info.name}
    return found


def test_every_flag_is_in_a_table():
    tried: dict[tuple[str, ...], set[str]] = {}
    for line in lines(DONE + REFUSED + REPLICATED + UNTIL_INTERRUPTED):
        words = [*shlex.split(line), *INSTANCE]
        names, _, _ = app.parse_commands(words)
        _, bound, _ = app.parse_args(words, exit_on_error=False, print_error=False)
        tried.setdefault(names, set()).update(bound.arguments, (word for word in words if word.startswith("--")))
    missing = {" ".join(names): options(command) - tried.get(names, set()) for names, command in commands(app)}
    assert {name: flags for name, flags in missing.items() if flags} == {}
    assert len(missing) == len(tried) > 30


@pytest.fixture
def instance(tmp_path, migrated_url, slapd):
    """The words of a line of the tables for an instance with a directory, and its environment."""
    tree = slapd.tree()
    tree.person("jo", "open-sesame-of-tests")
    tree.flush()
    (tmp_path / "mujina.toml").write_text(
        f"[ldap.main]\nurl = '{slapd.url}'\nbase = '{tree.people}'\ngroup_base = '{tree.groups}'\nbind_dn = '{ADMIN}'\n"
    )
    tmp_path.chmod(0o700)
    (tmp_path / "key").write_bytes(bytes(range(32)))
    environment = {
        "MUJINA_LDAP_MAIN_BIND_PASSWORD": ADMIN_PASSWORD, "MUJINA_PORT": "0", "MUJINA_SSH_PORT": "0",
        "MUJINA_ROOT_PASSWORD": "correct horse battery", "MUJINA_BACKUP_PASSPHRASE": "staple of the horse",
    }  # fmt: skip

    def words(line):
        return [word.format(folder=tmp_path, database_url=migrated_url) for word in (*shlex.split(line), *INSTANCE)]

    return words, environment


@pytest.mark.usefixtures("set_edition")
def test_every_command_runs_with_each_of_its_flags(instance, engine):
    words, environment = instance
    done, refused = (DONE + REPLICATED, REFUSED) if engine == "postgres" else (DONE, REFUSED + REPLICATED)
    for line in lines(done):
        result = mujina(*words(line), stdin="correct horse\n", **environment)
        assert (line, result.code) == (line, 0), result.out + result.err
    for line in lines(refused):
        assert mujina(*words(line), **environment).error, line


def test_a_server_and_a_worker_run_with_each_of_their_flags_until_they_are_interrupted(instance, tmp_path):
    words, environment = instance
    for line in lines(UNTIL_INTERRUPTED):
        output = tmp_path / "output"
        with output.open("w") as out:
            running = fork_server.start(
                "mujina", *words(line), environment=os.environ | CHEAP_PASSWORDS | environment, out=out, err=out
            )
        try:
            while "Mujina " not in output.read_text():
                assert running.poll() is None, output.read_text()
                time.sleep(0.01)
            running.terminate()
            assert running.wait(180) == 0, output.read_text()
        finally:
            running.kill()


@pytest.mark.parametrize("engine", ["sqlite"])
def test_a_command_in_a_process_of_its_own_has_the_whole_product(instance):
    """Started by Python, as users do: in the process of the tests everything is imported already."""
    words, environment = instance
    assert mujina(*words("user create ann --email ann@example.com"), **environment).code == 0
    command = [sys.executable, "-m", "mujina", *words("user delete ann --hard")]
    result = subprocess.run(
        command, cwd=ROOT, env=os.environ | environment, capture_output=True, text=True, check=False
    )
    assert (result.stdout, result.stderr) == ("ann is deleted.\n", "")
