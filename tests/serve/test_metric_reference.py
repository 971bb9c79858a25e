"""The dashboard and the reference of metrics are about what `/-/metrics` shows."""

import json
import re

from docs import metrics
from tests.architecture.source import ROOT
from tests.harness.running import RunningServer
from tests.serve.wire import ask

METRIC = re.compile(r"\bmujina_[a-z_]+")
SUFFIXES = {"histogram": ("_bucket", "_sum", "_count"), "counter": ("",), "gauge": ("",)}


def test_the_dashboard_and_the_reference_name_the_metrics_that_there_are(shared_server: RunningServer):
    shown = set(re.findall(r"^# TYPE (mujina_\w+) \w+", ask(shared_server.url, "/-/metrics")[2], re.MULTILINE))
    families = metrics.all_families()
    assert {metrics.name(family) for family in families} | {"mujina_build_info"} == shown
    asked = {metrics.name(family) + suffix for family in families for suffix in SUFFIXES[family.type]}
    dashboard = json.loads((ROOT / "docs" / "grafana-dashboard.json").read_text())
    expressions = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    used = {name for expression in expressions for name in METRIC.findall(expression)}
    assert used <= asked
    bases = {re.sub(r"_(bucket|sum|count)$", "", name) for name in used}
    unseen = {"mujina_ldap_runs_total", "mujina_hook_delivery_seconds"}
    assert bases == {metrics.name(family) for family in families} - unseen
