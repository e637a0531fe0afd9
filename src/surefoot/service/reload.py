"""Spec files that change while the server runs: their set is taken over whole, or not.

Owns the thread that looks, and when. What a set is made of, and what is wrong with one,
is `specs`' business; who must know of a new one is the server's.

    watchfiles: something changed ─┬─> other content? quiet? ─> load ─> another hash ─> use it
    every LOOK_S ──────────────────┘                             └────> refused: say why, once

Theory: an event only says that a look is worth it; what the files hold decides. So it
does not matter how an editor writes them (in place, by a rename, by another symlink as
Kubernetes does), nor that saving touches a file many times. And a slow look of our own
needs no event: it finds what file systems tell nobody (network mounts), a folder that
was made later or anew, a link that now leads elsewhere. Only folders are watched, none
with what is below it: a file's own folder, and the one that a link leads to.
"""

import logging
import os
import stat
import threading
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from hashlib import blake2b
from pathlib import Path
from typing import Final

from surefoot.errors import ConfigError, SpecError
from surefoot.specs import SpecSet, load
from surefoot.specs.load import spec_files
from surefoot.telemetry import (
    Event,
    NoSpecs,
    SpecsLoaded,
    SpecsRejected,
    SpecsUnwatched,
    Telemetry,
)
from surefoot.yamlfile import LARGEST_BYTES

#: How often the files are looked at though nothing was told of them. A look at ten files
#: takes half a millisecond.
LOOK_S: Final = 5.0
#: Files that hold the same for so long are written; some editors write in two steps.
QUIET_S: Final = 0.2
#: watchfiles: how often it asks whether to stop, and the longest that it collects
#: changes of a folder in which something changes all the time. Milliseconds.
_STEP_MS: Final = 50
_COLLECT_MS: Final = 1_000
#: What the thread gets to end; it takes a step unless it is in the middle of loading.
_END_S: Final = 2.0

#: Gives something at each change in folders, and now and then, until it must stop.
Changes = Callable[[Sequence[str], threading.Event], Iterable[object]]
#: By device and inode, where a folder to be watched is.
Folders = Mapping[tuple[int, int], str]


class SpecFiles:
    """The spec files and folders that were named, and what they held when last read.

    Args:
        find: Names them, anew at each look: a default folder may be made later. Once
            there were some, none means the same ones, so that a folder that vanishes is
            a problem and not a wish to judge nothing.
        default: In words, where `find` looks that found none.
    """

    def __init__(self, find: Callable[[], Sequence[Path]], default: str = "") -> None:
        self._find = find
        self._default = default
        self._named: tuple[Path, ...] = ()
        self._held = b""

    def load(self) -> SpecSet:
        """What they say now.

        Raises:
            SpecError: With a line for each problem of any of the files.
        """
        self._held = self._content()  # first: what changes while it is read is another
        return load(self._named)

    def looked(self) -> str:
        """In words, where the last look was for specs."""
        named = ", ".join(str(path.absolute()) for path in self._named)
        return f"looked in {named}" if named else self._default

    def differ(self, wait: Callable[[], bool]) -> bool:
        """Whether they hold something else than was last read, and hold it for a while.

        `wait` lets that while pass; it says whether to give up.
        """
        content = self._content()
        while content != self._held:
            if wait():
                return False
            before, content = content, self._content()
            if content == before:
                return True
        return False

    def folders(self) -> Folders:
        """Where a change of them is to be seen."""
        found: dict[tuple[int, int], str] = {}
        for folder in dict.fromkeys(self._folders()):
            try:
                about = folder.stat()
            except OSError:
                continue
            if stat.S_ISDIR(about.st_mode):
                found.setdefault((about.st_dev, about.st_ino), str(folder))
        return found

    def _folders(self) -> Iterator[Path]:
        for path in self._named:
            yield path if path.is_dir() else path.parent
            try:
                files = spec_files(path)
            except SpecError:
                continue
            yield from (Path(os.path.realpath(file)).parent for file in files)

    def _content(self) -> bytes:
        """A digest of all that loading them would read. O(bytes)."""
        self._named = tuple(self._find()) or self._named
        told = blake2b(digest_size=16)
        for path in self._named:
            try:
                files = spec_files(path)
            except SpecError as problem:
                told.update(f"{path}: {problem}\n".encode("utf-8", "surrogateescape"))
                continue
            for file in files:
                told.update(f"{file}: ".encode("utf-8", "surrogateescape") + _digest(file))
        return told.digest()


