"""Jobs of pipelines that run without a runner's request for them."""

from mujina.ci.jobs import operations as jobs


def start_job(cast, vault, job_id):
    """The token of the job, which is running from now on."""

    async def start(tx):
        locked = await jobs.lock(tx, job_id)
        assert locked is not None
        assert locked[1].status == "pending"
        return await jobs.start(tx, vault, locked[1], None)

    return cast.transact(start)
