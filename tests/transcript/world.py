"""The people, groups, projects and objects that every other request points at, made through the API and by git."""

import os
import subprocess
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from tests.harness.public_keys import gpg_key, ssh_key
from tests.transcript.recorder import Recorder
from tests.transcript.server import PASSWORD, TOKEN

PEOPLE = (
    "owner", "master", "developer", "reporter", "guest", "stranger", "blocked", "external", "inherited", "shared",
    "left", "read_user", "spare", "applicant", "candidate", "removable",
)  # fmt: skip
LEVELS = {"master": 40, "developer": 30, "reporter": 20, "guest": 10, "blocked": 30, "left": 30, "read_user": 30}
VISIBILITIES = ("private", "internal", "public")
TEAM = "company-group/department-group/team-group"


@dataclass
class World:
    """What stands at each capture of a path, by the shape of the path up to it: `/projects/:/issues/:` → 1."""

    people: dict[str, int] = field(default_factory=lambda: {"root": 1})
    groups: dict[str, int] = field(default_factory=dict[str, int])
    projects: dict[str, int] = field(default_factory=dict[str, int])
    commits: list[str] = field(default_factory=list[str])
    blob: str = ""
    spares: dict[str, Any] = field(default_factory=dict[str, Any])
    """What is removed or used up, so that what stands remains."""
    standing: dict[str, Any] = field(default_factory=dict[str, Any])


def build_world(recorder: Recorder, folder: Path) -> World:
    world = World()
    recorder.tokens |= {"root": TOKEN, "anonymous": ""}
    recorder.normalizer.name(TOKEN, 0)
    _people(recorder, world)
    _groups(recorder, world)
    for visibility in VISIBILITIES:
        _project(recorder, world, visibility)
    for name in ("spare", "doomed", "other"):
        made = {"name": name, "path": name, "namespace_id": world.groups["spare"], "visibility": "public"}
        world.projects[name] = recorder.made("root", "POST /projects", made)["id"]
    recorder.made("root", f"POST /users/{world.people['blocked']}/block")
    _push(recorder, world, folder)
    source = f"{recorder.url}/{TEAM}/public.git"
    mirror = {"name": "mirrored", "import_url": source, "mirror": True, "visibility": "public"}
    world.projects["mirrored"] = recorder.made("root", "POST /projects", mirror)["id"]
    for visibility in reversed(VISIBILITIES):
        _around_project(recorder, world, visibility)  # what stands in the private project is what remains
    _around_people(recorder, world)
    return world


def _people(recorder: Recorder, world: World) -> None:
    for name in PEOPLE:
        person = {
            "email": f"{name}@example.org", "username": name, "name": name.capitalize(), "password": PASSWORD,
            "skip_confirmation": True, "external": name == "external",
        }  # fmt: skip
        world.people[name] = id = recorder.made("root", "POST /users", person)["id"]
        token = {"name": "transcript", "scopes": ["read_user"] if name == "read_user" else ["api"]}
        recorder.tokens[name] = recorder.made("root", f"POST /users/{id}/impersonation_tokens", token)["token"]


def _groups(recorder: Recorder, world: World) -> None:
    parents = {
        "company": None,
        "department": "company",
        "team": "department",
        "guild": None,
        "spare": None,
        "doomed": None,
    }
    for name, parent in parents.items():
        group = {
            "name": name.capitalize(),
            "path": f"{name}-group",
            "visibility": "public",
            "request_access_enabled": True,
        }
        group |= {"parent_id": world.groups[parent]} if parent else {}
        world.groups[name] = recorder.made("root", "POST /groups", group)["id"]
    members = [("team", "owner", 50), ("company", "inherited", 30), ("guild", "shared", 40), ("spare", "owner", 50),
               ("team", "removable", 10)]  # fmt: skip
    for group, person, level in members:
        member = {"user_id": world.people[person], "access_level": level}
        recorder.made("root", f"POST /groups/{world.groups[group]}/members", member)


def _project(recorder: Recorder, world: World, visibility: str) -> None:
    project = {"name": visibility.capitalize(), "path": visibility, "visibility": visibility,
               "namespace_id": world.groups["team"], "tag_list": ["alpha", "beta"], "description": "A *project*.",
               "request_access_enabled": True}  # fmt: skip
    id = world.projects[visibility] = recorder.made("root", "POST /projects", project)["id"]
    for person, level in {**LEVELS, "removable": 20}.items():
        member = {"user_id": world.people[person], "access_level": level}
        recorder.made("owner", f"POST /projects/{id}/members", member)
    share = {"group_id": world.groups["guild"], "group_access": 20}
    recorder.made("owner", f"POST /projects/{id}/share", share)


