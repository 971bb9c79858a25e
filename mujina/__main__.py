"""`python -m mujina` is `mujina`."""

import sys

from mujina.cli.main import main

sys.exit(main())
