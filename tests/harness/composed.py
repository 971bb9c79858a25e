"""What the composed product has, for tests that go through all of it."""

from mujina.api import api_routes
from mujina.kernel.html.pages import pages_of
from mujina.kernel.jobs.tasks import tasks_of
from mujina.product import PRODUCT

ROUTES = api_routes(PRODUCT)
PAGES = pages_of(PRODUCT)
TASKS = [*tasks_of(PRODUCT)]
