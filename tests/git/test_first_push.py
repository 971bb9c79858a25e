"""A push to a project that is not there: made where one may create projects, and told like anything else where not."""

import json
import subprocess
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.git import wire
from tests.git.forge import on_sqlite
from tests.git.wire import ZERO

TEAM = "company/department/team"
NOT_FOUND = "The project you were looking for could not be found."


@pytest.fixture
def copy(forge):
    """A working copy with something in it."""
    copy = forge.copy()
    copy.commit("Begin", README="hello\n")
    return copy


@pytest.fixture(scope="module")
def by_ssh(forge):
    """Addresses over SSH, and the environment in which git goes there as the owner."""
    key = forge.folder / "key-owner"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", str(key)], check=True)
    forge.api("POST", "/user/keys", "owner", title="x", key=key.with_suffix(".pub").read_text())
    options = "-o BatchMode=yes -o StrictHostKeyChecking=no -o LogLevel=ERROR -o UserKnownHostsFile=/dev/null"
    base = forge.project("reached")["ssh_url_to_repo"].removesuffix(f"{TEAM}/reached.git")
    return base, {"GIT_SSH_COMMAND": f"ssh -F /dev/null -i {key} {options}"}


def found(forge, path, who="root"):
    """The project at this path as somebody sees it; None if there is none."""
    encoded = path.replace("/", "%2F")
    answer = forge.ask("GET", f"/api/v4/projects/{encoded}", headers={"Private-Token": forge.token(who)})
    return json.loads(answer.body) if answer.status == 200 else None


def asked(forge, path, who, service="git-receive-pack", password=None):
    """What git is answered when it asks what there is to push to, or to fetch."""
    headers = forge.basic(who, password) if who else {}
    return forge.ask("GET", f"/{path}.git/info/refs?service={service}", headers=headers)


def remotely(said):
    """What the server had to say, as git shows it."""
    lines = [line for line in said.text.splitlines() if line.startswith("remote:")]
    return "\n".join(line.removeprefix("remote:").removeprefix(" ").rstrip() for line in lines).strip()


def test_the_project_is_made_private_and_told_of(forge, copy):
    said = copy.git("push", forge.url("stranger/New.Project.git", "stranger"), "HEAD:trunk")
    assert said.ok, said.text
    assert remotely(said) == "\n".join([
        "The private project stranger/New.Project was created.", "", "To configure the remote, run:",
        f"  git remote add origin {forge.server.url}/stranger/New.Project.git", "", "To view the project, visit:",
        f"  {forge.server.url}/stranger/New.Project",
    ])  # fmt: skip
    made = found(forge, "stranger/New.Project", "stranger")
    assert (made["name"], made["path"], made["visibility"]) == ("New.Project", "New.Project", "private")
    assert (made["default_branch"], made["creator_id"]) == ("trunk", forge.stage.roster.people["stranger"][0])
    kinds = "SELECT e.kind FROM events e WHERE e.project_id = :id ORDER BY e.id"
    assert forge.values(kinds, id=made["id"]) == ["project.created", "protected_branch.created", "repository.pushed"]
    again = copy.git("push", forge.url("stranger/new.project.git", "stranger"), "HEAD:other")
    assert (again.ok, "was created" in remotely(again)) == (True, False)


@on_sqlite
def test_a_first_push_over_ssh_creates_a_project_with_large_files(forge, copy, by_ssh):
    base, as_owner = by_ssh
    copy.do("lfs", "install", "--local")
    copy.do("lfs", "track", "*.bin")
    copy.commit("Large", **{"large.bin": "large " * 100, ".gitattributes": "*.bin filter=lfs diff=lfs merge=lfs\n"})
    copy.do("remote", "add", "origin", f"{base}{TEAM}/tunnelled.git")
    assert not copy.git("lfs", "push", "--all", "origin", env=as_owner).ok
    assert found(forge, f"{TEAM}/tunnelled") is None, "large files alone are no push"
    said = copy.git("push", "origin", "master", env=as_owner)
    assert said.ok, said.text
    assert f"The private project {TEAM}/tunnelled was created." in said
    assert f"remote:   git remote add origin {base}{TEAM}/tunnelled.git" in said
    topic = copy.git("push", "origin", "master:topic", env=as_owner)
    assert f"{TEAM}/tunnelled/merge_requests/new?merge_request%5Bsource_branch%5D=topic" in topic
    made = found(forge, f"{TEAM}/tunnelled")
    held = "SELECT count(*) FROM lfs_links k WHERE k.project_id = :id"
    assert forge.values(held, id=made["id"]) == [1]
    assert NOT_FOUND in copy.git("fetch", f"{base}{TEAM}/nowhere.git", env=as_owner)
    assert NOT_FOUND in copy.git("push", f"{base}{TEAM}/nowhere.wiki.git", "master", env=as_owner)
    assert NOT_FOUND in copy.git("push", f"{base}stranger/nowhere.git", "master", env=as_owner)
    assert found(forge, f"{TEAM}/nowhere") is None


