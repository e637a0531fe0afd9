"""The marked blocks of code in a page that promises something.

A mark is a comment on the line before the block: `<!-- command: check -->`. Its first word
says what the block is, the rest names it.
"""

import re
from pathlib import Path

_BLOCK = re.compile(r"<!-- (\w+): ([\w ]+) -->\n```\w*\n(.*?)```", flags=re.DOTALL)


def blocks(page: Path) -> dict[tuple[str, str], str]:
    """By kind and name, the code of each marked block."""
    text = page.read_text(encoding="utf-8")
    return {(kind, name): body for kind, name, body in _BLOCK.findall(text)}


def unmarked(page: Path) -> int:
    """How many blocks of code carry no mark; pictures need none."""
    text = page.read_text(encoding="utf-8")
    fences = len(re.findall(r"^```\w*\n(?:.*\n)*?```$", text, flags=re.MULTILINE))
    return fences - text.count("```mermaid") - len(_BLOCK.findall(text))
