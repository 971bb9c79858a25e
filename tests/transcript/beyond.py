"""What is not described by the OpenAPI document: pages, uploads, large files, git over HTTP, health, odd requests."""

import json
import re
from hashlib import sha256
from typing import Any
from urllib.parse import urlencode

from tests.transcript.recorder import Answer, Recorder
from tests.transcript.server import PASSWORD
from tests.transcript.world import TEAM, World

PIXEL = bytes.fromhex(
    "89504e470d0a1a0a0000000d49484452000000010000000108060000001f15c4890000000d49444154789c626001000000ffff03000006"
    "000557bfabd40000000049454e44ae426082"
)
LARGE = b"A large file of the transcript"
_TOKEN = re.compile(r'name="authenticity_token" value="([0-9a-f]+)"')
_COOKIE = re.compile(r"_service_session=([^;]*)")
VIEWS = (
    "/", "/users/sign_in", "/users/password/new", "/users/confirmation/new", "/users/password/edit",
    "/users/password/edit?reset_password_token=wrong", "/users/confirmation", "/users/confirmation?confirmation_token=x",
    "/profile", "/profile/emails", "/profile/keys", "/profile/personal_access_tokens", "/profile/two_factor_auth",
    "/profile/sessions", "/profile/applications", "/profile/password/new", "/profile/password/edit", "/oauth/authorize",
    "/oauth/authorize?client_id=none&response_type=code&redirect_uri=https://example.org", "/oauth/userinfo",
    "/.well-known/openid-configuration", "/oauth/discovery/keys", "/assets/site.css", "/robots.txt", "/no/such/page",
    "/-/health", "/-/liveness", "/-/readiness", "/api/v4/docs", "/api/v3/projects", "/api/v4/no_such_route", "/api/v4",
)  # fmt: skip
FORMS: tuple[tuple[str, str, dict[str, Any]], ...] = (
    ("/profile", "/profile", {"user[name]": "Renamed", "user[bio]": "A bio"}),
    ("/profile", "/profile", {"user[name]": ""}),
    ("/profile/emails", "/profile/emails", {"email[email]": "page@example.org", "email": "page@example.org"}),
    ("/profile/emails", "/profile/emails", {"email": "no address"}),
    ("/profile/emails", "/profile/emails/remove", {"id": "1"}),
    ("/profile/emails", "/profile/email", {"email": "new@example.org"}),
    ("/profile/keys", "/profile/keys", {"key[title]": "x", "key[key]": "no key"}),
    ("/profile/keys", "/profile/keys/remove", {"id": "1"}),
    ("/profile/personal_access_tokens", "/profile/personal_access_tokens",
     {"personal_access_token[name]": "x", "personal_access_token[scopes][]": "api"}),
    ("/profile/personal_access_tokens", "/profile/personal_access_tokens", {}),
    ("/profile/personal_access_tokens", "/profile/personal_access_tokens/revoke", {"id": "1"}),
    ("/profile/two_factor_auth", "/profile/two_factor_auth", {"current_password": "wrong"}),
    ("/profile/two_factor_auth", "/profile/two_factor_auth/enable", {"code": "000000"}),
    ("/profile/two_factor_auth", "/profile/two_factor_auth/codes", {}),
    ("/profile/two_factor_auth", "/profile/two_factor_auth/disable", {}),
    ("/profile/sessions", "/profile/sessions/end", {"id": "999999"}),
    ("/profile/applications", "/profile/applications", {"name": "App", "redirect_uri": "https://example.org/back"}),
    ("/profile/applications", "/profile/applications/remove", {"id": "999999"}),
    ("/profile/applications", "/profile/applications/withdraw", {"id": "999999"}),
    ("/profile/password/edit", "/profile/password/edit", {"user[current_password]": "wrong"}),
    ("/users/password/new", "/users/password", {"user[email]": "nobody@example.org"}),
    ("/users/password/new", "/users/password", {"user[email]": "reporter@example.org"}),
    ("/users/confirmation/new", "/users/confirmation/new", {"user[email]": "reporter@example.org"}),
    ("/users/password/new", "/users/password/edit", {"user[reset_password_token]": "x"}),
    ("/users/confirmation/new", "/users/confirmation", {"confirmation_token": "x"}),
)  # fmt: skip


