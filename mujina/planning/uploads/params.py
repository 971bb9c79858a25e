"""The parameters of requests about uploads."""

from mujina.kernel.http.forms import Upload
from mujina.kernel.http.params import Params


class CreateUpload(Params):
    file: Upload
