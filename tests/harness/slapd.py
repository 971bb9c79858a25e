"""A real OpenLDAP server on loopback, in a folder of its own, without the service of the system."""

import itertools
import os
import shutil
import socket
import ssl
import subprocess
import threading
import time
from collections.abc import Generator, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

from tests.harness.certificates import certify

SUFFIX = "dc=example,dc=org"
ADMIN = f"cn=admin,{SUFFIX}"
ADMIN_PASSWORD = "directory-admin-secret"
SCHEMAS = Path("/etc/ldap/schema")
CONFIGURATION = """
include {schemas}/core.schema
include {schemas}/cosine.schema
include {schemas}/inetorgperson.schema
include {schemas}/nis.schema
include {folder}/tests.schema
modulepath /usr/lib/ldap
moduleload back_mdb
sizelimit unlimited
TLSCACertificateFile {folder}/authority.pem
TLSCertificateFile {folder}/server.pem
TLSCertificateKeyFile {folder}/server.key
database mdb
maxsize 67108864
dbnosync
suffix "{suffix}"
rootdn "{admin}"
rootpw {password}
directory {folder}/database
index objectClass,uid,cn,member eq
"""
# What Active Directory has and OpenLDAP does not: the account's flags, and groups that name the groups they belong to.
SCHEMA = """
attributetype ( 1.3.6.1.4.1.24552.500.1.1.1.13 NAME 'sshPublicKey' EQUALITY octetStringMatch
  SYNTAX 1.3.6.1.4.1.1466.115.121.1.40 )
attributetype ( 1.3.6.1.4.1.99999.1.1 NAME 'userAccountControl' EQUALITY integerMatch
  SYNTAX 1.3.6.1.4.1.1466.115.121.1.27 SINGLE-VALUE )
attributetype ( 1.3.6.1.4.1.99999.1.2 NAME 'memberOf' EQUALITY distinguishedNameMatch
  SYNTAX 1.3.6.1.4.1.1466.115.121.1.12 )
objectclass ( 1.3.6.1.4.1.99999.2.1 NAME 'testPerson' SUP top AUXILIARY
  MAY ( sshPublicKey $ userAccountControl $ memberOf ) )
objectclass ( 1.3.6.1.4.1.99999.2.2 NAME 'group' SUP top STRUCTURAL MUST cn MAY ( member $ memberOf ) )
objectclass ( 1.3.6.1.4.1.99999.2.3 NAME 'uidGroup' SUP top STRUCTURAL MUST cn MAY memberUid )
"""