@on_sqlite
@pytest.mark.parametrize(
    ("who", "path"),
    [
        ("developer", f"{TEAM}/x"),  # only masters create here
        ("shared", f"{TEAM}/x"),
        ("stranger", "owner/x"),  # another person's
        ("owner", "company/x"),  # above their own group
        ("owner", "nowhere/x"),
        ("owner", "x"),
        ("owner", f"{TEAM}/wikis"),  # reserved
        ("owner", f"{TEAM}/-x"),
        ("owner", f"{TEAM}/a b"),
        ("owner", f"{TEAM}/{'x' * 256}"),
        ("root", "company/department"),  # a group has it
        ("root", f"{TEAM}/private/x"),  # a project is no namespace
        ("external", "external/x"),  # may have no projects
        ("stranger", f"{TEAM}/private"),  # is there, and not for them to see
    ],
)
def test_a_first_push_without_permission_to_create_finds_no_project(forge, who, path):
    before = forge.values("SELECT count(*) FROM projects")
    escaped = path.replace(" ", "%20")
    answer = asked(forge, escaped, who)
    assert (answer.status, answer.text) == (404, NOT_FOUND)
    pushed = forge.ask(
        "POST", f"/{escaped}.git/git-receive-pack", b"0000", {**forge.basic(who), "Content-Type": wire.TYPE}
    )
    assert (pushed.status, pushed.text) == (404, NOT_FOUND)
    assert forge.values("SELECT count(*) FROM projects") == before


def test_only_pushes_make_projects_and_only_those_of_people_who_may_write(forge):
    path = "stranger/unborn"
    assert asked(forge, path, "stranger", "git-upload-pack").text == NOT_FOUND
    assert asked(forge, f"{path}.wiki", "stranger").text == NOT_FOUND
    anonymous = asked(forge, path, None)
    assert (anonymous.status, anonymous.headers["WWW-Authenticate"]) == (401, 'Basic realm="Mujina"')
    tokens = f"/users/{forge.stage.roster.people['stranger'][0]}/impersonation_tokens"
    reading = forge.api("POST", tokens, name="reads", scopes=["api"])
    forge.values("UPDATE access_tokens SET scopes = 'read_repository' WHERE id = :id", id=reading["id"])
    answer = asked(forge, path, "stranger", password=reading["token"])
    assert (answer.status, answer.text) == (404, NOT_FOUND)
    batch = json.dumps({"operation": "upload", "objects": [{"oid": "0" * 64, "size": 1}]}).encode()
    assert forge.ask("POST", f"/{path}.git/info/lfs/objects/batch", batch, forge.basic("stranger")).status == 404
    forge.api("PUT", "/application/settings", enabled_git_access_protocol="ssh")
    assert asked(forge, path, "stranger").text == "Git access over HTTP is not allowed"
    forge.api("PUT", "/application/settings", enabled_git_access_protocol="")
    forge.api("PUT", f"/users/{forge.stage.roster.people['guest'][0]}", projects_limit=0)
    assert asked(forge, "guest/unborn", "guest").text == NOT_FOUND
    assert asked(forge, "blocked/unborn", "blocked").text == "Your account has been blocked."
    assert forge.values("SELECT p.id FROM projects p WHERE p.path = 'unborn'") == []


def test_a_project_that_moved_away_is_pushed_to_where_it_is(forge, copy):
    moved = forge.project("left-here")
    forge.api("PUT", f"/projects/{moved['id']}", path="went-there")
    said = copy.git("push", forge.url(f"{TEAM}/left-here.git", "owner"), "master")
    assert (said.ok, remotely(said)) == (True, "")
    assert len(forge.events(moved)) == 1
    assert asked(forge, f"{TEAM}/left-here", "stranger").text == NOT_FOUND


