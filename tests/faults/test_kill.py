"""What was answered survives `kill -9`: the server is cut off at random moments under load, and nothing is lost."""

import json
import random
import threading
import time
import urllib.error
import urllib.request
from concurrent.futures import ThreadPoolExecutor

from tests.serve.wire import PATIENCE

CLIENTS = 16
CUTS = 3


class Load:
    """Sixteen clients that create issues until they are output to stop, and remember what they were answered."""

    def __init__(self, url, token):
        self.url, self.token = url, token
        self.stopped = threading.Event()
        self.begun = threading.Event()
        self.answered: dict[int, str] = {}

    def ask(self, path, **body):
        request = urllib.request.Request(
            f"{self.url}/api/v4{path}",
            data=json.dumps(body).encode() if body else None,
            headers={"Private-Token": self.token, "Content-Type": "application/json"},
        )
        with urllib.request.urlopen(request, timeout=180) as answer:
            return json.load(answer), answer.headers

    def client(self, number):
        count = 0
        while not self.stopped.is_set():
            title = f"{number}-{count}-{random.random()}"
            try:
                issue, _ = self.ask("/projects/1/issues", title=title)
            except (urllib.error.URLError, OSError):
                return  # cut off: nothing was answered, nothing is owed
            self.answered[issue["iid"]] = title
            self.begun.set()
            count += 1

    def pages(self):
        page = 1
        while page:
            issues, headers = self.ask(f"/projects/1/issues?per_page=100&page={page}")
            yield from issues
            page = int(headers["X-Next-Page"] or 0)


def test_every_answered_issue_is_there_without_gap_or_twin(running_server, thorough):
    owed: dict[int, str] = {}
    first = Load(running_server.url, running_server.token)
    first.ask("/projects", name="load")
    for _ in range(CUTS if thorough else 1):
        load = Load(running_server.url, running_server.token)
        with ThreadPoolExecutor(CLIENTS) as threads:
            for number in range(CLIENTS):
                threads.submit(load.client, number)
            begun = load.begun.wait(PATIENCE)
            time.sleep(random.uniform(0, 0.9))
            running_server.kill()
            load.stopped.set()
        assert begun, "the server never answered anything"
        owed |= load.answered
        running_server.start()
    last = Load(running_server.url, running_server.token)
    there = {issue["iid"]: issue["title"] for issue in last.pages()}
    assert {iid: there.get(iid) for iid in owed} == owed
    assert sorted(there) == list(range(1, len(there) + 1))
    project, _ = last.ask("/projects/1")
    assert project["open_issues_count"] == len(there)
