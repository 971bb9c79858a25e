"""What a secondary tells its primary, and answers while that, or what is behind a proxy at its address, is away."""

import pytest

from mujina.app import build
from tests.adapters.receiver import Receiver, answer
from tests.harness.client import Client, Raw
from tests.harness.in_process_secondary import secondary_services

AWAY = {"message": "503 Service Unavailable - the primary cannot be reached"}


@pytest.fixture
def engine():
    """Only PostgreSQL has secondaries."""
    return "postgres"


def test_a_proxy_without_a_primary_behind_it_counts_as_away(stage, cast, database, nodes, in_transaction, tmp_path):
    of_primary = {"Connection": "close", "X_Mujina_Log_Position": "0/1"}
    receiver = Receiver(
        answer(status="401 Unauthorized", **of_primary), answer(status="201 Created", **of_primary),
        answer(b"bad", status="502 Bad Gateway", Connection="close"),
    )  # fmt: skip
    listening = receiver.listening()
    stage.loop.run_until_complete(listening.__aenter__())
    url = f"http://127.0.0.1:{receiver.port}/"
    try:
        with secondary_services(
            stage, database, stage.folder, tmp_path / "secondary", nodes[1], primary_url=url
        ) as services:
            here = stage.cast(Client(build(services), stage.loop), database)
            claims_of_the_client_do_not_count(here, services, receiver)
            refused = here.owner.post(f"/projects/{cast.private.id}/issues", title="Too late")
            assert (refused.status, refused.json, refused.headers["Retry-After"]) == (503, AWAY, "10")
            assert here.owner.get(f"/projects/{cast.private.id}").status == 200
            asks_about_changes_that_are_not_in_the_registry(here, receiver, in_transaction)
            fetches_an_old_copy(stage, here, services)
            assert len(receiver.received) == 6
    finally:
        stage.loop.run_until_complete(listening.__aexit__(None, None, None))


def claims_of_the_client_do_not_count(here, services, receiver):
    """The primary learns the address that the secondary knows, and credentials that cannot be any are not stored."""

    async def stored():
        async with services.registry.reading() as tx:
            return await tx.value("SELECT count(*) FROM forwarded_writes")

    claims = {"X-Forwarded-For": "203.0.113.9", "X-Forwarded-Host": "a.example", "Forwarded": "for=203.0.113.9"}
    request = Raw(
        query="&".join(f"private_token={n}" for n in range(20)),
        headers={**claims, "X-Forwarded-Proto": "https", "Authorization": f"Bearer {'y' * 3000}"},
    )
    for status, rows in ((401, 0), (201, 1)):
        assert here.anonymous.post("/projects", request).status == status
        assert here.anonymous.loop.run_until_complete(stored()) == rows
        sent = receiver.received[-1].headers
        named = {name: sent[name] for name in sent if "forwarded" in name}
        assert named == {"x-forwarded-for": "127.0.0.1"}


def asks_about_changes_that_are_not_in_the_registry(here, receiver, in_transaction):
    """As while the registry cannot be written, because its disk is full."""

    async def change(tx):
        await tx.run(
            """INSERT INTO replication_log (kind, object_id, created_at)
               VALUES ('repository_updated', :project_id, '2026-01-01T00:00:00.000Z')""",
            project_id=here.internal.id,
        )

    in_transaction(change)
    asked = len(receiver.received)
    for project in (here.public, here.internal):
        assert here.owner.get(f"/projects/{project.id}/repository/branches").status == 200
    assert [request.path for request in receiver.received[asked:]] == [
        f"/api/v4/projects/{here.internal.id}/repository/branches"
    ]


def fetches_an_old_copy(stage, here, services):
    """The body that was offered to the primary is read again."""

    async def outdate():
        async with services.registry.transaction() as tx:
            await tx.run("UPDATE replicated_repositories SET dirty = TRUE")

    action = {"action": "create", "file_path": "a", "content": "a"}
    stage.cast(stage.forgetful[1], here.database).master.post(
        f"/projects/{here.public.id}/repository/commits", branch="master", commit_message="x", actions=[action]
    )
    stage.loop.run_until_complete(outdate())
    place, protocol = f"//{here.public.path}.git", {"Git-Protocol": "version=2"}
    advertised = here.anonymous.get(f"{place}/info/refs?service=git-upload-pack", Raw(headers=protocol))
    assert (advertised.status, b"ls-refs" in advertised.body) == (200, True)
    body = Raw(body=b"0014command=ls-refs\n0000", type="application/x-git-upload-pack-request", headers=protocol)
    refs = here.anonymous.post(f"{place}/git-upload-pack", body)
    assert (refs.status, b"refs/heads/master" in refs.body) == (200, True)
