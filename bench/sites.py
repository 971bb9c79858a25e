"""Sites: publishing 10,000 files, the first byte of a page compared with the same files behind nginx, and memory."""

import io
import os
import socket
import time
import zipfile
from collections.abc import Generator, Iterator
from contextlib import contextmanager
from pathlib import Path
from statistics import median

import httpcore2

from bench.crowd import watched
from bench.runners import MAX_MEMORY, Instance
from bench.seed import TOKEN
from bench.servers import Server, free_port, mujina, running
from bench.table import BenchRun

FILES, ROUNDS = 10_000, 2_000
MAX_PUBLISHING, MAX_RATIO = 5.0, 1.2
MEGABYTE = 1024 * 1024
LARGE = 200 * MEGABYTE
PAGE = b"<!doctype html><title>A page</title><p>" + b"Some words of a page. " * 80
NGINX = """
daemon off; pid {folder}/nginx.pid; error_log {folder}/nginx.log; worker_processes 1; {user}
events {{ }}
http {{
  access_log off; include /etc/nginx/mime.types; keepalive_requests 100000;
  client_body_temp_path {folder}/body; fastcgi_temp_path {folder}/answers; proxy_temp_path {folder}/proxy;
  scgi_temp_path {folder}/scgi; uwsgi_temp_path {folder}/uwsgi;
  server {{ listen 127.0.0.1:{port}; root {root}; location = /ready {{ return 204; }} }}
}}
"""


def measured(bench: BenchRun) -> Iterator[str]:
    port = free_port()
    environment = {"MUJINA_PAGES_PORT": str(port)}
    folder = bench.folder / f"{bench.engine}-sites"
    with (
        mujina(bench.data, bench.url, environment=environment) as server,
        httpcore2.ConnectionPool() as pool,
        _nginx(folder, _unpack(folder)) as nginx,
    ):
        instance = Instance(server, pool)
        bench.print_step(f"publishing {FILES:,} files")
        seconds, path = _publish(instance, "many-pages", {f"public/{n}.html": PAGE for n in range(FILES)})
        figure = f"{seconds:.1f} s"
        yield bench.stated(
            f"site of {FILES:,} files", f"≤ {MAX_PUBLISHING:g} s to publish", figure, within=seconds <= MAX_PUBLISHING
        )
        bench.print_step("first bytes")
        server.wait_until_idle()
        ours, theirs = _first_bytes([(port, f"/{path}/"), (nginx.port, "/")])
        figure = f"{ours / theirs:.2f} × ({ours * 1e6:.0f} µs against {theirs * 1e6:.0f})"
        yield bench.stated("first byte of a page", f"≤ {MAX_RATIO} × nginx", figure, within=ours <= MAX_RATIO * theirs)
        bench.print_step("a large file")
        _, path = _publish(instance, "large-page", {"public/large": os.urandom(MEGABYTE) * (LARGE // MEGABYTE)})
        server.wait_until_idle()
        with watched(server) as seen, pool.stream("GET", f"http://127.0.0.1:{port}/{path}/large") as answer:
            assert sum(len(piece) for piece in answer.iter_stream()) == LARGE
        above = max(seen) - seen[0]
        what = f"file of {LARGE // MEGABYTE} MB of a site"
        yield bench.stated(what, f"≤ {MAX_MEMORY} MB above idle", f"{above:.0f} MB", within=above <= MAX_MEMORY)


def _publish(instance: Instance, name: str, files: dict[str, bytes]) -> tuple[float, str]:
    """Seconds from the success of the job until its site is served, and the path of the project."""
    instance.send("PUT", "/application/settings", {"max_artifacts_size": 1000}, Private_Token=TOKEN)
    project = instance.post("/projects", name=name, visibility="public")
    here = f"/projects/{project['id']}"
    action = {"action": "create", "file_path": ".gitlab-ci.yml", "content": "pages: {script: 'true'}"}
    instance.post(f"{here}/repository/commits", branch="master", commit_message="Build", actions=[action])
    token = instance.new_runner(project["id"])
    while (job := instance.claim(token)) is None:
        time.sleep(0.1)
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w", zipfile.ZIP_DEFLATED) as packed:
        for file, content in files.items():
            packed.writestr(file, content)
    head = b'--b\r\nContent-Disposition: form-data; name="file"; filename="artifacts.zip"\r\n\r\n'
    status, answer = instance.send(
        "POST", f"/jobs/{job['id']}/artifacts", head + archive.getvalue() + b"\r\n--b--\r\n",
        Content_Type="multipart/form-data; boundary=b", Job_Token=job["token"],
    )  # fmt: skip
    assert status == 201, answer
    began = time.perf_counter()
    instance.succeed(job)
    while not instance.send("GET", f"{here}/pages", Private_Token=TOKEN)[1]["deployments"]:
        time.sleep(0.02)
    return time.perf_counter() - began, project["path_with_namespace"]


def _first_bytes(places: list[tuple[int, str]]) -> list[float]:
    """The median time from a request to the first byte of its response, at each place in turn, on connections that are kept."""
    took: list[list[float]] = [[] for _ in places]
    connections = [socket.create_connection(("127.0.0.1", port)) for port, _ in places]
    for number in range(ROUNDS):
        for connection, (port, root), times in zip(connections, places, took, strict=True):
            request = f"GET {root}{number % 500}.html HTTP/1.1\r\nHost: localhost:{port}\r\n\r\n".encode()
            began = time.perf_counter()
            connection.sendall(request)
            answer = connection.recv(65_536)
            times.append(time.perf_counter() - began)
            assert answer.startswith(b"HTTP/1.1 200"), answer[:100]
            while not answer.endswith(PAGE):
                answer += connection.recv(65_536)
    for connection in connections:
        connection.close()
    return [median(times[ROUNDS // 2 :]) for times in took]


def _unpack(folder: Path) -> Path:
    root = folder / "public"
    root.mkdir(parents=True)
    for number in range(500):
        (root / f"{number}.html").write_bytes(PAGE)
    return root


@contextmanager
def _nginx(folder: Path, root: Path) -> Generator[Server]:
    port = free_port()
    user = "user root;" if os.geteuid() == 0 else ""
    configuration = folder / "nginx.conf"
    configuration.write_text(NGINX.format(folder=folder, port=port, root=root, user=user))
    with running("nginx", ["nginx", "-p", str(folder), "-c", str(configuration)], port, "/ready") as server:
        yield server
