"""Signatures of commits: made by gpg and ssh-keygen, pushed by git, and read by every way that shows them."""

import subprocess
from typing import Any, NamedTuple

import gitlab
import pytest

PARTS = {
    "gpg_key_id", "gpg_key_primary_keyid", "gpg_key_subkey_id", "gpg_key_user_email", "gpg_key_user_name",
    "commit_source", "signature_type", "verification_status",
}  # fmt: skip
MISSING = b'{"message":"404 Signature Not Found"}'
BEGIN, END = b"-----BEGIN PGP SIGNATURE-----\n\n", b"\n-----END PGP SIGNATURE-----"


class Keys(NamedTuple):
    """The folder of gpg, and the public key blocks of people by their names."""

    home: str
    prints: dict[str, str]
    blocks: dict[str, str]


def gpg(home, *arguments):
    command = ["gpg", "--homedir", home, "--batch", "--quiet", "--pinentry-mode", "loopback", "--passphrase", ""]
    return subprocess.run([*command, *arguments], check=True, capture_output=True, text=True).stdout


@pytest.fixture(scope="module")
def keys(tmp_path_factory):
    """Keys of four people; the developer signs with a subkey. The path is short, for gpg makes a socket in it."""
    folder = tmp_path_factory.mktemp("g")
    folder.chmod(0o700)
    home, prints, blocks = str(folder), {}, {}
    for name in ("developer", "reporter", "guest", "nobody"):
        address = f"{name}@example.org" if name != "guest" else "unconfirmed@example.org"
        gpg(home, "--quick-generate-key", f"{name.capitalize()} (Otter) <{address}>", "ed25519", "cert,sign", "never")
        listed = gpg(home, "--list-keys", "--with-colons", address).splitlines()
        prints[name] = next(line.split(":")[9] for line in listed if line.startswith("fpr"))
    gpg(home, "--quick-add-key", prints["developer"], "ed25519", "sign", "never")
    for name, print_ in prints.items():
        blocks[name] = gpg(home, "--armor", "--export", print_)
    yield Keys(home, prints, blocks)
    subprocess.run(["gpgconf", "--homedir", home, "--kill", "all"], check=False)


SSH = ("ed25519", "ecdsa", "rsa")


@pytest.fixture(scope="module")
def ssh_keys(tmp_path_factory):
    folder = tmp_path_factory.mktemp("ssh")
    for kind in SSH:
        subprocess.run(["ssh-keygen", "-q", "-t", kind, "-N", "", "-C", "x", "-f", folder / kind], check=True)
    return folder


class Signed(NamedTuple):
    """A project, and the ids of its commits by what is special about their signatures."""

    forge: Any
    project: dict
    at: dict

    def statuses(self, *names, who="developer"):
        path = f"/projects/{self.project['id']}/repository/commits"
        return [
            self.forge.api("GET", f"{path}/{self.at[name]}/signature", who)["verification_status"] for name in names
        ]


@pytest.fixture(scope="module")
def signed(forge, keys, ssh_keys):
    project, copy = forge.filled("signed")
    at = {"none": copy.do("rev-parse", "HEAD")}

    def sign(name, key, *options, **more):
        copy.do(
            *options,
            "commit",
            "--quiet",
            "--allow-empty",
            f"-S{key}",
            "-m",
            f"Signed: {name}",
            GNUPGHOME=keys.home,
            **more,
        )
        at[name] = copy.do("rev-parse", "HEAD")

    def forged(name, change, of="own"):
        """A commit whose text is another than git made."""
        raw = change(copy.output("cat-file", "commit", at[of]))
        said = copy.git("hash-object", "-t", "commit", "-w", "--stdin", "--literally", stdin=raw)
        assert said.ok, said
        at[name] = said.text.strip()
        copy.do("branch", name, at[name])

    def resigned(text):
        head, _, tail = raw_parts(copy.output("cat-file", "commit", at["own"]))
        return lambda _: head + b"gpgsig " + text.replace(b"\n", b"\n ") + b"\n" + tail

    sign("own", keys.prints["developer"])
    sign("other", keys.prints["reporter"])
    sign("unconfirmed", keys.prints["guest"])
    sign("unknown", keys.prints["nobody"])
    sign("elsewhere", keys.prints["developer"], GIT_COMMITTER_EMAIL="second@example.org")
    for kind in SSH:
        sign(kind, ssh_keys / kind, "-c", "gpg.format=ssh")
    forged("ssh_changed", lambda raw: raw.replace(b"Signed: rsa", b"Signed: not"), "rsa")
    forged("changed", lambda raw: raw.replace(b"Signed: own", b"Signed: not"))
    signature = raw_parts(copy.output("cat-file", "commit", at["own"]))[1]
    forged("twice", resigned(signature + b"\n" + signature))
    forged("x509", resigned(b"-----BEGIN SIGNED MESSAGE-----\nAAAA\n-----END SIGNED MESSAGE-----"))
    forged("ssh_broken", resigned(b"-----BEGIN SSH SIGNATURE-----\nU1NIU0lHAAAAAQ==\n-----END SSH SIGNATURE-----"))
    forged("garbage", resigned(b"\xff\x00nonsense".replace(b"\x00", b"")))
    forged("huge", resigned(BEGIN + b"iHUEABYKAB0WIQ" * 40_000 + END))
    forged("compressed", resigned(BEGIN + b"yP8AAAAB" + END))
    copy.do("tag", "-s", "-u", keys.prints["developer"], "-m", "A tag", "by_gpg", GNUPGHOME=keys.home)
    copy.do("-c", "gpg.format=ssh", "tag", "-s", "-u", str(ssh_keys / "rsa"), "-m", "A tag", "by_ssh")
    copy.do("tag", "-a", "-m", "A tag", "unsigned")
    copy.do("push", "--quiet", "origin", "--tags", "refs/heads/*")
    return Signed(forge, project, at)