@dataclass
class Slapd:
    """The server, and the tools that change what it holds."""

    folder: Path
    port: int
    tls_port: int
    trees: Iterator[int] = field(default_factory=itertools.count)

    @property
    def url(self) -> str:
        return f"ldap://127.0.0.1:{self.port}"

    @property
    def tls_url(self) -> str:
        return f"ldaps://127.0.0.1:{self.tls_port}"

    @property
    def authority(self) -> Path:
        """The certificate that vouches for the server."""
        return self.folder / "authority.pem"

    @contextmanager
    def expired_server(self) -> Generator[str]:
        """The address of a server whose certificate has expired; it fails a client that speaks after the handshake."""
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(self.folder / "expired.pem", self.folder / "server.key")
        heard = list[bytes]()

        def serve() -> None:
            with suppress(OSError):
                while True:
                    connection, _ = listener.accept()
                    with connection, suppress(ssl.SSLError), context.wrap_socket(connection, server_side=True) as tls:
                        heard.append(tls.recv(1))

        with socket.create_server(("127.0.0.1", 0)) as listener:
            thread = threading.Thread(target=serve, daemon=True)
            thread.start()
            yield f"ldaps://127.0.0.1:{listener.getsockname()[1]}"
            listener.shutdown(socket.SHUT_RDWR)
            thread.join()
        assert not any(heard)

    def load(self, ldif: str) -> None:
        """Add entries, or apply changes that name their `changetype`."""
        arguments = ["ldapmodify", "-a", "-x", "-H", self.url, "-D", ADMIN, "-w", ADMIN_PASSWORD]
        done = subprocess.run(arguments, input=ldif, text=True, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr + ldif

    def tree(self) -> "Tree":
        """An empty tree with a branch for people and one for groups."""
        tree = Tree(self, f"ou=t{next(self.trees)},{SUFFIX}")
        for dn in (tree.base, tree.people, tree.groups):
            tree.add(dn, objectClass="organizationalUnit")
        tree.flush()
        return tree


@dataclass
class Tree:
    """A part of the directory that one test has to itself. Changes are sent together, by `flush`."""

    slapd: Slapd
    base: str
    pending: list[str] = field(default_factory=list[str])

    @property
    def people(self) -> str:
        return f"ou=people,{self.base}"

    @property
    def groups(self) -> str:
        return f"ou=groups,{self.base}"

    def add(self, dn: str, **attributes: str | list[str]) -> str:
        kind, _, name = dn.partition(",")[0].partition("=")
        lines = [f"dn: {dn}", f"{kind}: {name.replace(chr(92), '')}"]
        for key, values in attributes.items():
            lines += [f"{key}: {value}" for value in ([values] if isinstance(values, str) else values)]
        self.pending.append("\n".join(lines))
        return dn

    def person(self, uid: str, password: str = "", *, mail: str | None = "", **attributes: str | list[str]) -> str:
        """A user; the address is made of the uid unless one is given, None for a person without one."""
        address = {"mail": mail or f"{uid}@corp.example"} if mail is not None else {}
        secret = {"userPassword": password} if password else {}
        fields = {"cn": uid.title(), "sn": uid.title()} | address | secret | attributes
        return self.add(f"uid={uid},{self.people}", objectClass=["inetOrgPerson", "testPerson"], **fields)

    def group(self, cn: str, *members: str, **attributes: str | list[str]) -> str:
        """A group of these entries."""
        return self.add(f"cn={cn},{self.groups}", objectClass="groupOfNames", member=list(members), **attributes)

    def change(self, dn: str, **attributes: str | list[str]) -> None:
        """Replace attributes; an empty list deletes one."""
        lines = [f"dn: {dn}", "changetype: modify"]
        for key, values in attributes.items():
            lines += [
                f"replace: {key}",
                *(f"{key}: {v}" for v in ([values] if isinstance(values, str) else values)),
                "-",
            ]
        self.pending.append("\n".join(lines))

    def rename(self, dn: str, rdn: str, *, below: str = "") -> None:
        """Give the entry another name, perhaps `below` another entry."""
        moved = f"\nnewsuperior: {below}" if below else ""
        self.pending.append(f"dn: {dn}\nchangetype: modrdn\nnewrdn: {rdn}\ndeleteoldrdn: 1{moved}")

    def delete(self, dn: str) -> None:
        self.pending.append(f"dn: {dn}\nchangetype: delete")

    def flush(self) -> None:
        """Send what was changed."""
        self.slapd.load("\n\n".join(self.pending) + "\n")
        self.pending.clear()


@contextmanager
def running_slapd(folder: Path) -> Generator[Slapd]:
    """A server that answers, until the block ends."""
    program = shutil.which("slapd", path=f"{os.environ['PATH']}:/usr/sbin:/sbin")
    assert program, "slapd is missing: run tests/system_packages"
    (folder / "database").mkdir(parents=True)
    (folder / "tests.schema").write_text(SCHEMA)
    certify(folder)
    configuration = folder / "slapd.conf"
    configuration.write_text(
        CONFIGURATION.format(schemas=SCHEMAS, folder=folder, suffix=SUFFIX, admin=ADMIN, password=ADMIN_PASSWORD)
    )
    with _reserved_ports() as ports, (folder / "log").open("wb") as log:
        server = Slapd(folder, *ports)
        # With a debug level it stays in the foreground; it ends with this process, even if that is killed.
        arguments = [
            "setpriv",
            "--pdeathsig",
            "KILL",
            program,
            "-d",
            "stats",
            "-f",
            str(configuration),
            "-h",
            f"{server.url} {server.tls_url}",
        ]
        process = subprocess.Popen(arguments, stdout=log, stderr=log)
        try:
            _wait(server, process)
        except BaseException:
            process.kill()
            process.wait()
            raise
    try:
        server.load(f"dn: {SUFFIX}\nobjectClass: dcObject\nobjectClass: organization\ndc: example\no: Example\n")
        yield server
    finally:
        process.kill()
        process.wait()


def _wait(server: Slapd, process: subprocess.Popen[bytes]) -> None:
    deadline = time.monotonic() + 60
    while process.poll() is None and time.monotonic() < deadline:
        try:
            socket.create_connection(("127.0.0.1", server.tls_port), timeout=1).close()
        except OSError:
            time.sleep(0.02)
        else:
            return
    raise AssertionError((server.folder / "log").read_text())


@contextmanager
def _reserved_ports() -> Generator[list[int]]:
    """Two ports that the system gives to nobody who asks for any; a server that names one gets it."""
    with socket.socket() as one, socket.socket() as other:
        for each in (one, other):
            each.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)  # as servers do, too
            each.bind(("127.0.0.1", 0))
        yield [each.getsockname()[1] for each in (one, other)]
