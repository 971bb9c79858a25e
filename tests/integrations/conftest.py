"""A receiver on loopback that hooks may call, in the event loop of the application."""

import json

import jsonschema_rs
import pytest

from tests.adapters.receiver import Receiver, answer
from tests.harness.cast import bind
from tests.integrations.payloads.schemas import schema_of


class Hooks:
    """Hooks of the cast, all with one receiver; `bodies()` is what it got since the last call."""

    def __init__(self, cast, receiver):
        self.cast = cast
        self.receiver = receiver

    def url(self, path="/hook"):
        return f"http://127.0.0.1:{self.receiver.port}{path}"

    def add(self, owner=None, **flags):
        """A hook of the private project, of another owner or ("") of the instance, with exactly these flags; its path."""
        place = f"/{owner}" if owner else f"/projects/{self.cast.private.id}" if owner is None else ""
        made = self.cast.root.post(f"{place}/hooks", url=self.url(), **{"push_events": False, **flags})
        assert made.status == 201, made
        return f"{place}/hooks/{made.json['id']}"

    def requests(self):
        found = self.receiver.received[:]
        self.receiver.received.clear()
        return found

    def bodies(self):
        """What was received since the last call; each fits its schema."""
        found = [json.loads(request.body) for request in self.requests()]
        for body in found:
            jsonschema_rs.validate(schema_of(body), body)
        return found


@pytest.fixture
def answers():
    """What the receiver answers, in this order, the last one again and again."""
    return [answer(b"thanks")]


@pytest.fixture
def hooks(stage, database, answers):
    receiver = Receiver(*answers)
    listening = receiver.listening()
    stage.loop.run_until_complete(listening.__aenter__())
    client = stage.client(database, None, f"127.0.0.1:{receiver.port}")
    yield Hooks(bind(stage.roster, client, database), receiver)
    stage.loop.run_until_complete(listening.__aexit__(None, None, None))
