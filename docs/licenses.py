"""Copies the texts of licenses from the npm package spdx-license-list: `python -m docs.licenses FOLDER_OF_THE_PACKAGE`."""

import json
import sys
from pathlib import Path

from mujina.code.file_templates.licenses import LICENSES

TEXTS = Path(__file__).parents[1] / "mujina" / "code" / "file_templates" / "texts" / "licenses"


def main(package: Path) -> None:
    for key, known in LICENSES.items():
        license_file = package / "licenses" / f"{known.spdx_id}.json"
        text = json.loads(license_file.read_text(encoding="utf-8"))["licenseText"]
        lines = [line.rstrip() for line in text.replace("\r\n", "\n").strip().split("\n")]
        (TEXTS / f"{key}.txt").write_text("\n".join(lines) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main(Path(sys.argv[1]))
