"""Where repositories may be fetched from."""

import base64

from mujina.adapters.git_copying import Remote
from mujina.adapters.outbound import Outbound
from mujina.adapters.outbound_url import Target
from mujina.kernel import errors
from mujina.kernel.house import House

NOT_ALLOWED = "imports are not allowed from that URL"


def judge(house: House, url: str) -> None:
    """400 unless the address is one of HTTP that the guard may let through; what its name leads to is judged later."""
    if not url:
        return
    if Outbound(house.settings.outbound_allow).acceptable(url) is not None or not _is_for_git(Target.parse(url).port):
        raise errors.invalid({"import_url": [NOT_ALLOWED]})


def _is_for_git(port: int) -> bool:
    """No port that belongs to something else."""
    return port in (80, 443) or port >= 1024


async def judged(house: House, url: str) -> Remote:
    """The remote at the address its name leads to now, which git is held to; `Refused` or `Unreachable` if to none."""
    target = Target.parse(url)
    pin = await Outbound(house.settings.outbound_allow).pinned(url)
    address = f"[{pin.address}]" if ":" in pin.address else pin.address
    authorization = None
    if target.auth is not None:
        authorization = "Basic " + base64.b64encode(":".join(target.auth).encode()).decode()
    plain = f"{target.scheme}://{target.authority}{target.path}"
    return Remote(plain, f"{pin.host}:{pin.port}:{address}", authorization)
