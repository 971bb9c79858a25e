"""What the feed tells of pushes, of each ref by itself."""

from mujina.code.pushes.summaries import MAX_TITLE_LENGTH


def pushes(code):
    feed = code.cast.owner.get(f"{code.path}/events", action="pushed", sort="asc").json
    assert all((event["target_type"], event["author_username"]) == (None, "owner") for event in feed)
    return [(event["action_name"], event["push_data"]) for event in feed]


def told(count, action, before, after, ref, title, kind="branch"):
    return {
        "commit_count": count, "action": action, "ref_type": kind, "commit_from": before, "commit_to": after,
        "ref": ref, "commit_title": title,
    }  # fmt: skip


def test_each_push_event_summarizes_its_commits(cast, code):
    first = code.first
    second = code.commit(message="Second\n\nbody", second="").json["id"]
    cast.owner.post(f"{code.at}/branches", branch="side", ref="master")
    third = code.commit(branch="side", message="x" * 100, third="").json["id"]
    cast.owner.post(f"{code.at}/tags", tag_name="v1", ref="side")
    cast.owner.delete(f"{code.at}/branches/side")
    cast.owner.delete(f"{code.at}/tags/v1")
    long = "x" * (MAX_TITLE_LENGTH - 3) + "..."
    assert pushes(code) == [
        ("pushed new", told(1, "created", None, first, "master", "First")),
        ("pushed to", told(1, "pushed", first, second, "master", "Second")),
        ("pushed new", told(0, "created", None, second, "side", None)),
        ("pushed to", told(1, "pushed", second, third, "side", long)),
        ("pushed new", told(1, "created", None, third, "v1", long, "tag")),
        ("deleted", told(0, "removed", third, None, "side", None)),
        ("deleted", told(0, "removed", third, None, "v1", None, "tag")),
    ]