def _push(recorder: Recorder, world: World, folder: Path) -> None:
    """A history with fixed dates, so that every hash is the same in every recording."""
    environment = _git_environment(folder)
    copy = folder / "copy"
    copy.mkdir()

    def git(*arguments: str) -> str:
        return _local_git(["git", *arguments], copy, environment)

    git("init", "--quiet", "--initial-branch=master")
    for number in range(12):
        day = f"2017-03-{number + 1:02}T10:00:00+00:00"
        environment |= {"GIT_AUTHOR_DATE": day, "GIT_COMMITTER_DATE": day}
        _files(copy, number)
        git("add", "--all")
        git("commit", "--quiet", "--message", f"Commit {number}\n\nThe body of the message, see #{number % 3 + 1}.")
        if number == 8:
            git("branch", "feature/one")
    git("branch", "merged")
    git("checkout", "--quiet", "feature/one")
    (copy / "feature.txt").write_text("A feature\n")
    git("add", "--all")
    git("commit", "--quiet", "--message", "Add a feature")
    git("tag", "v0.1", "feature/one")
    git("tag", "--annotate", "v1.0", "--message", "The first release", "master")
    world.commits = git("rev-list", "master").split()
    world.blob = git("rev-parse", "master:README.md")
    objects = git("rev-list", "--objects", "--all").splitlines() + git("rev-parse", "v1.0").splitlines()
    recorder.normalizer.keep(*(line.split()[0] for line in objects), "0" * 40, world.blob)
    for visibility in (*VISIBILITIES, "spare", "doomed"):
        group = "spare-group" if visibility in {"spare", "doomed"} else TEAM
        address = f"{recorder.url.replace('//', f'//root:{TOKEN}@')}/{group}/{visibility}.git"
        recorder.run(["git", "push", "--all", address], copy, environment)
        recorder.run(["git", "push", "--tags", address], copy, environment)
    for person in ("guest", "stranger"):
        address = recorder.url.replace("//", f"//{person}:{recorder.tokens[person]}@")
        for visibility in ("private", "public"):
            path = f"{address}/{TEAM}/{visibility}.git"
            recorder.run(["git", "ls-remote", path], copy, environment)
            recorder.run(["git", "push", path, "master:refs/heads/refused"], copy, environment)


def _local_git(command: list[str], folder: Path, environment: dict[str, str]) -> str:
    """Git on this side; nothing of it is recorded."""
    return subprocess.run(
        command, cwd=folder, env=environment, check=True, stdout=subprocess.PIPE, text=True
    ).stdout.strip()


def _git_environment(folder: Path) -> dict[str, str]:
    person = {"NAME": "Ada", "EMAIL": "developer@example.org"}
    identity = {f"GIT_{role}_{key}": value for role in ("AUTHOR", "COMMITTER") for key, value in person.items()}
    return {
        "PATH": os.environ["PATH"], "HOME": str(folder), "GIT_CONFIG_NOSYSTEM": "1", "GIT_CONFIG_GLOBAL": "/dev/null",
        "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C.UTF-8", **identity,
    }  # fmt: skip


def _files(copy: Path, number: int) -> None:
    (copy / "source").mkdir(exist_ok=True)
    (copy / "README.md").write_text(f"# Readme\n\nEdition {number}.\n")
    (copy / "source" / f"part_{number}.py").write_text(f'"""Part {number}."""\n\nprint("part", {number})\n')
    (copy / "source" / "numbers.txt").write_text("".join(f"{n}\n" for n in range(number * 3)))
    (copy / "binary.bin").write_bytes(bytes(range(256)))


