"""Settings: one schema for file, environment and flags; what is wrong is refused in a sentence that names it."""

from pathlib import Path

import pytest

from docs import operating
from mujina.cli.prerequisites import checked_settings
from mujina.configuration import KINDS, BadSetting, Effective, describe, is_secret, load, unknown_variables
from mujina.kernel.text.name_servers import parse_name_server
from mujina.settings import Settings

ADDRESSES = "a list of addresses such as 10.0.0.2, 127.0.0.1:5353 or [2001:db8::1]:53"


def test_every_setting_has_a_sentence_and_a_default():
    assert Settings()
    for name in KINDS:
        assert describe(name).endswith(".")


def test_flags_win_over_the_environment_and_that_over_the_file(tmp_path: Path):
    write(tmp_path, "port = 1\nworkers = 2\nlog_level = 'error'\n")
    effective = read(tmp_path, {"port": "3"}, MUJINA_PORT="2", MUJINA_WORKERS="4")
    assert (effective.settings.port, effective.settings.workers, effective.settings.log_level) == (3, 4, "error")
    assert effective.sources["port"] == "--port"
    assert effective.sources["workers"] == "MUJINA_WORKERS"
    assert effective.sources["log_level"] == str(tmp_path / "mujina.toml")
    assert effective.sources["host"] == "default"


def test_a_named_file_is_read_instead_of_the_one_in_the_data_folder(tmp_path: Path):
    write(tmp_path, "port = 1\n")
    named = tmp_path / "other.toml"
    named.write_text("port = 2\ndata = 'here'\n")
    effective = load({}, config=str(named), environment={})
    assert effective.settings.port == 2
    assert effective.settings.data == tmp_path / "here"


def test_lists_are_comma_separated_in_the_environment_and_lists_in_the_file(tmp_path: Path):
    write(tmp_path, "metrics_allow = ['10.0.0.0/8']\n")
    settings = read(tmp_path, {}, MUJINA_OUTBOUND_ALLOW="hooks.example.com:8080, 10.1.0.0/16,").settings
    assert settings.outbound_allow == ("hooks.example.com:8080", "10.1.0.0/16")
    assert settings.metrics_allow == ("10.0.0.0/8",)


def test_an_empty_variable_counts_as_unset(tmp_path: Path):
    assert read(tmp_path, {}, MUJINA_PORT="", MUJINA_ROOT_TOKEN="").settings == read(tmp_path, {}).settings


def test_the_database_is_in_the_data_folder_unless_said_otherwise(tmp_path: Path):
    assert read(tmp_path, {}).settings.database == f"sqlite:///{tmp_path}/mujina.db"
    url = "postgresql://me:secret@db/mujina"
    assert read(tmp_path, {"database_url": url}).settings.database == url


@pytest.mark.parametrize(
    ("host", "external", "url"),
    [
        ("127.0.0.1", None, "http://127.0.0.1:8080"),
        ("0.0.0.0", None, "http://localhost:8080"),
        ("::1", None, "http://[::1]:8080"),
        ("::", "https://forge.example.com", "https://forge.example.com"),
    ],
)
def test_clients_are_told_the_external_address_or_one_made_from_host_and_port(host: str, external: str, url: str):
    assert Settings(host=host, external_url=external).url == url


@pytest.mark.parametrize(
    ("external", "address"),
    [
        (None, (2222, None)),
        ("ssh://git.example.com", (22, "git.example.com")),
        ("ssh://git@git.example.com:65535", (65535, "git.example.com")),
        ("ssh://[2001:db8::7]", (22, "[2001:db8::7]")),
        ("ssh://[2001:db8::7]:2200", (2200, "[2001:db8::7]")),
    ],
)
def test_clients_are_told_the_external_address_of_ssh_or_the_port_that_is_listened_on(external: str, address: object):
    assert Settings(ssh_external_url=external).ssh_address == address


