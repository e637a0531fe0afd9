"""What loading says of a spec with some rules."""

import json
import tempfile
from pathlib import Path
from typing import Any

from surefoot.specs import lint


def said(*rules: Any, **keys: Any) -> list[str]:
    """The problems of a spec with these rules, from the key on."""
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "s.json"  # JSON is YAML
        file.write_text(json.dumps({"specs": [{"name": "s", "rules": rules} | keys]}))
        found = lint([file])
    return [one.removeprefix(f"{file}: specs[0].").removesuffix(" (line 1)") for one in found]
