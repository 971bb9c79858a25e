"""Background work on the domains of sites."""

from datetime import timedelta

from mujina.kernel.jobs.tasks import Run, task
from mujina.publishing.pages_domains import operations


@task("pages_domains.verify")
async def verify_domain(run: Run, key: str) -> None:
    """The row says whether the domain is that of the project. An instance that serves no sites calls no one."""
    if run.services.settings.serves_sites:
        await operations.verify(run.services, int(key))


@task("pages_domains.verify_due", every=timedelta(hours=1))
async def verify_due_domains(run: Run, key: str) -> None:  # noqa: ARG001 - there is one instance
    """Domains whose last check is long ago are checked, if this instance serves sites."""
    if not run.services.settings.serves_sites:
        return
    async with run.database.transaction() as tx:
        await operations.enqueue_due(tx)
