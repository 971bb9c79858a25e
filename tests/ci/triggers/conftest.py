"""The project with a CI file in which pipelines are started."""

import pytest

from tests.ci.pipelines.conftest import Ci


@pytest.fixture
def begins_with():
    return {"ci": Ci}
