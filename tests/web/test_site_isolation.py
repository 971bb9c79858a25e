"""A script on a published page tries to read what the visitor has at the instance: cookies, the API, pages, storage."""

import io
import json
import urllib.request
import zipfile

import pytest

from tests.harness.chromium import chromium, new_context
from tests.harness.encoding import BOUNDARY, multipart
from tests.harness.running import TOKEN, running

SCRIPT = """<!doctype html><title>A site</title><script>
const forge = new URLSearchParams(location.search).get("forge");
async function reads(read) { try { return String(await read()) } catch (error) { return "refused" } }
const body = (path, options) => reads(async () => (await (await fetch(forge + path, options)).text()).slice(0, 80));
const framed = () => reads(() => new Promise((done, fail) => {
    const frame = document.createElement("iframe");
    frame.src = forge + "/";
    frame.onload = () => { try { done(frame.contentWindow.document.title) } catch (error) { fail(error) } };
    document.body.append(frame);
}));
window.onload = async () => { window.found = {
    cookie: document.cookie, page: await body("/", {credentials: "include"}),
    api: await body("/api/v4/user", {credentials: "include"}), plain: await body("/api/v4/user"),
    written: await body("/api/v4/projects", {method: "POST", credentials: "include", body: "name=stolen"}),
    frame: await framed(), storage: JSON.stringify(localStorage),
} };
</script><body>"""


class Instance:
    """The API as root and a runner call it."""

    def __init__(self, server):
        self.url = f"{server.url}/api/v4"

    def call(self, verb, path, body=None, type="application/json", **headers):
        data = json.dumps(body).encode() if isinstance(body, dict) else body
        sent = {"PRIVATE-TOKEN": TOKEN, "Content-Type": type, **headers}
        request = urllib.request.Request(f"{self.url}{path}", data, sent, method=verb)
        with urllib.request.urlopen(request, timeout=120) as answer:
            return json.loads(answer.read() or b"null")

    def publish(self, files):
        """Address of the site that a job publishes."""
        project = self.call("POST", "/projects", {"name": "site", "visibility": "public"})
        here = f"/projects/{project['id']}"
        runner = self.call("POST", "/runners", {"token": self.call("GET", here)["runners_token"], "run_untagged": True})
        ci = {"branch": "master", "content": "pages: {script: make}", "commit_message": "CI"}
        self.call("POST", f"{here}/repository/files/.gitlab-ci.yml", ci)
        job = self.call("POST", "/jobs/request", {"token": runner["token"]})
        archive = io.BytesIO()
        with zipfile.ZipFile(archive, "w") as packed:
            for name, content in files.items():
                packed.writestr(name, content)
        body = multipart({}, file=("artifacts.zip", archive.getvalue()))
        form = f"multipart/form-data; boundary={BOUNDARY}"
        self.call("POST", f"/jobs/{job['id']}/artifacts", body, form, **{"JOB-TOKEN": job["token"]})
        self.call("PUT", f"/jobs/{job['id']}", {"token": job["token"], "state": "success"})
        return self.call("GET", f"{here}/pages")


@pytest.mark.long(20)
def test_a_script_of_a_site_reads_nothing_of_the_instance(tmp_path):
    with running(tmp_path, MUJINA_PAGES_PORT="0", MUJINA_JOBS="inline", MUJINA_ROOT_PASSWORD="correct horse") as server:
        site = Instance(server).publish({"public/index.html": SCRIPT})
        assert len(site["deployments"]) == 1
        with chromium() as browser:
            page = new_context(browser).new_page()
            page.goto(f"{server.url}/users/sign_in")
            page.fill('[name="user[login]"]', "root")
            page.fill('[name="user[password]"]', "correct horse")
            with page.expect_navigation():
                page.press('[name="user[password]"]', "Enter")
            page.evaluate("localStorage.setItem('draft', 'private')")
            assert page.evaluate("fetch('/api/v4/user').then((answer) => answer.status)") == 200, (
                "the visitor is signed in"
            )
            page.goto(f"{site['url']}?forge={server.url}")
            found = page.wait_for_function("window.found").json_value()
        assert found == {
            "cookie": "", "page": "refused", "api": "refused", "plain": '{"message":"401 Unauthorized"}',
            "written": "refused", "frame": "refused", "storage": "{}",
        }  # fmt: skip
        assert [project["name"] for project in Instance(server).call("GET", "/projects")] == ["site"]
