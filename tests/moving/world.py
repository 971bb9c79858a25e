"""A small world on a source, and what two instances show of it."""

import base64
import difflib
import json
import re
import subprocess
from hashlib import sha256
from typing import Any
from urllib.parse import quote
from urllib.request import Request, urlopen

from mujina.testing.client import Mujina, RequestRefused
from tests.harness.running import RunningServer

PEOPLE = ("anna", "ben")
PROJECT = "/projects/team%2Fapp"
DIFFERENT = re.compile(
    r"(?:^|_)(?:id|ids|url|url_to_repo|urls|links|subscribed|merge_status|relative_position|alert_status)$"
)
"""Keys whose values are those of one instance."""
LISTS = (
    "labels", "milestones", "issues?sort=asc", "merge_requests?sort=asc&state=all", "releases", "protected_branches",
    "protected_tags",
    "hooks", "members", "boards", "repository/branches", "repository/tags", "wikis?with_content=1", "variables", "snippets",
    "events?action=pushed&sort=asc",
)  # fmt: skip
GROUP_LISTS = ("labels", "variables", "epics", "epics/1/issues")
LFS_CONTENT = b"a large file\n" * 1000
PACKAGE = bytes(range(256)) * 100
PIXEL = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


def admin(server: RunningServer) -> Mujina:
    return Mujina(server.url, server.token)


def add_people(server: RunningServer, *usernames: str) -> None:
    for username in usernames:
        admin(server).request(
            "POST", "/users", username=username, name=username.title(), email=f"{username}@example.com",
            password="correct horse battery", skip_confirmation=True,
        )  # fmt: skip


