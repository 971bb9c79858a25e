"""GET /runners/:id/jobs."""


def test_the_jobs_of_a_runner_in_projects_that_one_may_read(cast, new_runner, new_job):
    secret = cast.root.post("/projects", name="secret", visibility="private").json["id"]
    shared, own = new_runner(), new_runner(cast.private)
    jobs = [new_job(cast.private) for _ in range(2)]
    assert [own.take() for _ in jobs] == jobs
    own.put(jobs[0], state="success")
    cast.run("UPDATE pipeline_jobs SET project_id = :secret WHERE id = :id", secret=secret, id=jobs[1])

    def listed(person, **query):
        return [(job["id"], job["project"]["id"]) for job in person.get(f"/runners/{own.id}/jobs", **query).json]

    assert listed(cast.master) == [(jobs[0], cast.private.id)]
    assert listed(cast.root) == [(jobs[1], secret), (jobs[0], cast.private.id)]
    assert listed(cast.root, status="running") == [(jobs[1], secret)]
    assert listed(cast.root, order_by="id", sort="asc") == [(jobs[0], cast.private.id), (jobs[1], secret)]
    assert (listed(cast.root, status="canceling"), listed(cast.root, status="waiting_for_resource")) == ([], [])
    runner = cast.root.get(f"/runners/{own.id}/jobs").json[0]["runner"]
    assert (runner["id"], runner["ip_address"]) == (own.id, None)
    refused = {"message": "403 Forbidden - No access granted"}
    assert cast.developer.get(f"/runners/{own.id}/jobs").json == refused
    assert cast.master.get(f"/runners/{shared.id}/jobs").json == refused
    assert cast.master.get("/runners/999999/jobs").status == 404
    for wrong in ({"status": "x"}, {"order_by": "x"}, {"sort": "x"}):
        assert cast.master.get(f"/runners/{own.id}/jobs", **wrong).status == 400
