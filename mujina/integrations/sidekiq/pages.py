"""The work in the background, for administrators: queues, processes, failed jobs."""

from mujina.integrations.deliveries.figures import delivery_figures
from mujina.integrations.sidekiq.params import FailedJob
from mujina.kernel import errors
from mujina.kernel.html.pages import HtmlPage, PageRequest, Redirect, form, view
from mujina.kernel.http.paging import Page
from mujina.kernel.jobs import failures, processes

PAGE = "/admin/background_jobs"


@view(PAGE, admin=True)
async def show_background_jobs(request: PageRequest, page: Page) -> HtmlPage:
    async with request.reading() as tx:
        processed, _ = await processes.totals(tx)
        context = {
            "queues": await processes.queue_figures(tx), "deliveries": await delivery_figures(tx),
            "processes": await processes.running_processes(tx), "failed": await failures.list_failed(tx, page),
            "processed_count": processed,
        }  # fmt: skip
    return HtmlPage("administration/background_jobs.html", context)


@form(f"{PAGE}/retry", admin=True, again=PAGE)
async def retry_job(request: PageRequest, job: FailedJob) -> Redirect:
    async with request.transaction() as tx:
        if not await failures.retry(tx, job.task, job.key):
            raise errors.conflict("This job is not waiting for another attempt: it runs, or it has succeeded.")
    return Redirect(PAGE, flash=f"{job.task} will be retried now.")


@form(f"{PAGE}/delete", admin=True, again=PAGE)
async def delete_job(request: PageRequest, job: FailedJob) -> Redirect:
    async with request.transaction() as tx:
        if not await failures.delete(tx, job.task, job.key):
            raise errors.conflict("This job is not waiting for another attempt: it runs, or it has succeeded.")
    return Redirect(PAGE, flash=f"{job.task} was deleted.")
