"""Reading over HTTP: who may, in whose words they are refused, and every kind of clone."""

import gzip
import json
import math
import random

import pytest

from mujina.adapters.git.fetches import LIGHT_BYTES, seconds_since_fetch
from mujina.adapters.git.storage import RepositoryStorage

ENGINES = ("sqlite",)
"""What is cloned and by whom is decided by the same rules on both; other files clone from PostgreSQL."""

REFS = "info/refs?service=git-upload-pack"
DENIED = "HTTP Basic: Access denied\n"


@pytest.fixture(scope="module")
def private(forge):
    project, copy = forge.filled("cloned")
    copy.commit("Second", a__deep__file="x" * 5000)
    copy.do("push", "-q", "origin", "master")
    return project


@pytest.fixture(scope="module")
def public(forge):
    return forge.filled("shown", "public")[0]


def address(project, rest=REFS):
    return f"/{project['path_with_namespace']}.git/{rest}"


@pytest.mark.parametrize("who", ["root", "owner", "master", "developer", "reporter", "inherited"])
def test_those_who_may_read_the_code_clone_with_a_token(forge, private, who):
    clone = forge.copy(forge.url(f"{private['path_with_namespace']}.git", who))
    assert (clone.folder / "README").read_text() == "hello\n"


def test_the_name_beside_a_token_does_not_matter(forge, private):
    url = forge.url(f"{private['path_with_namespace']}.git", "oauth2", forge.token("developer"))
    assert forge.copy(url).do("rev-list", "--count", "HEAD") == "2"


def test_a_user_signs_in_by_username_or_address(forge, public):
    forge.api("POST", "/users", name="P", username="p", email="p@example.org", password="horse-battery",
              skip_confirmation=True)  # fmt: skip
    for name in ("p", "p@example.org"):
        answer = forge.ask("GET", address(public), headers=forge.basic(name, "horse-battery"))
        assert answer.status == 200
    assert forge.ask("GET", address(public), headers=forge.basic("p", "horse-batterie")).status == 401


def test_an_oauth_token_goes_with_one_user_name(forge, private, public):
    forge.api("POST", "/users", name="O", username="o", email="o@example.org", password="horse-battery",
              skip_confirmation=True)  # fmt: skip
    body = b"grant_type=password&username=o&password=horse-battery&scope=api"
    answer = forge.ask("POST", "/oauth/token", body, {"Content-Type": "application/x-www-form-urlencoded"})
    token = json.loads(answer.body)["access_token"]
    assert forge.ask("GET", address(public), headers=forge.basic("oauth2", token)).status == 200
    batch = json.dumps({"operation": "download", "objects": [{"oid": "0" * 64, "size": 1}]}).encode()
    for name in ("o", "developer", "OAuth2", ""):
        refused = forge.ask("GET", address(public), headers=forge.basic(name, token))
        assert (refused.status, refused.text) == (401, DENIED)
        large = forge.ask("POST", address(public, "info/lfs/objects/batch"), batch, forge.basic(name, token))
        assert large.status == 401


def test_a_blocked_person_is_not_signed_in_by_the_right_password(forge, public):
    blocked = forge.api("POST", "/users", name="B", username="b", email="b@example.org", password="horse-battery",
                        skip_confirmation=True)  # fmt: skip
    assert forge.ask("GET", address(public), headers=forge.basic("b", "horse-battery")).status == 200
    forge.api("POST", f"/users/{blocked['id']}/block")
    for service in ("git-upload-pack", "git-receive-pack"):
        answer = forge.ask(
            "GET", address(public, f"info/refs?service={service}"), headers=forge.basic("b", "horse-battery")
        )
        assert (answer.status, answer.text) == (401, DENIED)
        assert answer.headers["WWW-Authenticate"] == 'Basic realm="Mujina"'


def test_a_password_is_no_good_before_the_address_is_confirmed(forge, public):
    forge.api("POST", "/users", name="Q", username="q", email="q@example.org", password="horse-battery")
    assert forge.ask("GET", address(public), headers=forge.basic("q", "horse-battery")).status == 401


def test_administrators_may_leave_git_to_tokens(forge, public):
    forge.api("POST", "/users", name="R", username="r", email="r@example.org", password="horse-battery",
              skip_confirmation=True)  # fmt: skip
    forge.api("PUT", "/application/settings", password_authentication_enabled_for_git=False)
    refused = forge.ask("GET", address(public), headers=forge.basic("r", "horse-battery"))
    assert (refused.status, "personal access token" in refused.text) == (401, True)
    assert forge.ask("GET", address(public), headers=forge.basic("developer")).status == 200
    forge.api("PUT", "/application/settings", password_authentication_enabled_for_git=True)
    assert forge.ask("GET", address(public), headers=forge.basic("r", "horse-battery")).status == 200


