"""What differs in a restored row from the row of the set, so that nothing begins by itself and no token opens two things."""

from collections.abc import Callable, Mapping
from typing import Any, Final

from mujina.code.pipelines.statuses import FINISHED
from mujina.kernel import clock, secrets
from mujina.kernel.secrets import UnreadableSecret, Vault

Adjustment = Callable[[dict[str, Any], Vault], None]
_INACTIVE_STATUSES: Final = (*FINISHED, "manual")
PURPOSES: Final = (
    "runners_token", "import_url", "schedule_variable", "job_traces", "pipeline_jobs.token", "pipeline_variables.value",
    "ci_variable", "trigger_token", "pages_domain_key", "hook_url", "hook_token", "service",
    "remote_mirrors.url", "remote_mirrors.private_key", "import_keys.private_key", "feature_flag_clients.token",
)  # fmt: skip
"""For what secrets of projects are encrypted."""


def _project(row: dict[str, Any], vault: Vault) -> None:
    """It has a new registration token, and fetches nothing from elsewhere until it is told to."""
    token = secrets.new_token()
    row["runners_token"], row["runners_token_digest"] = vault.encrypt(token, "runners_token"), secrets.digest(token)
    row["mirror"] = False
    if row["import_status"] in ("scheduled", "started"):
        row["import_status"] = "failed"


def _group(row: dict[str, Any], _: Vault) -> None:
    row["runners_token"] = row["runners_token_digest"] = None


def _ended(row: dict[str, Any], _: Vault) -> None:
    """What was under way is canceled: no runner takes it."""
    if row["status"] not in _INACTIVE_STATUSES:
        row["status"], row["updated_at"] = "canceled", clock.now()
        if "finished_at" in row:
            row["finished_at"] = row["finished_at"] or clock.now()
    if "token_digest" in row:
        row["token_digest"] = row["token"] = None


def _merge_request(row: dict[str, Any], _: Vault) -> None:
    """A merge that was under way did not take place."""
    row["merging_push_id"] = row["merging_sha"] = row["merging_squash_sha"] = row["rebase_sha"] = None
    if row["state"] == "locked":
        row["state"] = "opened"


def _remote_mirror(row: dict[str, Any], _: Vault) -> None:
    """It pushes nothing until it is switched on."""
    row["enabled"] = False


def _schedule(row: dict[str, Any], _: Vault) -> None:
    row["active"], row["due_at"] = False, None


ADJUSTMENTS: Final[Mapping[str, Adjustment]] = {
    "projects": _project, "groups": _group, "pipelines": _ended, "pipeline_jobs": _ended, "deployments": _ended,
    "merge_requests": _merge_request, "pipeline_schedules": _schedule, "remote_mirrors": _remote_mirror,
}  # fmt: skip


class Reencryption:
    """Secrets of the set as secrets of this instance, which may have another key."""

    def __init__(self, source: Vault, target: Vault) -> None:
        self._source, self._target = source, target
        self.unreadable = 0

    def apply(self, row: dict[str, Any]) -> None:
        """Encrypt each secret of the row for this instance; one that cannot be read stays as it is and is counted."""
        for column, value in row.items():
            if isinstance(value, str) and value.startswith("v1:"):
                key_id = value.split(":", 2)[1]
                if not self._target.knows(key_id) and (self._source.knows(key_id) or len(key_id) == 8):
                    row[column] = self._reencrypt(value)

    def _reencrypt(self, value: str) -> str:
        for purpose in PURPOSES:
            try:
                return self._target.encrypt(self._source.decrypt(value, purpose), purpose)
            except UnreadableSecret:
                continue
        self.unreadable += 1
        return value
