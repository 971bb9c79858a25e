"""The documentation site: its links lead somewhere."""

from pathlib import Path

import pytest

from docs.site import build


@pytest.mark.long(10)
def test_the_site_is_built_and_every_link_leads_somewhere(tmp_path: Path):
    assert build(tmp_path / "site") == 0
    page = (tmp_path / "site" / "api" / "issues.html").read_text()
    assert "POST /projects/{id}/issues" in page