@pytest.mark.parametrize(
    ("toml", "sentence"),
    [
        ("prot = 1", "{file}: prot is not a setting; `mujina config show` prints those that are."),
        ("port = 'x'", "{file}: port must be a port number from 0 to 65535, not 'x'."),
        ("port = 70000", "{file}: port must be a port number from 0 to 65535, not 70000."),
        *(
            (
                f"ssh_external_url = '{url}'",
                f"{{file}}: ssh_external_url must be ssh:// and a host, with its port unless that is 22, not '{url}'.",
            )
            for url in ("git.example.com:22", "ssh://a:65536", "ssh://a:0", "ssh://a/b", "ssh://me@a", "ssh://a b", "ssh://[1]")
        ),
        *(
            (
                f"{name} = '{url}'",
                f"{{file}}: {name} must be http:// or https:// and a host, with nothing after it, not '{url}'.",
            )
            for name in ("external_url", "pages_url")
            for url in ("http://a:65536", "http://a:x", "http://a:0", "http://[::1", "https://[1]", "https://:80")
        ),
        *(
            (f"smtp_url = '{url}'", "{file}: smtp_url must be smtp://USER:PASSWORD@HOST:PORT or smtps://….")
            for url in ("smtp://a:65536", "smtp://me:pw@a:x", "smtp://[::1", "smtps://me:pw@")
        ),
        ("ldap.x.url = 'ldap://a:65536'", "{file}: ldap.x.url must be ldap://HOST:PORT or ldaps://HOST:PORT, not 'ldap://a:65536'."),
        ("port = true", "{file}: port must be a port number from 0 to 65535, not True."),
        ("workers = 0", "{file}: workers must be a number of processes from 1 to 64, not 0."),
        ("log_level = 'loud'", "{file}: log_level must be debug, info, warning or error, not 'loud'."),
        ("dns_servers = ['x']", f"{{file}}: dns_servers must be {ADDRESSES}, not ['x']."),
        ("metrics_allow = ['x']", "{file}: metrics_allow must be a list of addresses and networks such as 10.0.0.0/8, not ['x']."),
        ("root_token = 'abc'", "{file}: root_token must be at least 8 characters."),
        ("database_url = 'mysql://me:pw@db'", "{file}: database_url must be sqlite:///PATH or postgresql://USER:PASSWORD@HOST/NAME."),
        ("port =", "{file} is not TOML: Invalid value (at end of document)."),
    ],
)  # fmt: skip
def test_an_invalid_setting_is_named_with_the_expected_value(tmp_path: Path, toml: str, sentence: str):
    file = write(tmp_path, toml)
    with pytest.raises(BadSetting) as refused:
        read(tmp_path, {})
    assert str(refused.value) == sentence.format(file=file)


def test_a_named_file_that_is_missing_is_refused(tmp_path: Path):
    with pytest.raises(BadSetting, match=r"There is no file .*gone\.toml"):
        load({}, config=str(tmp_path / "gone.toml"), environment={})


def test_a_slip_of_the_pen_in_the_environment_is_noticed():
    assert unknown_variables({"MUJINA_WOKERS": "2", "MUJINA_WORKERS": "2", "MUJINA_CONFIG": "x", "HOME": "/"}) == [
        "MUJINA_WOKERS"
    ]


def test_settings_never_print_their_secrets():
    assert "hunter22" not in repr(Settings(root_password="hunter22"))
    assert [name for name in KINDS if is_secret(name)] == [
        "database_url",
        "database_pooler_url",
        "root_password",
        "root_token",
        "instance_key",
        "backup_passphrase",
        "smtp_url",
    ]


def write(folder: Path, toml: str) -> Path:
    file = folder / "mujina.toml"
    file.write_text(toml)
    return file


def read(data: Path, flags: dict[str, str], **environment: str) -> Effective:
    return load(flags, environment={"MUJINA_DATA": str(data), **environment})


def test_the_settings_stand_in_the_operators_page():
    assert operating.PAGE.read_text("utf-8") == operating.page(), "run `make docs`"
    assert operating.settings_table() in operating.page()


