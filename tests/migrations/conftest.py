import pytest


@pytest.fixture
def run(loop):
    return loop.run_until_complete


@pytest.fixture
def second_url(engine, request, tmp_path):
    if engine == "sqlite":
        yield f"sqlite:///{tmp_path / 'second.db'}"
        return
    postgres = request.getfixturevalue("postgres")
    url = postgres.create()
    yield url
    postgres.drop(url)
