"""Where repositories may be fetched from."""

import base64

from mujina.adapters.git_copying import Remote
from mujina.adapters.outbound import Outbound
from mujina.adapters.outbound_url import Target
from mujina.kernel.services import Services


async def judged(services: Services, url: str) -> Remote:
    """The remote at the address its name leads to now, which git is held to; `Refused` or `Unreachable` if to none."""
    target = Target.parse(url)
    pin = await Outbound(services.settings.outbound_allow).pinned(url)
    address = f"[{pin.address}]" if ":" in pin.address else pin.address
    authorization = None
    if target.auth is not None:
        authorization = "Basic " + base64.b64encode(":".join(target.auth).encode()).decode()
    plain = f"{target.scheme}://{target.authority}{target.path}"
    return Remote(plain, f"{pin.host}:{pin.port}:{address}", authorization)
