def link(person, issue, project_id, iid):
    return person.post(f"{issue}/links", target_project_id=project_id, target_issue_iid=iid)


def related(person, issue):
    answer = person.get(f"{issue}/links")
    assert answer.headers["X-Total"] == str(len(answer.json))
    return [(other["project_id"], other["iid"]) for other in answer.json]
