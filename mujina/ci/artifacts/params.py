"""Parameters of requests about artifacts."""

from typing import Literal

from mujina.kernel.http.params import UNSET, Params, Unset

FileFormat = Literal["zip", "gzip", "raw"]


class UploadArtifact(Params):
    """In the query, as runners send them, or as parts of the form."""

    expire_in: str | Unset | None = UNSET
    artifact_type: str | Unset = UNSET
    artifact_format: FileFormat | Unset = UNSET


class NameJob(Params):
    job: str