class Browser:
    """Keeps the cookie and the token of the last form; does not follow redirects."""

    def __init__(self, recorder: Recorder, name: str) -> None:
        self.recorder = recorder
        self.name = name
        self.cookie = self.token = ""

    def open(self, path: str, verb: str = "GET") -> Answer:
        headers = {"Accept": "text/html", **({"Cookie": self.cookie} if self.cookie else {})}
        return self._keep(self.recorder.ask(self.name, f"{verb} /{path}", headers=headers))

    def send(self, path: str, fields: dict[str, Any], *, with_token: bool = True) -> Answer:
        headers = {"Accept": "text/html", "Cookie": self.cookie, "Content-Type": "application/x-www-form-urlencoded"}
        token = {"authenticity_token": self.token} if with_token else {}
        body = urlencode({**token, **fields}).encode()
        return self._keep(self.recorder.ask(self.name, f"POST /{path}", headers=headers, body=body))

    def _keep(self, answer: Answer) -> Answer:
        if found := _COOKIE.search(answer.headers.get("set-cookie", "")):
            self.cookie = f"_service_session={found[1]}"
        if found := _TOKEN.search(answer.text):
            self.token = found[1]
        return answer


def visit_pages(recorder: Recorder) -> None:
    nobody = Browser(recorder, "browser of nobody")
    for path in VIEWS:
        nobody.open(path)
    for path in VIEWS[:4]:
        nobody.open(path, "HEAD")
    for page, target, fields in FORMS:
        nobody.open(page)
        nobody.send(target, fields)
    person = Browser(recorder, "browser of the master")
    person.open("/users/sign_in")
    login = {"user[login]": "master", "user[password]": PASSWORD}
    person.send("/users/sign_in", login | {"user[password]": "wrong"})
    person.send("/users/sign_in", login, with_token=False)
    person.open("/users/sign_in")
    person.send("/users/sign_in", login)
    for path in VIEWS:
        person.open(path)
    for page, target, fields in FORMS:
        person.open(page)
        person.send(target, fields)
        person.open(page)
    person.send("/profile", {"user[name]": "Other"}, with_token=False)
    recorder.ask("browser of the master", "GET /user", headers={"Cookie": person.cookie})
    person.open("/")
    person.send("/users/sign_out", {})
    person.open("/profile")
    recorder.ask(
        "anonymous", "POST //oauth/token", {"grant_type": "password", "username": "master", "password": PASSWORD}
    )
    recorder.ask("anonymous", "POST //oauth/token", {"grant_type": "nonsense"})
    for path in ("revoke", "introspect", "userinfo"):
        recorder.ask("anonymous", f"POST //oauth/{path}", {"token": "none"})


def exchange_files(recorder: Recorder, world: World) -> None:
    """Uploads and avatars, as multipart and as forms."""
    for caller in ("developer", "guest", "stranger", "anonymous"):
        for visibility in ("private", "public"):
            parts = {"file": ("note.txt", b"An upload")}
            uploaded = _multipart(recorder, caller, f"POST /projects/{world.projects[visibility]}/uploads", parts, {})
            if uploaded.status == 201:
                _fetch_upload(recorder, f"//{TEAM}/{visibility}{uploaded.json['url']}")
    for path in (f"PUT /projects/{world.projects['public']}", f"PUT /users/{world.people['spare']}"):
        changed = _multipart(recorder, "root", path, {"avatar": ("a.png", PIXEL)}, {})
        _multipart(recorder, "root", path, {"avatar": ("a.txt", b"no picture")}, {})
        if changed.status == 200 and changed.json.get("avatar_url"):
            recorder.ask("anonymous", f"GET /{changed.json['avatar_url'].removeprefix(recorder.url)}")
    _odd_requests(recorder, world)


def _fetch_upload(recorder: Recorder, path: str) -> None:
    for caller in ("developer", "stranger", "anonymous"):
        recorder.ask(caller, f"GET {path}")
    recorder.ask("developer", f"HEAD {path}")
    recorder.ask("developer", f"GET {path}", headers={"Range": "bytes=0-3"})


def _multipart(
    recorder: Recorder, caller: str, request: str, files: dict[str, tuple[str, bytes]], fields: dict[str, str]
) -> Answer:
    boundary = "transcript"
    parts = [f'name="{name}"\r\n\r\n{value}'.encode() for name, value in fields.items()]
    parts += [
        f'name="{name}"; filename="{filename}"\r\nContent-Type: application/octet-stream\r\n\r\n'.encode() + content
        for name, (filename, content) in files.items()
    ]
    body = b"".join(b"--transcript\r\nContent-Disposition: form-data; " + part + b"\r\n" for part in parts)
    headers = {"Content-Type": f"multipart/form-data; boundary={boundary}"}
    return recorder.ask(caller, request, headers=headers, body=body + b"--transcript--\r\n")