def _around_project(recorder: Recorder, world: World, visibility: str) -> None:
    id, stands = world.projects[visibility], world.standing
    at = f"/projects/{id}"

    def make(caller: str, path: str, shape: str = "", named_by: str = "id", /, **params: Any) -> Any:
        made = recorder.made(caller, f"POST {at}{path}", params)
        if shape:
            stands[f"/projects/:{shape}"] = made[named_by]
        return made

    label = make("reporter", "/labels", "/labels/:", name="bug", color="#FF0000", description="A fault")["id"]
    world.spares["label"] = make("reporter", "/labels", name="idea", color="#00FF00", priority=1)["id"]
    other = make("reporter", "/labels", name="later", color="#0000FF")["id"]
    milestone = make("developer", "/milestones", "/milestones/:", title="First", due_date="2030-01-02")["id"]
    make("developer", "/milestones", title="Second", start_date="2030-02-02", description="A **plan**")
    for number in range(8):
        make(
            ("reporter", "developer", "guest", "left")[number % 4], "/issues", title=f"Issue {number} of {visibility}",
            description=f"See #{max(number, 1)} and @reporter.\n\n- [ ] a task\n- [x] a done one",
            labels="bug,idea" if number % 2 else "later", created_at=f"2017-05-{number + 1:02}T12:00:00Z",
            confidential=number == 3,
        )  # fmt: skip
    recorder.made("developer", f"PUT {at}/issues/1", {"assignee_ids": [world.people["master"]], "milestone_id": milestone,
                                                     "due_date": "2030-03-04", "weight": 3})  # fmt: skip
    recorder.made("developer", f"PUT {at}/issues/5", {"state_event": "close"})
    stands["/projects/:/issues/:"] = 1
    make("reporter", "/issues/1/notes", "/issues/:/notes/:", body="A note for @developer about #2 :tada:")
    make("guest", "/issues/1/notes", body="Another note\n\n/estimate 3h")
    thread = make("reporter", "/issues/1/discussions", "/issues/:/discussions/:", body="A question")
    recorder.normalizer.name(thread["id"], recorder.number)
    make(
        "developer", f"/issues/1/discussions/{thread['id']}/notes", "/issues/:/discussions/:/notes/:", body="An answer"
    )
    make("developer", "/issues/1/award_emoji", "/issues/:/award_emoji/:", name="thumbsup")
    note = stands["/projects/:/issues/:/notes/:"]
    make("developer", f"/issues/1/notes/{note}/award_emoji", "/issues/:/notes/:/award_emoji/:", name="tada")
    make("reporter", "/issues/1/links", target_project_id=id, target_issue_iid=2)
    links = recorder.made("reporter", f"GET {at}/issues/1/links")
    stands["/projects/:/issues/:/links/:"] = links[0]["issue_link_id"]
    make("reporter", "/issues/1/todo")
    make("reporter", "/issues/1/time_estimate", duration="2h")
    make("reporter", "/issues/1/add_spent_time", duration="30m")
    board = make("master", "/boards", "/boards/:", name="A board")["id"]
    make("master", f"/boards/{board}/lists", "/boards/:/lists/:", label_id=label)
    make("master", f"/boards/{board}/lists", label_id=other)
    _snippets_and_wiki(recorder, world, make)
    make("master", "/deploy_keys", "/deploy_keys/:", title="Deploy", key=ssh_key(f"deploy {visibility}"))
    make("master", "/protected_branches", "/protected_branches/:", "name", name="stable")
    make("developer", f"/statuses/{world.commits[0]}", state="success", name="build")
    make("reporter", f"/repository/commits/{world.commits[0]}/comments", note="A comment", path="README.md", line=1,
         line_type="new")  # fmt: skip
    make("master", "/repository/tags/v1.0/release", description="What is new")
    recorder.made("root", f"PUT {at}/custom_attributes/color", {"value": visibility})
    for person in ("applicant", "candidate"):
        recorder.ask(person, f"POST {at}/access_requests")
    recorder.made("stranger" if visibility == "public" else "guest", f"POST {at}/star")


def _snippets_and_wiki(recorder: Recorder, world: World, make: Any) -> None:
    snippet = make("reporter", "/snippets", "/snippets/:", title="A snippet", file_name="a.py", code="print(1)",
                   visibility="private")["id"]  # fmt: skip
    note = make("reporter", f"/snippets/{snippet}/notes", "/snippets/:/notes/:", body="About the snippet")["id"]
    make(
        "developer", f"/snippets/{snippet}/notes/{note}/award_emoji", "/snippets/:/notes/:/award_emoji/:", name="heart"
    )
    make("developer", f"/snippets/{snippet}/award_emoji", "/snippets/:/award_emoji/:", name="heart")
    thread = make("reporter", f"/snippets/{snippet}/discussions", "/snippets/:/discussions/:", body="A question")["id"]
    recorder.normalizer.name(thread, recorder.number)
    make(
        "developer",
        f"/snippets/{snippet}/discussions/{thread}/notes",
        "/snippets/:/discussions/:/notes/:",
        body="Answer",
    )
    make("developer", "/wikis", "/wikis/:", "slug", title="home", content="# Home\n\n[[other page]]")
    world.spares["page"] = make("developer", "/wikis", title="Other page", content="Text")["slug"]


