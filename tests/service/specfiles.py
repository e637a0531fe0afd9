"""Spec files for tests, and the ways in which programs replace one."""

import os
from collections.abc import Callable
from pathlib import Path

Write = Callable[[Path, str], None]


def a_spec(*forbidden: str, name: str = "refunds", more: str = "") -> str:
    """A spec file with one spec."""
    return (
        f"specs:\n  - name: {name}\n    forbidden: [{', '.join(forbidden or ('send_email',))}]\n"
        f"{more}"
    )


def in_place(file: Path, text: str) -> None:
    """As `cat > file` does."""
    file.write_text(text, encoding="utf-8")


def in_two_steps(file: Path, text: str) -> None:
    """As an editor does that empties a file first; half of it stands there for a moment."""
    with file.open("w", encoding="utf-8") as opened:
        opened.write(text[: len(text) // 2])
        opened.flush()
        opened.write(text[len(text) // 2 :])


def by_rename(file: Path, text: str) -> None:
    """As vim, sed -i and most deployments do."""
    beside = file.with_name(f".{file.name}.new")
    beside.write_text(text, encoding="utf-8")
    beside.replace(file)


def anew(file: Path, text: str) -> None:
    """Delete, and create."""
    file.unlink(missing_ok=True)
    file.write_text(text, encoding="utf-8")


def as_kubernetes(file: Path, text: str) -> None:
    """As a mounted ConfigMap changes: `..data` is led to another folder, at once."""
    folder, data = file.parent, file.parent / "..data"
    generation = sum(one.name.startswith("..gen") for one in folder.iterdir())
    target = folder / f"..gen{generation}"
    target.mkdir()
    (target / file.name).write_text(text, encoding="utf-8")
    before = data.resolve() if data.is_symlink() else None
    (folder / "..data_tmp").symlink_to(target.name)
    (folder / "..data_tmp").rename(data)
    if not file.is_symlink():
        file.unlink(missing_ok=True)
        file.symlink_to(os.path.join("..data", file.name))  # noqa: PTH118 - a relative link
    if before is not None:
        for old in before.iterdir():
            old.unlink()
        before.rmdir()


WAYS: tuple[Write, ...] = (in_place, in_two_steps, by_rename, anew, as_kubernetes)
