"""Every output is searched for every secret: a secret may appear only where `MAY_COME_OUT` allows it.

A secret is registered when it is created (`kernel/secrets.py`), encrypted or hashed, or when a client sends it. Responses
with their headers, `/-/metrics`, log lines, mails and the output of running servers are searched. A leak fails the test in
which it happens. Each process of the run searches its own output.
"""

import json
import re
from collections.abc import Iterator, Mapping
from fnmatch import fnmatchcase
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import re2

_CI_SETTINGS = ("* /*/settings/ci_cd* page", "POST /*/triggers* page", "POST /*/runners/* page")
"""The page of CI settings, and the forms that show it again."""

MAY_COME_OUT: dict[str, tuple[str, ...]] = {
    # a personal access token: on the page that made it
    "credentials.operations": (
        "POST /profile/personal_access_tokens page",
        "POST /profile/personal_access_tokens/rotate page",
        "POST /*/settings/access_tokens/rotate page",
        "POST /api/v4/*personal_access_tokens* .token",
        "POST /api/v4/*/access_tokens* .token",
        "POST /*/settings/access_tokens page",
    ),
    "deploy_tokens.operations": (
        "POST /api/v4/*/deploy_tokens .token",
        "POST /*/settings/access_tokens/deploy page",
    ),
    # an impersonation token: whenever an administrator asks the API for it; on a page when it is made
    "credentials.impersonation": (
        "* /api/v4/users/*/impersonation_tokens* .token",
        "POST /admin/users/*/impersonation_tokens page",
    ),
    # a session, or what ties a form to a browser: as a cookie
    "sessions.operations": ("* set-cookie",),
    "web.application": ("* set-cookie",),
    "serving.application": ("* set-cookie",),
    # a ticket between password and code: in the form that asks for the code
    "sign-in ticket": ("POST /users/sign_in* page",),
    # the key of a second factor, and the codes for the day it is lost: on the pages that set it up
    "two_factor": ("* /profile/two_factor* page",),
    "two_factor.operations": ("POST /profile/two_factor* page",),
    # an OAuth code: to where the client is registered
    "oauth.grants": ("* /oauth/authorize location",),
    # an OAuth token: to the client, or in the fragment of the address it waits at
    "oauth.tokens": ("POST /oauth/token .*_token", "* /oauth/authorize location"),
    # a client's secret: once
    "oauth.operations": (
        "POST /api/v4/applications .secret",
        "POST /profile/applications* page",
        "POST /admin/applications page",
    ),
    # a project's token for runners: to those who may administrate the project
    "projects.operations": ("* /api/v4/* .runners_token", *_CI_SETTINGS),
    "runners.registration": (
        "POST /api/v4/*/reset_registration_token .token",
        "* /api/v4/* .runners_token",
        "* /admin/runners page",
        *_CI_SETTINGS,
    ),
    # a runner's token: once, to whom registers or creates it; a runner that verifies its own gets it back
    "runners.operations": (
        "POST /api/v4/runners* .token",
        "POST /api/v4/user/runners .token",
        "POST /*/runners page",
        "POST /*/runners/*/reset_token page",
    ),
    # a job's token: to the runner that took the job, also inside the URL of its repository and among the variables
    "jobs.operations": ("POST /api/v4/jobs/request .*",),
    # the password in the URL of a hook: to those who may administrate the project
    "hook_url": ("* /api/v4/*hooks* .url",),
    # its token: nowhere; tests of hostile input give the same text as its name and the like
    "hook_token": tuple(
        f"* /api/v4/*hooks* .{field}"
        for field in ("name", "description", "push_events_branch_filter", "custom_webhook_template")
    ),
    # the token of a trigger: to its owner
    "feature_flags.operations": ("GET /*/-/feature_flags page",),
    "triggers.operations": ("* /api/v4/projects/*/triggers* .token", *_CI_SETTINGS),
    # the value of a variable: to those who may manage it, and to the runner of a job that gets it; tests of hostile input
    # give the same text as its description
    "ci_variable": (
        "POST /api/v4/jobs/request .value",
        "* /api/v4/*/variables* .value",
        "* /api/v4/*/variables* .description",
        "GET /*/settings/ci_cd page",
        "* /*/variables* page",
    ),
    "schedule_variable": ("* /api/v4/projects/*/pipeline_schedules* .value", "* /*/pipeline_schedules/* page"),
    # what a link in a mail carries: in that mail, and in the form it leads to
    "mail_links.operations": ("mail", "* /users/confirmation page", "* /users/password/edit page"),
    # what the link of an invitation carries: in its mail, in the forms it leads to, and on the way there
    "invitations.operations": ("mail", "* /invites/* page", "* /invites/* location", "* /users/sign_in* page"),
    # a password made up at the first start: once, to the operator
    "cli.first_start": ("server",),
}
"""The module that creates a secret, or the purpose of its encryption → the places where it may appear.

Other secrets, such as passwords, may appear nowhere.
"""

MIN_LENGTH, MIN_CHARACTERS = 8, 5
"""A text that is shorter or has fewer different characters may appear by chance."""
MAX_APART = 24
"""Secrets that are looked for one by one; more are looked for together, in one pass over the text. A test that makes many
has more of them: a pattern of many takes long to make."""


