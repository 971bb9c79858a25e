"""Which node this data folder belongs to: a file that `mujina geo join` writes. A primary has none."""

from pathlib import Path

import msgspec

from mujina.kernel.secrets import INSTANCE_KEY, SSH_HOST_KEY, UnreadableSecret, publish
from mujina.kernel.storage.fsync import fsync_folders
from mujina.settings import Settings

_NAME = "node.json"


class NodeIdentity(msgspec.Struct, frozen=True):
    """A secondary, its primary, and the credential with which it asks the primary."""

    node_id: int
    url: str
    primary_url: str
    access_key: str
    secret: str

    def __repr__(self) -> str:
        """Shows no secret."""
        return f"NodeIdentity({self.node_id})"


def read_identity(data: Path) -> NodeIdentity | None:
    """The secondary that this data folder belongs to; None on a primary."""
    path = _path(data)
    try:
        return msgspec.json.decode(path.read_bytes(), type=NodeIdentity)
    except FileNotFoundError:
        return None
    except (OSError, msgspec.MsgspecError) as error:
        raise UnreadableSecret(f"The credential of this node, {path}, cannot be read: {error}.") from error


def registry_url(settings: Settings) -> str:
    """The local database of a secondary."""
    return f"sqlite:///{settings.data.absolute()}/replication.db"


def store_identity(data: Path, identity: NodeIdentity, *, instance_key: str, ssh_host_key: str) -> None:
    """Make this data folder that of a secondary, with the keys of the primary: clients trust it after a promotion."""
    folder = data / "secrets"
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    files = {INSTANCE_KEY: instance_key, SSH_HOST_KEY: ssh_host_key, _NAME: msgspec.json.encode(identity).decode()}
    for name, text in files.items():  # the identity last: with it, the folder is that of a secondary
        (folder / name).unlink(missing_ok=True)
        publish(folder / name, text.rstrip("\n") + "\n")


def remove_identity(data: Path) -> None:
    """This data folder is that of a primary."""
    _path(data).unlink(missing_ok=True)
    fsync_folders([_path(data).parent])


def _path(data: Path) -> Path:
    return data / "secrets" / _NAME
