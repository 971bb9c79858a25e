"""The parameters of requests about uploads."""

from mujina.kernel.forms import Upload
from mujina.kernel.params import Params


class CreateUpload(Params):
    file: Upload