class Reload:
    """Takes over what spec files say, from `start` to `stop`.

    Args:
        files: Which, and what they held when `in_force` was loaded.
        in_force: The set at the start.
        use: Makes a set the one in force.
        telemetry: Told of each set that is used or refused.
        changes: Says when to look.
        quiet_s: How long content must stay the same before it is read.
        look_s: How often we look where nothing tells of changes.
    """

    def __init__(  # noqa: PLR0913 - the last three have defaults
        self,
        files: SpecFiles,
        in_force: SpecSet,
        use: Callable[[SpecSet], None],
        telemetry: Telemetry,
        *,
        changes: Changes | None = None,
        quiet_s: float = QUIET_S,
        look_s: float = LOOK_S,
    ) -> None:
        self._files = files
        self._hash = in_force.hash
        self._refused = False
        self._use = use
        self._telemetry = telemetry
        self._changes = changes or file_changes
        self._quiet_s = quiet_s
        self._look_s = look_s
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._run, name="specs", daemon=True)
        self._unwatched = False

    def start(self) -> None:
        """Begin to watch."""
        self._thread.start()

    def stop(self) -> None:
        """End at once; no set is taken over after that. Unstarted is fine."""
        self._stop.set()
        if self._thread.ident is not None:
            self._thread.join(_END_S)

    def look(self) -> None:
        """Take over the set that the files hold, if it is another one and a good one."""
        if not self._files.differ(lambda: self._stop.wait(self._quiet_s)):
            return
        try:
            specs = self._files.load()
        except ConfigError as problem:
            self._refused = True
            self._telemetry.record(SpecsRejected(" | ".join(str(problem).splitlines())))
            return
        except Exception as error:  # noqa: BLE001 - a fault of ours leaves the old set in force
            self._refused = True
            reason = f"a fault in Surefoot ({type(error).__name__}), please report it"
            self._telemetry.record(SpecsRejected(reason), error)
            return
        refused, self._refused = self._refused, False
        if self._stop.is_set():
            return
        if specs.hash != self._hash:
            self._hash = specs.hash
            self._use(specs)
        elif not refused:  # a comment
            return
        self._telemetry.record(now_in_force(specs, self._files.looked()))

    def _run(self) -> None:
        while not self._stop.is_set():
            try:
                self._watch()
            except FileNotFoundError:  # a folder went after we had seen it
                self._stop.wait(self._quiet_s)
            except Exception as error:  # noqa: BLE001 - judging goes on without us
                self._tell(error)
                self._stop.wait(self._look_s)

    def _watch(self) -> None:
        """Look at each change, until other folders must be watched."""
        self.look()
        folders = self._files.folders()
        for _ in self._changes(list(folders.values()), self._stop):
            self.look()
            if self._files.folders() != folders:
                return
        if not self._stop.is_set():
            raise RuntimeError("the watcher ended")

    def _tell(self, error: Exception) -> None:
        if not self._unwatched:
            self._unwatched = True
            self._telemetry.record(SpecsUnwatched(str(error), self._look_s), error)


def now_in_force(specs: SpecSet, looked: str) -> Event:
    """What is said of a set that comes into force. looked: where specs were looked for."""
    return SpecsLoaded(specs.hash, len(specs.specs)) if specs.specs else NoSpecs(looked)


def file_changes(
    folders: Sequence[str], stop: threading.Event, every_s: float = LOOK_S
) -> Iterator[object]:
    """Something at each change in one of `folders`, and every `every_s` in any case.

    Raises:
        FileNotFoundError: A folder is not there.
        OSError: The system has no more watches to give; RuntimeError for other troubles.
    """
    if not folders:
        while not stop.wait(every_s):
            yield None
        return
    from watchfiles import watch  # noqa: PLC0415 - takes 40 ms to load, beside the start

    logging.getLogger("watchfiles").setLevel(logging.WARNING)  # it has a line for each change
    yield from watch(
        *folders,
        watch_filter=None,
        debounce=_COLLECT_MS,
        step=_STEP_MS,
        stop_event=stop,
        rust_timeout=int(every_s * 1000),
        yield_on_timeout=True,
        raise_interrupt=False,
        recursive=False,
    )


def _digest(file: Path) -> bytes:
    """Of what a file holds. A pipe is not read: that would take it from who reads next."""
    try:
        if not file.is_file():
            return b"no file\n"
        with file.open("rb") as opened:
            return blake2b(opened.read(LARGEST_BYTES + 1), digest_size=16).digest()
    except OSError as problem:
        return f"{problem.errno}\n".encode()