class World:
    """The project team/app on a source, with one of everything that moves."""

    def __init__(self, server: RunningServer) -> None:
        self.server, self.instance = server, admin(server)
        add_people(server, *PEOPLE)
        people = {user["username"]: user["id"] for user in self.ask("GET", "/users?per_page=100")}
        self.tokens = {name: self._token(people[name]) for name in PEOPLE}
        self.group = self.ask("POST", "/groups", path="team", name="Team", visibility="internal")["id"]
        self.project = self.ask(
            "POST",
            "/projects",
            path="app",
            name="App",
            namespace_id=self.group,
            visibility="internal",
            description="It",
        )["id"]
        for name in PEOPLE:
            self.ask("POST", f"{PROJECT}/members", user_id=people[name], access_level=40)
        self.ask("POST", f"/groups/{self.group}/labels", name="from above", color="#112233")
        self.ask("POST", f"{PROJECT}/labels", name="bug", color="#ff0000", description="Broken", priority=2)
        self.milestone = self.ask("POST", f"{PROJECT}/milestones", title="1.0", due_date="2030-01-31")["id"]
        self._code()
        self._issues(people)
        self._merge_requests()
        self._rest()
        self._of_the_group()

    def ask(self, method: str, path: str, author: str | None = None, /, **params: Any) -> Any:
        token = self.tokens[author] if author else None
        return self.instance.request(method, path, token=token, **params)

    def _token(self, user_id: int) -> str:
        made = self.ask("POST", f"/users/{user_id}/impersonation_tokens", name="world", scopes=["api"])
        return made["token"]

    def commit(self, branch: str, path: str, content: str, action: str = "create", **start: str) -> None:
        actions = [{"action": action, "file_path": path, "content": content}]
        self.ask(
            "POST", f"{PROJECT}/repository/commits", "anna", branch=branch, commit_message=f"Write {path}",
            actions=actions, **start,
        )  # fmt: skip

    def _code(self) -> None:
        self.commit("master", "README.md", "one\ntwo\n")
        self.commit("topic", "README.md", "one\nTWO\n", "update", start_branch="master")
        self.commit("done", "done.md", "done\n", start_branch="master")
        self.ask("POST", f"{PROJECT}/repository/tags", tag_name="v1", ref="master")
        self.commit("master", "large.bin", store_lfs(self.server, "team/app"))

    def _issues(self, people: dict[str, int]) -> None:
        file = self.upload("notes.txt", b"some notes")
        issues = f"{PROJECT}/issues"
        self.ask(
            "POST", issues, "anna", title="It fails", description=f"- [x] see {file} and #2, says @ben", labels="bug,from above",
            assignee_ids=[people["ben"]], milestone_id=self.milestone, due_date="2030-01-15", weight=3,
        )  # fmt: skip
        self.ask("POST", issues, "ben", title="A secret", description="For @anna alone", confidential=True)
        self.ask("PUT", f"{issues}/2", "ben", state_event="close")
        note = self.ask("POST", f"{issues}/1/notes", "ben", body="Not for me :tada:")
        self.ask("POST", f"{issues}/1/notes/{note['id']}/award_emoji", "anna", name="thumbsup")
        thread = self.ask("POST", f"{issues}/1/discussions", "anna", body="Why?")
        self.ask("POST", f"{issues}/1/discussions/{thread['id']}/notes", "ben", body="Because.")
        self.ask("POST", f"{issues}/1/award_emoji", "ben", name="heart")
        self.ask("POST", f"{issues}/1/links", target_project_id=self.project, target_issue_iid=2)

    def upload(self, name: str, content: bytes) -> str:
        """The Markdown of an uploaded file."""
        made = self._send_file("POST", f"{PROJECT}/uploads", "file", name, content)
        return re.findall(r'"markdown":"([^"]+)"', made)[0]

    def _send_file(self, method: str, path: str, field: str, name: str, content: bytes) -> str:
        command = ["curl", "-sf", "-X", method, "-H", f"Private-Token: {self.server.token}"]
        command += ["-F", f"{field}=@-;filename={name}", f"{self.server.url}/api/v4{path}"]
        return subprocess.run(command, input=content, capture_output=True, check=True).stdout.decode()

    def _merge_requests(self) -> None:
        requests = f"{PROJECT}/merge_requests"
        branches = {"target_branch": "master", "title": "Shout"}
        made = self.ask("POST", requests, "anna", source_branch="topic", labels="bug", **branches)
        refs = self.ask("GET", f"{requests}/{made['iid']}")["diff_refs"]
        position = {**refs, "position_type": "text", "old_path": "README.md", "new_path": "README.md", "new_line": 2}
        thread = self.ask("POST", f"{requests}/1/discussions", "ben", body="So loud", position=position)
        self.ask("PUT", f"{requests}/1/discussions/{thread['id']}", "ben", resolved=True)
        self.ask("POST", f"{requests}/1/approve", "ben")
        self.ask("POST", requests, "ben", source_branch="done", target_branch="master", title="Done")
        self.ask("PUT", f"{requests}/2/merge", "anna", should_remove_source_branch=True)

    def _rest(self) -> None:
        link = {"name": "binary", "url": "https://example.com/app.tar.gz"}
        self.ask(
            "POST", f"{PROJECT}/releases", "anna", tag_name="v1", name="One", description="The first",
            assets={"links": [link]}, released_at="2020-02-02T00:00:00Z",
        )  # fmt: skip
        self.ask("POST", f"{PROJECT}/protected_branches", name="stable-*", push_access_level=0, merge_access_level=30)
        self.ask("POST", f"{PROJECT}/protected_tags", name="v*", create_access_level=40)
        self.ask("POST", f"{PROJECT}/hooks", url="https://hooks.example.com/x", issues_events=True)
        self.ask("POST", f"{PROJECT}/variables", key="DEPLOY_KEY", value="variable-secret")
        self.ask("POST", f"{PROJECT}/wikis", "anna", title="home", content="Welcome")
        board = self.ask("POST", f"{PROJECT}/boards", name="Work")["id"]
        label = next(each["id"] for each in self.ask("GET", f"{PROJECT}/labels") if each["name"] == "bug")
        self.ask("POST", f"{PROJECT}/boards/{board}/lists", label_id=label)
        files = [{"file_path": "a.py", "content": "a = 1\n"}, {"file_path": "docs/b.md", "content": "# B\n"}]
        made = self.ask("POST", f"{PROJECT}/snippets", "ben", title="Two files", visibility="internal", files=files)
        note = self.ask("POST", f"{PROJECT}/snippets/{made['id']}/notes", "anna", body="For @ben, see #1")
        self.ask("POST", f"{PROJECT}/snippets/{made['id']}/notes/{note['id']}/award_emoji", "ben", name="heart")
        self.ask("POST", f"{PROJECT}/snippets/{made['id']}/award_emoji", "anna", name="thumbsup")
        self._send_file("PUT", PROJECT, "avatar", "app.png", PIXEL)
        self._packages()

    def _packages(self) -> None:
        generic = f"{self.server.url}/api/v4{PROJECT}/packages/generic/tool/1.0/bin/tool.bin"
        curl = ["curl", "-sf", "-H", f"Private-Token: {self.server.token}"]
        for content in (b"first", PACKAGE):
            subprocess.run([*curl, "-T", "-", generic], input=content, check=True, capture_output=True)
        fields = {"name": "My.Tool", "version": "2.0", "requires_python": ">=3.11"}
        form = [part for name, value in fields.items() for part in ("--form-string", f"{name}={value}")]
        file = ["-F", "content=@-;filename=my_tool-2.0.tar.gz", f"{self.server.url}/api/v4{PROJECT}/packages/pypi"]
        subprocess.run([*curl, *form, *file], input=PACKAGE, check=True, capture_output=True)
        for version, tag in (("1.0.0", "latest"), ("2.0.0", "next")):
            manifest = {"name": "@team/tool", "version": version, "dependencies": {"left": "^1"}}
            self.ask(
                "PUT", f"{PROJECT}/packages/npm/@team%2Ftool", name="@team/tool", versions={version: manifest},
                _attachments={"tool.tgz": {"data": base64.b64encode(PACKAGE).decode()}}, **{"dist-tags": {tag: version}},
            )  # fmt: skip
        yanked = self.ask("GET", f"{PROJECT}/packages?package_type=pypi")[0]["id"]
        self.ask("POST", f"{PROJECT}/packages/{yanked}/yank", reason="It is broken")

    def _of_the_group(self) -> None:
        self.ask("POST", f"/groups/{self.group}/variables", key="OF_ALL", value="variable-secret")
        self._send_file("PUT", f"/groups/{self.group}", "avatar", "team.png", PIXEL)
        epics = f"/groups/{self.group}/epics"
        self.ask("POST", epics, title="Everything", description="See team/app#1", start_date="2030-01-01")
        for issue in self.ask("GET", f"{PROJECT}/issues?sort=desc"):
            self.ask("POST", f"{epics}/1/issues/{issue['id']}")
        said = f"/groups/{self.group}/-/epics/1"
        note = self.ask("POST", f"{said}/notes", "anna", body="As team/app#1 says, @ben")
        thread = self.ask("POST", f"{said}/discussions", "ben", body="When?")
        self.ask("POST", f"{said}/discussions/{thread['id']}/notes", "anna", body="Soon.")
        self.ask("POST", f"{said}/award_emoji", "ben", name="heart")
        self.ask("POST", f"{said}/notes/{note['id']}/award_emoji", "ben", name="thumbsup")


