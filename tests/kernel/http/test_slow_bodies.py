import asyncio

import pytest

from mujina.kernel.errors import RequestTimeout
from mujina.kernel.http import bodies
from mujina.kernel.http.requests.incoming import ApiRequest


def test_a_body_that_does_not_arrive_in_time_is_a_408(monkeypatch: pytest.MonkeyPatch):
    async def silent():
        await asyncio.sleep(30)

    async def read():
        headers = [(b"content-type", b"application/json"), (b"content-length", b"7")]
        scope = {"type": "http", "method": "POST", "path": "/", "query_string": b"", "headers": headers}
        await bodies.read_body(ApiRequest(scope, silent), 1_000, silent)

    monkeypatch.setattr(bodies, "BODY_TIMEOUT", 0.05)
    with pytest.raises(RequestTimeout):
        asyncio.run(read())
