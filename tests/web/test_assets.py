"""Style sheets, icons and scripts: where they are, how long they are kept, how large they may be."""

import gzip
import re

from mujina.web.assets import DIAGRAM_POLICY, FOLDER, asset_address, assets
from tests.harness.client import Raw

FIRST_VISIT = 40_000
"""Bytes that a browser loads beside its first page, compressed."""
STYLE_SHEET = 32_500
"""Bytes of the style sheet as it is served. Pickers, search suggestions and alerts in texts need what is above 30,000."""


def test_an_asset_is_cached_for_ever_at_the_address_of_its_content(client):
    for name, asset in assets().items():
        address = asset_address(name)
        assert re.fullmatch(r"/assets/[\w-]+\.[0-9a-f]{10}\.\w+", address)
        answer = client.get(f"/{address}", Raw(headers={"accept-encoding": "gzip"}))
        assert "immutable" in answer.headers["Cache-Control"]
        assert gzip.decompress(answer.body) == client.get(f"/{address}").body == asset.data
    assert client.get("//assets/site.0000000000.css").headers["Cache-Control"] == "public, max-age=3600"
    assert client.get("//assets/nothing.css").status == 404
    assert client.get("//assets/..%2Fsite.css").status == 404


def test_the_assets_of_a_first_visit_are_small():
    loaded = [assets()[name] for name in ("site.css", "site.js", "htmx.js", "icons.svg")]
    assert sum(len(asset.compressed) for asset in loaded) <= FIRST_VISIT
    assert len(assets()["site.css"].data) <= STYLE_SHEET


def test_the_frame_of_diagrams_has_no_origin_and_no_network(client):
    frame = client.get("//assets/diagram.html")
    assert (frame.headers["Content-Security-Policy"], frame.headers["X-Frame-Options"]) == (
        DIAGRAM_POLICY,
        "SAMEORIGIN",
    )
    assert DIAGRAM_POLICY.endswith("sandbox allow-scripts")
    assert "connect-src" not in DIAGRAM_POLICY
    scripts = re.findall(r'"(/assets/[^"]+)"', frame.text)
    assert len(scripts) == 4
    for path in scripts:
        script = client.get(f"/{path}")
        headers = [script.headers[name] for name in ("Content-Type", "Access-Control-Allow-Origin", "Cache-Control")]
        assert headers == ["text/javascript; charset=utf-8", "*", "public, max-age=31536000, immutable"], path


def test_every_icon_that_a_template_names_exists_and_the_others_are_gone():
    known = set(re.findall(r'<symbol id="([^"]+)"', (FOLDER / "icons.svg").read_text()))
    templates = FOLDER.parent / "templates"
    named = {
        icon for path in templates.rglob("*.html") for icon in re.findall(r'ui\.icon\("([^"]+)"', path.read_text())
    }
    named |= set(re.findall(r'"([a-z][a-z0-9-]+)", "/', (FOLDER.parent / "frame" / "navigation.py").read_text()))
    assert named - known == set()
    sources = [path.read_text() for suffix in ("html", "py") for path in FOLDER.parent.parent.rglob(f"*.{suffix}")]
    assert known - set(re.findall(r'"([a-z][a-z0-9-]*)"', "".join(sources))) == set()