def raw_parts(raw):
    """A signed commit: what stands before the signature, the signature, what follows."""
    head, _, rest = raw.partition(b"gpgsig ")
    lines = rest.split(b"\n")
    end = next(number for number, line in enumerate(lines) if number and not line.startswith(b" "))
    return head, b"\n".join([lines[0], *(line[1:] for line in lines[1:end])]), b"\n".join(lines[end:])


HOSTILE = ("x509", "ssh_broken", "garbage", "huge", "compressed")


def test_the_status_follows_keys_and_addresses(forge, signed, keys, ssh_keys):
    """One after another, because each step changes what the keys of the cast are."""
    of_keys = ("own", "other", "unconfirmed", "unknown", "elsewhere", "changed")
    assert signed.statuses(*of_keys, *SSH, "ssh_changed") == ["unknown_key"] * 10
    assert signed.statuses(*HOSTILE, "twice") == ["unverified"] * 5 + ["multiple_signatures"]

    stored = {
        name: forge.api("POST", "/user/gpg_keys", name, key=keys.blocks[name])["id"]
        for name in ("developer", "reporter", "guest")
    }
    expected = ["verified", "other_user", "unverified_key", "unknown_key", "other_user", "unverified"]
    assert signed.statuses(*of_keys) == expected
    assert signed.statuses(*HOSTILE, "twice") == ["unverified"] * 5 + ["multiple_signatures"]

    added = [
        forge.api("POST", "/user/keys", "developer", title=kind, key=(ssh_keys / f"{kind}.pub").read_text())["id"]
        for kind in SSH
    ]
    assert signed.statuses(*SSH, "ssh_changed") == ["verified", "verified", "verified", "unverified"]
    developer = f"/users/{forge.stage.roster.people['developer'][0]}"
    forge.api("PUT", developer, email="second@example.org", skip_reconfirmation=True)
    assert signed.statuses("own", "rsa", "elsewhere") == ["verified", "verified", "same_user_different_email"]
    forge.api("PUT", developer, email="developer@example.org", skip_reconfirmation=True)
    [second] = forge.api("GET", f"{developer}/emails")
    forge.api("DELETE", f"{developer}/emails/{second['id']}")
    forge.api("DELETE", f"/user/keys/{added[0]}", "developer")
    assert signed.statuses("ed25519", "elsewhere") == ["verified", "other_user"]

    forge.api("DELETE", f"/user/gpg_keys/{stored['developer']}", "developer")
    assert signed.statuses("own", "elsewhere", "changed") == ["verified", "unknown_key", "unknown_key"]
    again = forge.api("POST", "/user/gpg_keys", "developer", key=keys.blocks["developer"])["id"]
    forge.api("POST", f"/user/gpg_keys/{again}/revoke", "developer")
    assert signed.statuses("own") == ["unknown_key"]
    # Whoever else adds the revoked key, and removes it, does not bring its signatures back.
    borrowed = forge.api("POST", "/user/gpg_keys", "reporter", key=keys.blocks["developer"])["id"]
    assert signed.statuses("own") == ["unverified_key"]
    forge.api("DELETE", f"/user/gpg_keys/{borrowed}", "reporter")
    assert signed.statuses("own") == ["unknown_key"]
    forge.api("POST", "/user/gpg_keys", "developer", key=keys.blocks["developer"])
    assert signed.statuses("own", "changed") == ["verified", "unverified"]


