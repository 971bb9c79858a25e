"""Who may check the CI file of a project."""

from mujina.kernel.permissions.rules import admin, signed_in
from mujina.workspaces.members.access import developer
from mujina.workspaces.projects.rules import READ_CODE

LINT_FILE = READ_CODE & signed_in
"""The file as it is in the repository."""
LINT_CONTENT = READ_CODE & (developer | admin)
"""Any text, as if it were the file of the project."""