def test_everybody_clones_what_is_public(forge, public):
    clone = forge.copy(forge.url(f"{public['path_with_namespace']}.git"))
    assert (clone.folder / "README").exists()


def test_without_a_credential_private_and_missing_look_the_same(forge, private):
    seen = forge.ask("GET", address(private))
    missing = forge.ask("GET", f"/nobody/nothing.git/{REFS}")
    assert (seen.status, seen.text, seen.headers["WWW-Authenticate"]) == (401, DENIED, 'Basic realm="Mujina"')
    assert (missing.status, missing.text) == (401, DENIED)
    assert missing.headers["WWW-Authenticate"] == 'Basic realm="Mujina"'


def test_pushing_without_a_credential_is_challenged_even_where_everybody_reads(forge, public):
    answer = forge.ask("GET", address(public, "info/refs?service=git-receive-pack"))
    assert answer.status == 401


@pytest.mark.parametrize("who", ["stranger", "external", "expired", "left"])
def test_a_hidden_project_is_not_found(forge, private, who):
    answer = forge.ask("GET", address(private), headers=forge.basic(who))
    assert (answer.status, answer.text) == (404, "The project you were looking for could not be found.")


def test_a_guest_of_a_private_project_may_neither_download_nor_push(forge, private):
    answer = forge.ask("GET", address(private), headers=forge.basic("guest"))
    assert (answer.status, answer.text) == (403, "You are not allowed to download code from this project.")
    answer = forge.ask("GET", address(private, "info/refs?service=git-receive-pack"), headers=forge.basic("guest"))
    assert (answer.status, answer.text) == (403, "You are not allowed to push code to this project.")


def test_a_blocked_person_is_told_so(forge, public):
    answer = forge.ask("GET", address(public), headers=forge.basic("blocked"))
    assert (answer.status, answer.text) == (403, "Your account has been blocked.")


@pytest.mark.parametrize("password", ["wrong", "", "\0", "no-such-token-00000"])
def test_a_wrong_credential_is_refused_even_where_none_is_needed(forge, public, password):
    answer = forge.ask("GET", address(public), headers=forge.basic("developer", password))
    assert (answer.status, answer.text) == (401, DENIED)


def test_a_token_for_something_else_is_refused(forge, public):
    assert forge.ask("GET", address(public), headers=forge.basic("read_user")).status == 401


def test_garbage_in_place_of_a_credential_is_refused(forge, public):
    for sealed in ("Basic ====", "Basic /w==", "Basic"):
        assert forge.ask("GET", address(public), headers={"Authorization": sealed}).status == 401


def test_without_the_suffix_the_client_is_shown_the_way(forge, public):
    path = public["path_with_namespace"]
    answer = forge.ask("GET", f"/{path}/{REFS}")
    assert (answer.status, answer.headers["Location"]) == (301, f"/{path}.git/{REFS}")
    assert forge.copy(forge.url(path)).do("rev-list", "--count", "HEAD") == "1"


def test_answers_are_never_kept_by_a_cache(forge, public):
    answer = forge.ask("GET", address(public))
    assert answer.headers["Content-Type"] == "application/x-git-upload-pack-advertisement"
    assert answer.headers["Cache-Control"] == "no-cache, max-age=0, must-revalidate"
    assert answer.body.startswith(b"001e# service=git-upload-pack\n0000")


def test_a_large_clone_is_noted_for_housekeeping_and_a_small_one_is_not(forge):
    project, copy = forge.filled("large")
    repo_path = RepositoryStorage.of(forge.server.data).repo_path(project["id"])
    forge.copy(url := forge.url(f"{project['path_with_namespace']}.git", "developer"))
    assert seconds_since_fetch(repo_path) == math.inf
    copy.commit("Large", noise=random.Random(1).randbytes(LIGHT_BYTES).hex())
    copy.do("push", "-q", "origin", "master")
    forge.copy(url)
    assert seconds_since_fetch(repo_path) < math.inf


@pytest.mark.parametrize("version", ["0", "1", "2"])
def test_every_version_of_the_protocol_is_spoken(forge, private, version):
    url = forge.url(f"{private['path_with_namespace']}.git", "reporter")
    clone = forge.copy(url, "-c", f"protocol.version={version}")
    assert clone.do("rev-list", "--count", "HEAD") == "2"


