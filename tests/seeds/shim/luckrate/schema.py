"""`luckrate.schema`: Surefoot's `Step`, and luckrate's own number for its adapters."""

import os
import re
from pathlib import Path

from surefoot import Step

__all__ = ["RESULT_CAP", "Step"]

_SOURCE = Path(os.environ["LUCKRATE_SOURCE"], "schema.py").read_text(encoding="utf-8")
RESULT_CAP = int(re.findall(r"^RESULT_CAP = (\d+)$", _SOURCE, flags=re.MULTILINE)[0])