def pointer(oid: str, size: int) -> str:
    return f"version https://git-lfs.github.com/spec/v1\noid sha256:{oid}\nsize {size}\n"


def store_lfs(server: RunningServer, path: str) -> str:
    """Store the LFS object in the project; the text of its pointer."""
    oid, size = sha256(LFS_CONTENT).hexdigest(), len(LFS_CONTENT)
    url = f"{server.url}/{path}.git/gitlab-lfs/objects/{oid}/{size}"
    urlopen(Request(url, LFS_CONTENT, lfs_headers(server), method="PUT"), timeout=60).close()
    return pointer(oid, size)


def lfs_headers(server: RunningServer) -> dict[str, str]:
    login = base64.b64encode(f"root:{server.token}".encode()).decode()
    return {"Authorization": f"Basic {login}", "Content-Type": "application/octet-stream"}


def shown(server: RunningServer, project: str = PROJECT) -> dict[str, Any]:
    """Everything that the API shows of the project, without what belongs to one instance."""
    instance = admin(server)

    def ask(path: str, below: str = project) -> Any:
        try:
            return instance.request("GET", f"{below}/{path}{'&' if '?' in path else '?'}per_page=100")
        except RequestRefused as error:
            return error.status

    found = {name: ask(name) for name in LISTS}
    for snippet in found["snippets"]:
        said = f"snippets/{snippet['id']}"
        discussions = found[f"{snippet['title']} discussions"] = ask(f"{said}/discussions")
        paths = [said, *(f"{said}/notes/{note['id']}" for each in discussions for note in each["notes"])]
        found[f"{snippet['title']} awards"] = [ask(f"{path}/award_emoji") for path in paths]
        for file in snippet["files"]:
            path = f"snippets/{snippet['id']}/files/main/{quote(file['path'], safe='')}/raw"
            found[f"{snippet['title']} {file['path']}"] = read(server, f"{server.url}/api/v4{project}/{path}")
    found |= shown_packages(server, project)
    group = project.rpartition("%2F")[0].replace("/projects/", "/groups/")
    lfs = f"{project.rpartition('/')[2].replace('%2F', '/')}.git/gitlab-lfs/objects/{sha256(LFS_CONTENT).hexdigest()}"
    found["LFS object"] = read(server, f"{server.url}/{lfs}", lfs_headers(server))
    found |= {f"{group} {name}": ask(name, group) for name in GROUP_LISTS}
    if found[f"{group} epics"]:
        discussions = found[f"{group} epic discussions"] = ask("-/epics/1/discussions", group)
        notes = [f"notes/{note['id']}/" for each in discussions for note in each["notes"]]
        found[f"{group} epic awards"] = [ask(f"-/epics/1/{said}award_emoji", group) for said in ("", *notes)]
    for owner in (project, group):
        url = instance.request("GET", owner)["avatar_url"]
        found[f"{owner} avatar"] = url and read(server, url)
    for noun in ("issues", "merge_requests"):
        for each in found[f"{noun}?sort=asc" + ("&state=all" if noun == "merge_requests" else "")]:
            path = f"{noun}/{each['iid']}"
            discussions = found[f"{path}/discussions"] = ask(f"{path}/discussions")
            found |= {f"{path}/{rest}": ask(f"{path}/{rest}") for rest in ("award_emoji", "participants")}
            for note in [note for discussion in discussions for note in discussion["notes"]]:
                found.setdefault(f"{path}/notes awards", []).extend(ask(f"{path}/notes/{note['id']}/award_emoji"))
            if noun == "merge_requests":
                parts = ("versions", "changes", "commits", "approvals")
                found |= {f"{path}/{rest}": ask(f"{path}/{rest}") for rest in parts}
            else:
                found[f"{path}/links"] = ask(f"{path}/links")
    return {name: comparable(value) for name, value in found.items()}