def test_the_second_version_is_advertised_when_asked_for(forge, public):
    answer, again = (forge.ask("GET", address(public), headers={"Git-Protocol": "version=2"}) for _ in range(2))
    assert answer.body.startswith(b"000eversion 2\n")
    assert b"ls-refs" in answer.body
    assert answer.body.endswith(b"0000")
    assert again.body == answer.body
    assert again.headers["Content-Type"] == "application/x-git-upload-pack-advertisement"
    odd = forge.ask("GET", address(public), headers={"Git-Protocol": "version=2 $(id)"})
    assert odd.body.startswith(b"001e# service")


def test_a_shallow_clone_is_shallow_and_can_be_deepened(forge, private):
    clone = forge.copy(forge.url(f"{private['path_with_namespace']}.git", "reporter"), "--depth=1")
    assert clone.do("rev-list", "--count", "HEAD") == "1"
    clone.do("fetch", "-q", "--unshallow")
    assert clone.do("rev-list", "--count", "HEAD") == "2"


@pytest.mark.parametrize("version", ["0", "2"])
def test_a_partial_clone_fetches_files_when_they_are_needed(forge, private, version):
    url = forge.url(f"{private['path_with_namespace']}.git", "reporter")
    clone = forge.copy(url, "--filter=blob:none", "--no-checkout", f"--config=protocol.version={version}")
    assert "?" in clone.do("rev-list", "--objects", "--all", "--missing=print")
    clone.do("checkout", "-q", "master")
    assert (clone.folder / "a/deep/file").read_text() == "x" * 5000


def test_a_compressed_request_is_understood_and_a_bomb_is_not(forge, public):
    tip = forge.refs(public)["refs/heads/master"]
    headers = {"Content-Type": "application/x-git-upload-pack-request", "Content-Encoding": "gzip"}
    wanted = f"0032want {tip}\n00000009done\n".encode()
    answer = forge.ask("POST", address(public, "git-upload-pack"), gzip.compress(wanted), headers)
    assert (answer.status, answer.headers["Content-Type"]) == (200, "application/x-git-upload-pack-result")
    assert b"PACK" in answer.body
    for body in (gzip.compress(bytes(80 * 1024 * 1024)), b"no gzip", gzip.compress(wanted)[:30]):
        assert forge.ask("POST", address(public, "git-upload-pack"), body, headers).status == 400


def test_a_wiki_is_cloned_beside_its_project(forge, public):
    clone = forge.copy(forge.url(f"{public['path_with_namespace']}.wiki.git"))
    assert clone.git("rev-parse", "HEAD").code != 0


def test_reading_counts_as_activity_of_that_day(forge, public):
    assert forge.ask("GET", address(public), headers=forge.basic("stranger")).status == 200
    [day] = forge.values("SELECT u.last_activity_on FROM users u WHERE u.username = 'stranger'")
    assert day


@pytest.mark.parametrize(
    ("verb", "rest", "status"),
    [
        ("POST", "info/refs?service=git-upload-pack", 405),
        ("GET", "git-upload-pack", 405),
        ("GET", "info/refs", 403),
        ("GET", "info/refs?service=git-upload-archive", 403),
        ("GET", "HEAD", 404),
        ("GET", "objects/info/packs", 404),
        ("GET", "config", 404),
    ],
)
def test_other_files_of_the_repository_are_not_served(forge, public, verb, rest, status):
    assert forge.ask(verb, address(public, rest)).status == status


def test_a_former_path_still_answers_to_those_who_may_read(forge):
    project, copy = forge.filled("before")
    forge.api("PUT", f"/projects/{project['id']}", path="after")
    url = forge.url(f"{project['path_with_namespace']}.git", "master")
    assert forge.copy(url).do("rev-list", "--count", "HEAD") == "1"
    copy.commit("More")
    copy.do("push", "-q", "origin", "master")
    assert forge.ask("GET", address(project), headers=forge.basic("stranger")).status == 404
    assert forge.ask("GET", address(project)).status == 401


def test_a_file_named_like_a_repository_is_found_by_the_api(forge, public):
    answer = forge.ask("GET", f"/api/v4/projects/{public['id']}/repository/files/x.git/raw?ref=master")
    assert answer.headers["Content-Type"] == "application/json"
    assert answer.status in {401, 404}
