"""What pip asks for costs the same in a large index as in a small one."""

import pytest

from mujina.publishing.packages.rules import find_file_by_content, packages_of_project
from mujina.publishing.pypi_packages.entities import load_package
from tests.harness.statements import statements

PACKAGES, FILES = 500, 20
NUMBERS = "WITH RECURSIVE numbers (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM numbers WHERE n < {})"
NOW = "'2018-01-01T00:00:00.000Z'"


@pytest.fixture
def fill(cast):
    def fill(project_id, packages):
        cast.run(
            f"""{NUMBERS.format(packages)}
                INSERT INTO packages (project_id, package_type, name, version, created_at, updated_at)
                SELECT {project_id}, 'pypi', 'tool-' || n, '1.0', {NOW}, {NOW} FROM numbers"""
        )
        cast.run(
            f"""{NUMBERS.format(FILES)} INSERT INTO package_files (package_id, project_id, file_name, size, md5, sha1, sha256,
                    file, created_at, updated_at)
                SELECT pk.id, pk.project_id, pk.name || '-1.0-' || n || '.zip', 1, '', '', pk.id || '-' || n,
                    'packages/' || pk.id || '/' || n, {NOW}, {NOW}
                FROM packages pk, numbers WHERE pk.project_id = {project_id}"""
        )

    return fill


class Explaining:
    """A transaction that notes the plan of each statement."""

    def __init__(self, tx):
        self.tx, self.plans = tx, []

    async def _note(self, text, bound):
        explain = "EXPLAIN QUERY PLAN" if self.tx.engine == "sqlite" else "EXPLAIN"
        found = await self.tx.rows(tuple, f"{explain} {text}", **bound)
        self.plans += [str(line[-1]) for line in found]

    async def rows(self, shape, text, **bound):
        await self._note(text, bound)
        return await self.tx.rows(shape, text, **bound)

    async def row(self, shape, text, **bound):
        await self._note(text, bound)
        return await self.tx.row(shape, text, **bound)


def test_pip_reads_a_package_out_of_many_by_indexes(cast, fill):
    fill(cast.private.id, PACKAGES)
    fill(cast.public.id, 10)
    cast.run("ANALYZE packages")
    cast.run("ANALYZE package_files")

    def page(project):
        with statements(cast.database) as used:
            answer = cast.reporter.get(f"/projects/{project.id}/packages/pypi/simple/tool-7")
        assert answer.body.count(b"<a ") == FILES
        return used.count

    assert page(cast.private) == page(cast.public)

    async def explain(tx):
        explaining = Explaining(tx)
        package = await load_package(explaining, packages_of_project(cast.private.id), "tool-7")
        sha256 = package.files[0].hashes["sha256"]
        await find_file_by_content(explaining, cast.private.id, "pypi", sha256, package.files[0].filename)
        return explaining.plans

    plans = cast.transact(explain)
    assert plans
    assert [line for line in plans if "Seq Scan" in line or line.startswith(("SCAN pk", "SCAN f"))] == []
