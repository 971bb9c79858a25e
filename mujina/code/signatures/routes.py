"""The signature of a commit."""

from mujina.code.commits import operations as commits
from mujina.code.signatures import operations
from mujina.code.signatures.entities import CommitSignature, to_signature
from mujina.kernel import errors
from mujina.kernel.http.dispatcher import Call
from mujina.kernel.http.params import Ref
from mujina.kernel.http.routing import Segment, get


@get("/projects/:id/repository/commits/:sha/signature", anonymous=True)
async def show_commit_signature(call: Call, id: Ref, sha: Segment) -> CommitSignature:
    project, code = await commits.find_code(call.services, call.actor, id)
    commit_id = commits.find(code, sha).id
    signature = (await operations.read(call.services, code, project.id, [commit_id], required=True)).get(commit_id)
    return to_signature(errors.or_not_found(signature, "Signature"))