@pytest.fixture
def known_keys(forge, keys, ssh_keys):
    """The keys of the developer, the reporter and the guest are added, also if no test before this one did."""
    for name in ("developer", "reporter", "guest"):
        if not forge.api("GET", "/user/gpg_keys", name):
            forge.api("POST", "/user/gpg_keys", name, key=keys.blocks[name])
    added = {key["title"] for key in forge.api("GET", "/user/keys", "developer")}
    for kind in set(SSH) - added:
        forge.api("POST", "/user/keys", "developer", title=kind, key=(ssh_keys / f"{kind}.pub").read_text())


@pytest.mark.usefixtures("known_keys")
def test_clients_read_the_signature_of_a_commit(forge, signed, keys):
    path = f"/api/v4/projects/{signed.project['id']}/repository/commits"
    with gitlab.Gitlab(forge.server.url, private_token=forge.token("reporter")) as client:
        found: Any = client.projects.get(signed.project["id"]).commits.get(signed.at["own"]).signature()
    assert set(found) == PARTS
    assert found["signature_type"] == "PGP"
    assert found["gpg_key_primary_keyid"] == keys.prints["developer"][-16:]
    assert (found["gpg_key_user_name"], found["gpg_key_user_email"]) == ("Developer", "developer@example.org")
    assert found["gpg_key_subkey_id"] is not None
    assert signed.statuses("ed25519") == ["verified"]
    removed = [key["id"] for key in forge.api("GET", "/user/keys", "developer") if key["title"] == "ed25519"]
    for id in removed:
        forge.api("DELETE", f"/user/keys/{id}", "developer")
    ssh = forge.api("GET", f"{path.removeprefix('/api/v4')}/{signed.at['ed25519']}/signature", "reporter")
    assert (ssh["signature_type"], ssh["verification_status"], ssh["key"]) == ("SSH", "verified", None)
    private = {name: {"Private-Token": forge.token(name)} for name in ("reporter", "guest", "stranger")}
    for name, status, body in (
        ("reporter", 404, MISSING),
        ("guest", 403, b'{"message":"403 Forbidden"}'),
        ("stranger", 404, b'{"message":"404 Project Not Found"}'),
    ):
        reply = forge.ask("GET", f"{path}/{signed.at['none']}/signature", headers=private[name])
        assert (reply.status, reply.body) == (status, body)


@pytest.mark.usefixtures("known_keys")
def test_pages_have_badges(forge, signed):
    """Everyone reads whose key it was, and no address that they would not read otherwise."""
    here = f"/projects/{signed.project['id']}"
    forge.api("PUT", here, visibility="public")
    request = forge.api(
        "POST", f"{here}/merge_requests", "developer", source_branch="changed", target_branch="master", title="x"
    )
    root = f"/{signed.project['path_with_namespace']}"
    history = forge.ask("GET", f"{root}/commits/master").text
    assert (history.count("</svg>Verified<"), history.count("</svg>Unverified<")) == (4, 4)
    assert "GPG key ID: <code>" in history
    assert "SSH key ID: <code>SHA256:" in history
    assert "@example.org" not in history
    single = forge.ask("GET", f"{root}/commit/{signed.at['own']}").text
    assert "Key of <a" in single.partition("</svg>Verified<")[2].partition("</details>")[0]
    assert "Unverified" in forge.ask("GET", f"{root}/merge_requests/{request['iid']}/commits").text
    unsigned = forge.ask("GET", f"{root}/commit/{signed.at['none']}")
    assert unsigned.status == 200
    assert "erified" not in unsigned.text
    tags = forge.ask("GET", f"{root}/tags").text
    assert tags.count("This tag was signed with a verified signature, and the tagger is the owner of the key.") == 2
    assert tags.count("erified<") == 2
    tag = forge.ask("GET", f"{root}/tags/by_gpg").text
    assert '<pre tabindex="0">A tag</pre>' in tag
    assert "GPG key ID: <code>" in tag
    for name in (*HOSTILE, "twice"):
        assert "Unverified" in forge.ask("GET", f"{root}/commits/{name}").text, name