def test_directories_are_tables_whose_keys_the_environment_overrides(tmp_path: Path):
    write(
        tmp_path,
        "[ldap.main]\nurl = 'ldap://a'\nbase = 'o=x'\nattributes.email = ['m']\n[ldap.b]\nurl = 'ldaps://b'\nbase = 'o=y'\n",
    )
    variables = {
        "MUJINA_LDAP_MAIN_BIND_PASSWORD": "hidden-one",
        "MUJINA_LDAP_C_URL": "ldap://c",
        "MUJINA_LDAP_C_BASE": "o=z",
    }
    effective = read(tmp_path, {}, **variables, MUJINA_LDAP_MAIN_ATTRIBUTES_NAME="displayName,cn")
    main, second, third = effective.settings.ldap
    assert [each.provider for each in effective.settings.ldap] == ["ldapmain", "ldapb", "ldapc"]
    assert (main.bind_password, main.attributes.email, main.attributes.name) == (
        "hidden-one",
        ("m",),
        ("displayName", "cn"),
    )
    assert (second.url, third.base, third.timeout) == ("ldaps://b", "o=z", 10)
    assert effective.sources["ldap.main.bind_password"] == "MUJINA_LDAP_MAIN_BIND_PASSWORD"
    assert unknown_variables({**variables, "MUJINA_LDAP_MAIN_URK": "x"}) == ["MUJINA_LDAP_MAIN_URK"]
    assert is_secret("bind_password")
    assert "hidden-one" not in repr(effective.settings) + repr(main)


@pytest.mark.parametrize(
    ("toml", "sentence"),
    [
        ("ldap = 3", "{file}: ldap must be a table such as [ldap.main]."),
        ("[ldap.Main]", "{file}: the id of a directory must be of small letters and digits, not 'Main'."),
        ("[ldap.main]", "ldap.main.url must be set."),
        (
            "[ldap.main]\nurl = 'http://x'",
            "{file}: ldap.main.url must be ldap://HOST:PORT or ldaps://HOST:PORT, not 'http://x'.",
        ),
        ("[ldap.main]\nhost = 'x'", "{file}: ldap.main.host is not a setting of a directory."),
        ("[ldap.main]\ntimeout = 0", "{file}: ldap.main.timeout must be a number of seconds from 1 to 300, not 0."),
        ("[ldap.main]\nbind_password = 7", "{file}: ldap.main.bind_password must be a text."),
    ],
)
def test_an_invalid_directory_setting_is_named(tmp_path: Path, toml: str, sentence: str):
    file = write(tmp_path, toml)
    with pytest.raises(BadSetting) as raised:
        read(tmp_path, {})
    assert str(raised.value) == sentence.format(file=file)


@pytest.mark.parametrize("url", ["https://git.example", "http://example:8090"])
def test_sites_are_not_at_the_address_of_the_instance(monkeypatch: pytest.MonkeyPatch, tmp_path: Path, url: str):
    monkeypatch.setenv("MUJINA_EXTERNAL_URL", "https://git.example")
    with pytest.raises(BadSetting, match="may not be the host of"):
        checked_settings({"data": str(tmp_path), "pages_url": url}, None)
    assert checked_settings(
        {"data": str(tmp_path), "pages_url": "https://pages.git.example"}, None
    ).settings.serves_sites


@pytest.mark.parametrize(
    ("text", "server"),
    [
        ("10.0.0.2", ("10.0.0.2", 53)), ("127.0.0.1:5353", ("127.0.0.1", 5353)), ("2001:db8::1", ("2001:db8::1", 53)),
        ("[2001:db8::1]", ("2001:db8::1", 53)), ("[2001:db8::1]:5353", ("2001:db8::1", 5353)),
    ],
)  # fmt: skip
def test_a_name_server_is_an_address_and_a_port(text: str, server: tuple[str, int]):
    assert parse_name_server(text) == server


@pytest.mark.parametrize(
    "text", ["", "ns.example", "10.0.0.2:", "10.0.0.2:dns", "10.0.0.2:0", "10.0.0.2:70000", "[10.0.0.2", "::1]:53"]
)
def test_what_is_no_address_of_a_name_server_is_refused(text: str):
    with pytest.raises(ValueError):
        parse_name_server(text)