class Canaries:
    """The secrets of this process, and where they were found."""

    def __init__(self) -> None:
        self._standing: dict[bytes, str] = {}
        """For the whole run, as those of the cast."""
        self._fresh: dict[bytes, str] = {}
        """The secrets of the running test."""
        self._ever: set[bytes] = set()
        """The secrets of all tests so far."""
        self._apart: dict[bytes, str] = {}
        """Those that `_together` does not look for yet."""
        self._together: Any = None
        """Matches what contains one of the others; it may know some of former tests."""
        self.leaks: list[str] = []

    def catch(self, secret: str, kind: str) -> None:
        """From now on this may come out only where its kind may."""
        name = secret.encode("utf-8", "surrogatepass")
        known = name in self._standing or name in self._fresh
        if not known and len(name) >= MIN_LENGTH and len(set(name)) >= MIN_CHARACTERS:
            self._fresh[name] = self._apart[name] = kind
            self._ever.add(name)

    def catch_keys(self, data: Path) -> None:
        """The keys in a data folder: that of the instance, and that by which it is known over SSH."""
        for path in sorted((data / "secrets").glob("*")):
            for line in path.read_text().splitlines():
                self.catch(line, "a key of the instance")

    def keep(self) -> dict[bytes, str]:
        """What was caught so far outlives the test; all that does."""
        self._standing |= self._fresh
        self._fresh.clear()
        return self._standing

    def know(self, secrets: dict[bytes, str]) -> None:
        """Look for what another process has kept as well."""
        self._apart |= {secret: kind for secret, kind in secrets.items() if secret not in self._standing}
        self._standing |= secrets
        self._ever |= secrets.keys()

    def sweep(self, place: str, output: bytes) -> None:
        """Look for every secret in something that came out."""
        for secret, kind in self._found(output):
            self._check(kind, place, secret)

    def sweep_answer(self, verb: str, path: str, headers: Mapping[str, str], body: bytes) -> None:
        """Look for every secret in an answer, and where in it."""
        for secret, kind in self._found("\n".join(headers.values()).encode("utf-8", "replace") + b"\n" + body):
            for name, value in headers.items():
                if secret.decode("utf-8", "replace") in value:
                    self._check(kind, f"{verb} {path} {name}", secret)
            for where in _places(body, secret):
                self._check(kind, f"{verb} {path} {where}", secret)

    def sweep_words(self, place: str, output: bytes, names: bytes) -> None:
        """Look for every secret of the whole run among the words of what came out at its end.

        Our own names come out by right, even where a test with random texts has sent one as a password.
        """
        words = set(re.findall(rb"[\w-]+", output)) - set(re.findall(rb"[\w-]+", names))
        for secret in self._ever & words:
            self._check("any kind", place, secret)

    def settle(self) -> list[str]:
        """The test is over: its leaks; its secrets are forgotten."""
        leaks = list(dict.fromkeys(self.leaks))
        self.leaks.clear()
        for secret in self._fresh:
            self._apart.pop(secret, None)
        self._fresh.clear()
        return leaks

    def _found(self, output: bytes) -> list[tuple[bytes, str]]:
        if len(self._apart) > MAX_APART + len(self._fresh) // 8:
            self._together = _any_of([*self._standing, *self._fresh])
            self._apart.clear()
        known = self._apart
        if self._together is not None and self._together.search(output):
            known = self._standing | self._fresh
        return [(secret, kind) for secret, kind in known.items() if secret in output]

    def _check(self, kind: str, place: str, secret: bytes) -> None:
        if not any(fnmatchcase(place, ruled) for ruled in MAY_COME_OUT.get(kind, ())):
            start = secret[:4].decode("utf-8", "replace")
            self.leaks.append(f"a secret of {kind} came out in: {place} ({start}…)")


def _any_of(secrets: list[bytes]) -> Any:
    """A pattern that matches wherever one of these is."""
    re2.purge()  # it would keep former patterns
    options = re2.Options()
    options.encoding, options.max_mem = re2.Options.Encoding.LATIN1, 1 << 26
    return re2.compile(b"|".join(map(re2.escape, secrets)), options)


def _places(body: bytes, secret: bytes) -> Iterator[str]:
    """Where in a body a secret stands: `.field` of JSON, else the page."""
    if secret not in body:
        return
    try:
        yield from _fields(json.loads(body), secret.decode(), "page")
    except ValueError:
        yield "page"


def _fields(value: Any, secret: str, field: str) -> Iterator[str]:
    if isinstance(value, dict):
        for name, part in value.items():
            yield from _fields(part, secret, f".{name}")
            if secret in name:
                yield "a name"
    elif isinstance(value, list):
        for part in value:
            yield from _fields(part, secret, field)
    elif secret in str(value):
        yield field


def secret_part(text: str) -> str:
    """The password in an address; anything else is a secret as a whole."""
    return urlsplit(text).password or "" if "://" in text else text


CANARIES = Canaries()
"""Those of this process."""
