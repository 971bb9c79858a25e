"""The record that a running server leaves in its data folder for other commands: its database and its addresses."""

import os
import re
from contextlib import suppress
from pathlib import Path

import msgspec

from mujina.settings import Settings

_PASSWORD = re.compile(r"(?<=://)([^:/]*):.*(?=@)")
_PASSWORD_PARAMETER = re.compile(r"(password=)[^&]*", re.IGNORECASE)


class ServerRecord(msgspec.Struct, frozen=True):
    """The last server that was started on a data folder."""

    database: str
    """The URL without password; a file in the data folder is relative to it."""
    pid: int
    host: str
    port: int
    ssh_port: int | None

    @property
    def running(self) -> bool:
        try:
            os.kill(self.pid, 0)
        except ProcessLookupError:
            return False
        except PermissionError:  # it belongs to another user
            return True
        return True


def write_record(settings: Settings, ssh_port: int | None) -> ServerRecord | None:
    """Record this server. Returns the record of the former one."""
    former = read_record(settings.data)
    record = ServerRecord(database_name(settings), os.getpid(), settings.host, settings.port, ssh_port)
    with suppress(OSError):  # a full disk does not keep the server from answering reads
        write_json(_path(settings.data), record)
    return former


def restore_record(data: Path, former: ServerRecord | None) -> None:
    """Record the former server again, because this one could not start."""
    with suppress(OSError):
        if former is None:
            _path(data).unlink()
        else:
            write_json(_path(data), former)


def read_record(data: Path) -> ServerRecord | None:
    """The record of the folder; None if no server was started on it."""
    with suppress(OSError, msgspec.MsgspecError):
        return msgspec.json.decode(_path(data).read_bytes(), type=ServerRecord)
    return None


def other_database(settings: Settings) -> str | None:
    """The database of the folder's server if the settings name another one, as a clause that says so."""
    record, name = read_record(settings.data), database_name(settings)
    if record is None or record.database == name:
        return None
    return (
        f"the server of {settings.data} uses the database {record.database}, not {name}: put database_url into "
        f"{settings.data / 'mujina.toml'} or MUJINA_DATABASE_URL, where every command finds it"
    )


def database_name(settings: Settings) -> str:
    """The URL of the database without its password. A file in the data folder is relative: the folder may be moved."""
    file = settings.sqlite_file
    if file is not None and file.absolute().is_relative_to(settings.data):
        return f"sqlite:///{file.absolute().relative_to(settings.data)}"
    return without_password(settings.database)


def without_password(url: str) -> str:
    """The URL with its password masked, wherever it stands."""
    return _PASSWORD_PARAMETER.sub(r"\1[masked]", _PASSWORD.sub(r"\1:[masked]", url))


def write_json(path: Path, value: msgspec.Struct) -> None:
    """Write the value as JSON; a reader sees the whole of it or nothing."""
    draft = path.with_name(f".{path.name}.{os.getpid()}")
    try:
        draft.write_bytes(msgspec.json.encode(value) + b"\n")
        draft.replace(path)
    except OSError:
        draft.unlink(missing_ok=True)
        raise


def _path(data: Path) -> Path:
    return data / "server.json"
