"""`luckrate`, played by Surefoot: what luckrate's own tests import in a child process.

What is not here (adapters, the runner) comes from luckrate's source, whose folder is named
by `LUCKRATE_SOURCE` and stands behind this one on the package's path.
"""

import os
from importlib.metadata import version

__path__.append(os.environ["LUCKRATE_SOURCE"])

from luckrate.check import check, hard  # noqa: E402 - the path comes first
from luckrate.schema import Step  # noqa: E402 - the path comes first

__all__ = ["Step", "check", "hard"]
__version__ = version("luckrate")
