"""Whether a server goes on with the content of the frozen instance."""

import hashlib
from urllib.parse import quote

from tests.migrations.releases.fill import PASSWORD, PROJECT, RECORDED
from tests.migrations.releases.person import Person

MOVING = {
    "artifacts",
    "queued_duration",
    "merge_status",
    "detailed_merge_status",
    "contacted_at",
    "online",
    "job_execution_status",
}
"""Fields that change without anybody's doing; the trace of a job becomes an artifact some time after its end."""


def lost(before, after, place):
    """Where the answer of today lacks something of the former one, or says something else; more fields may be there."""
    if isinstance(before, dict) and isinstance(after, dict):
        for name, value in before.items():
            if name in MOVING or (name == "status" and (place.startswith("/runners") or place.endswith(" runner"))):
                continue
            yield from lost(value, after.get(name, "no such field"), f"{place} {name}")
    elif isinstance(before, list) and isinstance(after, list) and len(before) == len(after):
        for number, (one, other) in enumerate(zip(before, after, strict=True)):
            yield from lost(one, other, f"{place}[{number}]")
    elif before != after:
        yield f"{place}: {before!r} became {after!r}"


def goes_on(server, recorded, folder):
    """Everything reads and is changed as before."""
    known = recorded["known"]
    root, ann = Person(server.url, "root", server.token), Person(server.url, "ann", known["token"])
    changed = [each for path in RECORDED for each in lost(recorded["answers"][path], root.record(path), path)]
    assert not changed, "\n".join(changed)
    reads_files_and_secrets(server, root, ann, known)
    counts_go_on(ann)
    clone = ann.clone("club/rooms", folder / "clone")
    clone.git("lfs", "pull")
    assert (clone.folder / "large.bin").read_bytes() == b"large " * 1000
    clone.commit("Paint the door", door_txt="green\n")
    clone.git("push", "-q", "origin", "main")
    assert ann.get(f"{PROJECT}/repository/commits/main")["message"] == "Paint the door\n"
    merged = ann.put(f"{PROJECT}/merge_requests/2/merge")
    assert (merged["state"], ann.get(f"{PROJECT}/merge_requests/2")["merge_commit_sha"]) == (
        "merged",
        merged["merge_commit_sha"],
    )
    job = ann.post("/jobs/request", token=known["runner"])
    assert {"DOOR_CODE", "CLUB"} <= {variable["key"] for variable in job["variables"]}


def reads_files_and_secrets(server, root, ann, known):
    upload = ann.ask("GET", f"/club/rooms{known['upload']}")
    assert upload == b"The plan of the house"
    assert b"made all rooms" in ann.ask("GET", f"/api/v4{PROJECT}/jobs/{known['job']}/trace")
    assert ann.get(f"{PROJECT}/variables/DOOR_CODE")["value"] == "four-digits-1234"
    grant = f"grant_type=password&username=bob&password={quote(PASSWORD)}".encode()
    token = Person(server.url, "bob", "").ask(
        "POST", "/oauth/token", grant, Content_Type="application/x-www-form-urlencoded"
    )
    bearer = f"Bearer {token['access_token']}"
    assert Person(server.url, "bob", bearer, header="Authorization").get("/user")["username"] == "bob"
    oid = hashlib.sha256(b"large " * 1000).hexdigest()
    assert oid in root.get(f"{PROJECT}/repository/files/large.bin/raw?ref=main").decode()


def counts_go_on(ann):
    """Numbers and ids of new rows continue those of the release, and no id is given twice."""
    before = ann.get(f"{PROJECT}/issues?state=all")
    issue = ann.post(f"{PROJECT}/issues", title="The window squeaks", labels="bug", description="As in #1")
    assert (issue["iid"], issue["id"] > max(each["id"] for each in before)) == (4, True)
    assert ann.get(f"{PROJECT}/issues_statistics")["statistics"]["counts"] == {"all": 4, "closed": 1, "opened": 3}
    assert ann.get(f"{PROJECT}/issues?search=squeaks")[0]["iid"] == 4
    assert ann.get(f"{PROJECT}/issues?search=stuck")[0]["iid"] == 1
    assert ann.post(f"{PROJECT}/issues/1/notes", body="Better")["body"] == "Better"
    assert ann.put(f"{PROJECT}/issues/1", state_event="close")["state"] == "closed"
    assert ann.post("/projects", name="Garden", namespace_id=ann.get("/groups/club")["id"])["id"] > 2