def test_a_push_to_a_former_path_creates_a_project_for_users_who_cannot_push_to_the_old_one(forge, copy):
    moved = forge.project("transferred")
    hidden = forge.api("POST", "/groups", name="hidden", path="hidden", visibility="private")
    forge.api("POST", f"/groups/{hidden['id']}/projects/{moved['id']}")
    path = f"{TEAM}/transferred"
    assert asked(forge, path, "master", "git-upload-pack").status == 200, "members follow the redirect"
    assert asked(forge, path, "developer").status == 200
    assert asked(forge, path, "reporter").text == "You are not allowed to push code to this project."
    assert asked(forge, path, "stranger").text == NOT_FOUND
    assert f"The private project {path} was created." in copy.git("push", forge.url(f"{path}.git", "owner"), "master")
    made = found(forge, path)
    assert made["id"] != moved["id"]
    assert (len(forge.events(made)), len(forge.events(moved))) == (1, 0)
    assert asked(forge, path, "developer", "git-upload-pack").text == NOT_FOUND, "the redirect has ended"


def test_redirects_below_a_name_end_when_another_user_takes_it(forge, copy):
    def user(name):
        return forge.api("POST", "/users", name=name, username=name, email=f"{name}-{forge.copies}@example.org",
                         password="horse-battery", skip_confirmation=True)  # fmt: skip

    first = user("passing")
    project = forge.api("POST", f"/projects/user/{first['id']}", name="notes")
    assert copy.git("push", forge.url("passing/notes.git", "root"), "master").ok
    forge.api("PUT", f"/users/{first['id']}", username="passed")
    login = forge.basic("passed", "horse-battery")
    refs = "/passing/notes.git/info/refs?service=git-upload-pack"
    assert forge.ask("GET", refs, headers=login).status == 200
    forge.copies += 1
    user("passing")
    assert forge.ask("GET", refs, headers=login).text == NOT_FOUND
    said = copy.git("push", forge.url("passing/notes.git", "passing", "horse-battery"), "master")
    assert "The private project passing/notes was created." in said
    assert found(forge, "passing/notes")["id"] != project["id"]
    assert found(forge, "passed/notes")["id"] == project["id"]


def test_a_push_that_is_refused_or_cut_leaves_the_project_empty_and_the_next_one_tells(forge, copy):
    url = forge.url("stranger/second-try.git", "stranger")
    said = copy.git("push", url, "HEAD:refs/odd/name")
    assert "You can only push branches, tags and notes." in said
    made = found(forge, "stranger/second-try", "stranger")
    assert made["default_branch"] is None
    tip = copy.do("rev-parse", "HEAD")
    wire.push_half(forge, made, "stranger", wire.request(f"{ZERO} {tip} refs/heads/x", pack=wire.pack_of(copy, tip)))
    assert "The private project stranger/second-try was created." in copy.git("push", url, "master")
    assert forge.events(made) == [{"refs/heads/master": [ZERO, tip]}]
    asked_for = forge.api("POST", "/projects", "stranger", name="asked-for")
    said = copy.git("push", forge.url(f"{asked_for['path_with_namespace']}.git", "stranger"), "master")
    assert (said.ok, remotely(said)) == (True, "")


def test_the_creator_is_told_though_another_person_pushed_before(forge, copy):
    path = f"{TEAM}/overtaken"
    assert asked(forge, path, "owner").status == 200
    said = copy.git("push", forge.url(f"{path}.git", "root"), "HEAD:theirs")
    assert (said.ok, remotely(said)) == (True, "")
    assert found(forge, path)["default_branch"] == "theirs"
    assert f"The private project {path} was created." in copy.git("push", forge.url(f"{path}.git", "owner"), "HEAD:a")
    said = copy.git("push", forge.url(f"{path}.git", "owner"), "HEAD:b")
    assert (said.ok, "was created" in remotely(said)) == (True, False)


def test_first_pushes_at_once_create_one_project(forge, copy):
    def push(number):
        who = ("owner", "root")[number % 2]
        return copy.git("push", forge.url(f"{TEAM}/contested.git", who), f"HEAD:branch-{number}")

    with ThreadPoolExecutor(6) as crowd:
        said = list(crowd.map(push, range(6)))
    assert [each.text for each in said if not each.ok] == []
    made = found(forge, f"{TEAM}/contested")
    assert sorted(forge.refs(made)) == [f"refs/heads/branch-{number}" for number in range(6)]
    paths = "SELECT count(*) FROM projects p WHERE p.path = 'contested'"
    assert forge.values(paths) == [1]
    [creator] = forge.values("SELECT p.creator_id FROM projects p WHERE p.id = :id", id=made["id"])
    told = {("owner", "root")[number % 2] for number, each in enumerate(said) if "was created" in each}
    assert {forge.stage.roster.people[who][0] for who in told} == {creator}
