"""Takes the pictures of the guides from a new instance that `mujina seed demo` filled: `make pictures`."""

import io
import os
import subprocess
import sys
import tempfile
from pathlib import Path

from PIL import Image

from docs import otter
from docs.screenshots import FONTS, sign_in
from tests.harness.chromium import chromium
from tests.harness.running import RunningServer

FOLDER = Path(__file__).parent / "pictures"
STOREFRONT = "/harbor/web/storefront"
PAGES = {
    "group": "/harbor",
    "project": STOREFRONT,
    "issues": f"{STOREFRONT}/issues?state=all",
    "issue": f"{STOREFRONT}/issues/5",
    "commits": f"{STOREFRONT}/commits/master",
    "merge-request": f"{STOREFRONT}/merge_requests/3",
}
COLORS = 128
"""Enough for a page without photographs, and a third of the bytes."""


def main() -> None:
    """Rewrite docs/pictures/*.png."""
    os.environ |= {"MUJINA_ROOT_PASSWORD": otter.PASSWORD, "FONTCONFIG_FILE": str(FONTS)}
    FOLDER.mkdir(exist_ok=True)
    with tempfile.TemporaryDirectory() as folder:
        server = RunningServer(Path(folder) / "data", f"sqlite:///{folder}/mujina.db")
        server.start()
        try:
            seed = [sys.executable, "-m", "mujina", "seed", "demo", "--data", str(server.data)]
            subprocess.run([*seed, "--database-url", server.database_url], check=True)
            _take_all(server)
        finally:
            server.kill()


def _take_all(server: RunningServer) -> None:
    with chromium() as browser:
        page = browser.new_context(base_url=server.url, viewport={"width": 1280, "height": 800}).new_page()
        sign_in(page, "root")
        for name, path in PAGES.items():
            response = page.goto(path)
            if response is None or not response.ok:
                raise SystemExit(f"{path} did not answer as it should")
            picture = (
                Image.open(io.BytesIO(page.screenshot())).convert("RGB").quantize(COLORS, dither=Image.Dither.NONE)
            )
            picture.save(FOLDER / f"{name}.png", optimize=True)
            print(FOLDER / f"{name}.png")


if __name__ == "__main__":
    main()
