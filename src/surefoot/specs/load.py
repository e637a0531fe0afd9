"""Spec files to a set of compiled specs.

Owns files and folders, and the wording of what is wrong: all problems of all files at
once, each as `file: specs[0].before[1]: what is wrong; what would be right`, with the
line at its end where there is one, in order of lines. Decides nothing about specs.
"""

from collections.abc import Iterable, Iterator, Sequence
from operator import itemgetter
from pathlib import Path
from typing import Any, NamedTuple

from pydantic import ValidationError
from yaml import Node

from surefoot.errors import ConfigError, SpecError
from surefoot.specs.match import SpecSet
from surefoot.specs.problems import beneath, of_model
from surefoot.specs.schema import File, Spec
from surefoot.yamlfile import Document, dotted, line_number, read, spelled

_SUFFIXES = (".yaml", ".yml")


def load(paths: Iterable[Path | str]) -> SpecSet:
    """Load spec files, and of folders their `*.yaml` and `*.yml`, sorted by name.

    Raises:
        SpecError: With a line for each problem of any of the files.
    """
    return SpecSet.of(written(paths))


def written(paths: Iterable[Path | str]) -> list[Spec]:
    """The specs of these files as they are written, for whoever tells of them.

    Raises:
        SpecError: With a line for each problem of any of the files.
    """
    specs, found = _read(paths)
    if found:
        raise SpecError("\n".join(found))
    return specs


def lint(paths: Iterable[Path | str]) -> list[str]:
    """Every problem of the files that `load` would refuse, one a line."""
    return _read(paths)[1]


def _read(paths: Iterable[Path | str]) -> tuple[list[Spec], list[str]]:
    specs: list[Spec] = []
    found: list[str] = []
    owners: dict[str, str] = {}
    for path in map(Path, paths):
        try:
            files = spec_files(path)
        except SpecError as problem:
            found.append(str(problem))
            continue
        for file in files:
            told = _read_file(file)
            found += told.wrong
            for index, name, line in told.names:
                where = f"{file}: specs[{index}]"
                if name in owners:
                    right = f"{owners[name]} has it; names are unique in a set, choose another"
                    found.append(f"{where}.name: {name!r} is taken; {right} (line {line})")
                owners.setdefault(name, where)
            specs += told.specs
    return specs, found


def spec_files(path: Path) -> list[Path]:
    """The files that `load` reads for `path`, in its order.

    Raises:
        SpecError: There is none.
    """
    try:
        return _files(path)
    except OSError as failure:
        reason = failure.strerror
        raise SpecError(f"{path}: cannot be read: {reason}; let us list and enter it") from failure


def _files(path: Path) -> list[Path]:
    if not path.exists():
        raise SpecError(f"{path}: no such file; name a spec file or a folder of them")
    if not path.is_dir():
        return [path]
    files = sorted(file for file in path.iterdir() if file.suffix in _SUFFIXES and file.is_file())
    if not files:
        raise SpecError(f"{path}: no spec file in this folder; add one that ends in .yaml")
    return files


class _Told(NamedTuple):
    """What a file says.

    specs: none where anything is wrong. names: of its specs, also of wrong ones, by index,
    and on which line.
    """

    specs: Sequence[Spec] = ()
    names: Sequence[tuple[int, str, int]] = ()
    wrong: Sequence[str] = ()


def _read_file(file: Path) -> _Told:
    try:
        document = read(file)
    except ConfigError as problem:
        return _Told(wrong=[f"{file}: {problem}"])
    told = _parse(document)
    return told._replace(wrong=[f"{file}: {problem}" for problem in told.wrong])


def _parse(document: Document) -> _Told:
    content, tree = document.content, document.tree
    if not isinstance(content, dict) or "specs" not in content:
        return _Told(wrong=["not a spec file; write `specs:` and a list of specs below it"])
    names = tuple(_names(content["specs"], tree))
    try:
        return _Told(File.model_validate(content).specs, names)
    except ValidationError as failure:
        wrong = (*of_model(failure, content), *beneath(failure, content))
        found = [(line_number(tree, at), at, words) for at, words in dict.fromkeys(wrong)]
    found.sort(key=itemgetter(0))
    lines = [f"{dotted(spelled(tree, at))}: {words} (line {number})" for number, at, words in found]
    return _Told((), names, lines)


def _names(specs: Any, tree: Node | None) -> Iterator[tuple[int, str, int]]:
    for index, spec in enumerate(specs if isinstance(specs, list) else ()):
        name = spec.get("name") if isinstance(spec, dict) else None
        if isinstance(name, str) and name:
            yield index, name, line_number(tree, ("specs", index, "name"))
