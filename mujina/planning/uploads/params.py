"""What requests about uploads may say."""

from mujina.kernel.forms import Upload
from mujina.kernel.params import Params


class CreateUpload(Params):
    file: Upload