def _odd_requests(recorder: Recorder, world: World) -> None:
    """Other encodings, credentials and verbs than the walk has."""
    issues = f"/projects/{world.projects['private']}/issues"
    form = {"Content-Type": "application/x-www-form-urlencoded"}
    recorder.ask("reporter", f"POST {issues}", headers=form, body=b"title=By+form&labels=bug&assignee_ids[]=3")
    recorder.ask("reporter", f"POST {issues}?title=By+query")
    bodies = ((b'{"title": ', "application/json"), (b"[1]", "application/json"), (b"title=x", "application/foo"),
              (b'{"title": "\xff"}', "application/json"), (b"--x", "multipart/form-data"))  # fmt: skip
    for body, type in bodies:
        recorder.ask("reporter", f"POST {issues}", headers={"Content-Type": type}, body=body)
    token = recorder.tokens["reporter"]
    for headers in (
        {"Authorization": f"Bearer {token}"}, {"Authorization": "Bearer wrong"}, {"Private-Token": "wrong"},
        recorder.basic("reporter"), {"Private-Token": recorder.tokens["root"], "Sudo": "nobody-of-this-name"},
        {"Private-Token": token, "Sudo": "guest"}, {"Origin": "https://example.org", "Private-Token": token},
    ):  # fmt: skip
        recorder.ask("anonymous", "GET /user", headers=headers)
    recorder.ask("anonymous", f"GET /user?private_token={token}")
    recorder.ask("anonymous", f"GET /user?access_token={token}")
    for verb in ("HEAD", "OPTIONS", "PATCH", "PUT"):
        recorder.ask("reporter", f"{verb} {issues}")
        recorder.ask("reporter", f"{verb} /version")
    for path in (
        "company-group%2Fdepartment-group%2Fteam-group%2Fprivate",
        "COMPANY-GROUP%2Fx",
        "%00",
        "%FF",
        "-1",
        "9" * 20,
    ):
        recorder.ask("reporter", f"GET /projects/{path}")
        recorder.ask("reporter", f"GET /projects/{path}/issues")


def speak_git(recorder: Recorder) -> None:
    """The first requests of git clients, and those of large files."""
    for visibility in ("private", "internal", "public"):
        for caller in ("developer", "guest", "stranger", "external", "anonymous"):
            credentials = {} if caller == "anonymous" else recorder.basic(caller)
            for service in ("git-upload-pack", "git-receive-pack"):
                path = f"GET //{TEAM}/{visibility}.git/info/refs?service={service}"
                _as_nobody(recorder, caller, path, credentials)
            for operation in ("upload", "download"):
                _large_file(recorder, caller, f"//{TEAM}/{visibility}.git", operation, credentials)
    base = f"//{TEAM}/private.git/info/lfs/locks"
    kind = {"Accept": "application/vnd.git-lfs+json", "Content-Type": "application/vnd.git-lfs+json"}
    headers = kind | recorder.basic("developer")
    for request, params in (
        (f"POST {base}", {"path": "a.bin"}), (f"POST {base}", {"path": "a.bin"}), (f"POST {base}", {}),
        (f"POST {base}/verify", {}), (f"POST {base}/1/unlock", {}), (f"POST {base}/999/unlock", {}),
    ):  # fmt: skip
        recorder.ask("by password", request, headers=headers, body=json.dumps(params).encode())
    recorder.ask("by password", f"GET {base}", headers=headers)
    for path in ("HEAD", "info/refs", "objects/info/packs", "info/refs?service=git-nonsense", "git-upload-pack"):
        _as_nobody(recorder, "developer", f"GET //{TEAM}/public.git/{path}", recorder.basic("developer"))


def _as_nobody(recorder: Recorder, caller: str, request: str, headers: dict[str, str]) -> Answer:
    """Without the header of the API; the caller is named by basic authentication."""
    return recorder.ask(f"{caller} by password", request, headers=headers)


def _large_file(recorder: Recorder, caller: str, repository: str, operation: str, credentials: dict[str, str]) -> None:
    oid = sha256(LARGE).hexdigest()
    recorder.normalizer.keep(oid)
    kind = {"Accept": "application/vnd.git-lfs+json", "Content-Type": "application/vnd.git-lfs+json"}
    wanted = {"operation": operation, "objects": [{"oid": oid, "size": len(LARGE)}, {"oid": "bad", "size": -1}]}
    for objects in (wanted["objects"][:1], wanted["objects"]):
        body = json.dumps({**wanted, "objects": objects}).encode()
        request = f"POST {repository}/info/lfs/objects/batch"
        recorder.ask(f"{caller} by password", request, headers=kind | credentials, body=body)
    if operation == "upload":
        request = f"PUT {repository}/gitlab-lfs/objects/{oid}/{len(LARGE)}"
        recorder.ask(f"{caller} by password", request, headers=credentials, body=LARGE)
    else:
        _as_nobody(recorder, caller, f"GET {repository}/gitlab-lfs/objects/{oid}", credentials)