def shown_packages(server: RunningServer, project: str) -> dict[str, Any]:
    """The packages as programs see them, but for the older of two files of one name, which nobody can download."""
    instance, found = admin(server), dict[str, Any]()
    for package in instance.request("GET", f"{project}/packages?per_page=100"):
        del package["last_downloaded_at"]  # a move downloads it
        name = f"{package['name']} {package['version']}"
        files = instance.request("GET", f"{project}/packages/{package['id']}/package_files?per_page=100")
        newest = {file["file_name"]: file for file in files}
        found[name] = {**package, "files": [{**file, "file": ""} for file in newest.values()]}
        found[f"{name} content"] = [read(server, file["file"]["url"]) for file in newest.values()]
        if package["package_type"] == "npm":
            packument = instance.request("GET", f"{project}/packages/npm/@team%2Ftool")
            found[f"{name} manifests"] = [
                {**each, "dist": {**each["dist"], "tarball": ""}} for each in packument["versions"].values()
            ]
            found[f"{name} tags"] = [packument["dist-tags"], {**packument["time"], "modified": ""}]
        elif package["package_type"] == "pypi":
            page = read(server, f"{server.url}/api/v4{project}/packages/pypi/simple/{package['name']}")
            found[f"{name} index"] = re.sub(r'href="[^"#]*', 'href="', page)
    return found


def read(server: RunningServer, url: str, headers: dict[str, str] | None = None) -> str:
    """What is at an address, as text."""
    with urlopen(Request(url, headers=headers or {"Private-Token": server.token}), timeout=60) as answer:
        return answer.read().decode("latin-1")


def comparable(value: Any) -> Any:
    """The value without ids and addresses; secrets of files are replaced."""
    if isinstance(value, list):
        return [comparable(each) for each in value]
    if isinstance(value, dict):
        return {name: comparable(each) for name, each in value.items() if not DIFFERENT.search(name)}
    if isinstance(value, str):
        return re.sub(r"/uploads/[0-9a-f]{32}/", "/uploads/SECRET/", value)
    return value


def refs(server: RunningServer, path: str = "team/app") -> str:
    """What `git ls-remote` shows."""
    basic = base64.b64encode(f"root:{server.token}".encode()).decode()
    command = ["git", "-c", f"http.extraHeader=Authorization: Basic {basic}", "ls-remote", f"{server.url}/{path}.git"]
    return subprocess.run(command, capture_output=True, check=True, timeout=60).stdout.decode()


def differences(one: Any, other: Any) -> list[str]:
    """The lines by which the JSON of two values differs."""
    texts = [json.dumps(value, indent=1, sort_keys=True).splitlines() for value in (one, other)]
    return list(difflib.unified_diff(*texts, lineterm="", n=4))
