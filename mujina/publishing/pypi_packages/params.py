"""Parameters of requests about Python packages."""

from mujina.kernel.http.params import UNSET, Params, RequiredText, Unset


class UploadDistribution(Params):
    """The fields of an upload that are read; programs send the whole metadata of the package with it."""

    name: RequiredText
    version: RequiredText
    requires_python: str | Unset = UNSET
    md5_digest: str | Unset = UNSET
    sha256_digest: str | Unset = UNSET