def _around_people(recorder: Recorder, world: World) -> None:
    stands, reporter, team = world.standing, world.people["reporter"], world.groups["team"]

    def make(caller: str, path: str, shape: str, /, **params: Any) -> Any:
        made = recorder.made(caller, f"POST {path}", params)
        stands[shape] = made["id"]
        return made

    make("root", "/broadcast_messages", "/broadcast_messages/:", message="Maintenance", starts_at="2017-01-01T00:00:00Z",
         ends_at="2999-01-01T00:00:00Z")  # fmt: skip
    make("reporter", "/user/keys", "/user/keys/:", title="A key", key=ssh_key("one"))
    make("reporter", "/user/gpg_keys", "/user/gpg_keys/:", key=gpg_key("one"))
    make("reporter", "/user/emails", "/user/emails/:", email="further@example.org")
    make("root", f"/users/{reporter}/keys", "/users/:/keys/:", title="A key", key=ssh_key("two"))
    make("root", f"/users/{reporter}/gpg_keys", "/users/:/gpg_keys/:", key=gpg_key("two"))
    world.spares["key"] = recorder.made("reporter", "POST /user/gpg_keys", {"key": gpg_key("four")})["id"]
    other = recorder.made("root", f"POST /users/{reporter}/gpg_keys", {"key": gpg_key("five")})
    world.spares["key of a user"] = other["id"]
    email = {"email": "another@example.org", "skip_confirmation": True}
    make("root", f"/users/{reporter}/emails", "/users/:/emails/:", **email)
    token = {"name": "A token", "scopes": ["api"], "expires_at": "2999-12-31"}
    make("root", f"/users/{reporter}/impersonation_tokens", "/users/:/impersonation_tokens/:", **token)
    make("root", f"/users/{reporter}/personal_access_tokens", "/personal_access_tokens/:", **token)  # 1 is that of root
    make("owner", f"/groups/{team}/labels", "/groups/:/labels/:", name="group label", color="#123456")
    recorder.made("owner", f"POST /groups/{team}/labels", {"name": "spare label", "color": "#654321"})
    make(
        "owner", f"/groups/{team}/milestones", "/groups/:/milestones/:", title="Group milestone", due_date="2030-05-06"
    )
    for number, visibility in enumerate(VISIBILITIES):
        snippet = {"title": f"Snippet {number}", "file_name": "b.rb", "content": "puts 1", "visibility": visibility}
        make("reporter", "/snippets", "/snippets/:", **snippet)
    for path in (f"/users/{reporter}", f"/groups/{team}"):
        recorder.made("root", f"PUT {path}/custom_attributes/color", {"value": "red"})
    recorder.made("root", "POST /features/new_feature", {"value": "true"})
    for person in ("applicant", "candidate"):
        recorder.ask(person, f"POST /groups/{team}/access_requests")
    todos = recorder.made("developer", "GET /todos")
    people = {"/users/:": reporter, "/groups/:": team, "/namespaces/:": team, "/groups/:/members/:": world.people["removable"],
              "/projects/:/members/:": world.people["removable"], "/groups/:/members/all/:": world.people["inherited"],
              "/projects/:/members/all/:": world.people["inherited"], "/keys/:": stands["/user/keys/:"],
              "/groups/:/access_requests/:": world.people["applicant"],
              "/projects/:/access_requests/:": world.people["applicant"], "/projects/user/:": reporter,
              "/todos/:": todos[0]["id"] if todos else 1}  # fmt: skip
    world.standing |= people
    fixed = {"/features/:": "new_feature", "/projects/:/share/:": world.groups["guild"],
             "/groups/:/projects/:": world.projects["other"],
             "/projects/:/fork/:": world.projects["other"], "/projects/:": world.projects["private"]}  # fmt: skip
    world.standing |= fixed | {f"/{noun}/:/custom_attributes/:": "color" for noun in ("users", "groups", "projects")}
    _around_repository(world)


def _around_repository(world: World) -> None:
    at = "/projects/:/repository"
    world.standing |= {
        f"{at}/branches/:": "feature%2Fone", f"{at}/tags/:": "v1.0", f"{at}/commits/:": world.commits[2],
        f"{at}/blobs/:": world.blob, f"{at}/files/:": "source%2Fpart_3.py", f"{at}/:": "archive.zip",
        "/projects/:/statuses/:": world.commits[0],
    }  # fmt: skip
