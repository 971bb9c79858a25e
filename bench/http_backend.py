"""The baseline for git over HTTP: git's own http-backend behind nginx, through fcgiwrap."""

import os
import signal
import subprocess
import time
from collections.abc import Generator
from contextlib import ExitStack, contextmanager
from pathlib import Path

from bench.servers import Server, free_port, running

NGINX = """
daemon off; pid {folder}/nginx.pid; error_log {folder}/nginx.log; worker_processes auto; {user}
events {{ }}
http {{
  access_log off; client_max_body_size 0;
  client_body_temp_path {folder}/body; fastcgi_temp_path {folder}/answers; proxy_temp_path {folder}/proxy;
  scgi_temp_path {folder}/scgi; uwsgi_temp_path {folder}/uwsgi;
  server {{
    listen 127.0.0.1:{port};
    location = /ready {{ return 204; }}
    location / {{
      include fastcgi_params;
      fastcgi_pass unix:{folder}/fcgi;
      fastcgi_param SCRIPT_FILENAME {backend};
      fastcgi_param GIT_PROJECT_ROOT {root};
      fastcgi_param GIT_HTTP_EXPORT_ALL "";
      fastcgi_param GIT_PROTOCOL $http_git_protocol;
      fastcgi_param PATH_INFO $uri;
    }}
  }}
}}
"""
PROCESSES = 4


@contextmanager
def http_backend(folder: Path, root: Path) -> Generator[Server]:
    """Serve every repository below `root` for reading and writing, as the manual of git-http-backend describes."""
    folder.mkdir()
    (folder / "fastcgi_params").write_text(Path("/etc/nginx/fastcgi_params").read_text())
    port = free_port()
    configuration = folder / "nginx.conf"
    backend = subprocess.check_output(["git", "--exec-path"], text=True).strip() + "/git-http-backend"
    user = "user root;" if os.geteuid() == 0 else ""
    configuration.write_text(NGINX.format(folder=folder, port=port, root=root, backend=backend, user=user))
    with ExitStack() as stack:
        stack.enter_context(_fcgiwrap(folder / "fcgi"))
        yield stack.enter_context(
            running("nginx", ["nginx", "-p", str(folder), "-c", str(configuration)], port, "/ready")
        )


@contextmanager
def _fcgiwrap(socket: Path) -> Generator[None]:
    process = subprocess.Popen(["fcgiwrap", "-c", str(PROCESSES), "-s", f"unix:{socket}"], start_new_session=True)
    try:
        while not socket.exists():
            time.sleep(0.01)
        yield
    finally:
        os.killpg(process.pid, signal.SIGTERM)  # otherwise its children would survive
        process.wait(30)
