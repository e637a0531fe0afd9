"""Spec files that change under a running server, without the server."""

import os
import shutil
import threading
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from clocks import FrozenClock
from service.specfiles import WAYS, Write, a_spec, as_kubernetes
from surefoot.service.reload import Reload, SpecFiles, file_changes
from surefoot.specs import SpecSet, load
from surefoot.telemetry import (
    Event,
    NoSpecs,
    SpecsLoaded,
    SpecsRejected,
    SpecsUnwatched,
    Telemetry,
)

PATIENCE_S = 20


class Heard(Telemetry):
    """Keeps what it is told."""

    def __init__(self) -> None:
        super().__init__(FrozenClock())
        self.events: list[Event] = []
        self.came = threading.Condition()

    def record(self, event: Event, _error: BaseException | None = None) -> None:
        """See `Telemetry`."""
        with self.came:
            self.events.append(event)
            self.came.notify_all()

    def wait_for(self, count: int) -> list[Event]:
        """Wait until so many events were told."""
        with self.came:
            assert self.came.wait_for(lambda: len(self.events) >= count, PATIENCE_S), self.events
            return list(self.events)


class Desk:
    """A `Reload` of some paths, and what it did."""

    def __init__(
        self,
        *paths: Path,
        find: Callable[[], Sequence[Path]] | None = None,
        changes: "Scripted | None" = None,
        files: type[SpecFiles] = SpecFiles,
    ) -> None:
        self.files = files(find or (lambda: paths))
        self.heard = Heard()
        self.used: list[SpecSet] = []
        self.first = self.files.load()
        self.reload = Reload(
            self.files,
            self.first,
            self.used.append,
            self.heard,
            changes=changes,
            quiet_s=0,
            look_s=0,
        )

    def look(self) -> list[Event]:
        """Look once; what was said because of it."""
        before = len(self.heard.events)
        self.reload.look()
        return self.heard.events[before:]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A folder with one spec file."""
    specs = tmp_path / "specs"
    specs.mkdir()
    (specs / "refunds.yaml").write_text(a_spec(), encoding="utf-8")
    return specs


@pytest.mark.parametrize("write", WAYS)
@pytest.mark.parametrize("named", ["refunds.yaml", "."])
def test_however_a_file_is_replaced_its_new_content_comes_into_force(
    folder: Path, named: str, write: Write
) -> None:
    """Whether the file was named or its folder; and a second time, too."""
    desk = Desk(folder / named)
    for tool in ("issue_refund", "wire_money"):
        write(folder / "refunds.yaml", a_spec(tool))
        expected = load([folder / "refunds.yaml"]).hash

        assert desk.look() == [SpecsLoaded(expected, 1)]
        assert desk.used[-1].hash == expected
    assert len({desk.first.hash, *(used.hash for used in desk.used)}) == 3


def test_what_says_the_same_is_not_told(folder: Path) -> None:
    """A comment, a file that was touched, a spec that moved to another file."""
    desk = Desk(folder)
    file = folder / "refunds.yaml"
    file.write_text(f"# why\n{a_spec()}", encoding="utf-8")
    assert desk.look() == []
    os.utime(file, (1, 1))
    assert desk.look() == []
    file.rename(folder / "desk.yml")

    assert desk.look() == []
    assert desk.used == []


def test_files_that_come_and_go_in_a_folder_change_the_set(folder: Path) -> None:
    desk = Desk(folder)
    (folder / "more.yaml").write_text(a_spec(name="more"), encoding="utf-8")
    (added,) = desk.look()
    (folder / "more.yaml").unlink()
    (removed,) = desk.look()

    assert isinstance(added, SpecsLoaded)
    assert (added.specs, [spec.name for spec in desk.used[0].specs]) == (2, ["more", "refunds"])
    assert removed == SpecsLoaded(desk.first.hash, 1)


def broken_yaml(folder: Path) -> None:
    (folder / "refunds.yaml").write_text("specs: [", encoding="utf-8")


def an_unknown_key(folder: Path) -> None:
    (folder / "refunds.yaml").write_text(a_spec(more="    forbiden: [x]\n"), encoding="utf-8")


def no_text(folder: Path) -> None:
    (folder / "refunds.yaml").write_bytes(b"specs: \xff")


def an_empty_file(folder: Path) -> None:
    (folder / "refunds.yaml").write_text("", encoding="utf-8")


def a_name_that_is_taken(folder: Path) -> None:
    (folder / "again.yaml").write_text(a_spec("x"), encoding="utf-8")


def no_file(folder: Path) -> None:
    (folder / "refunds.yaml").unlink()


def no_folder(folder: Path) -> None:
    shutil.rmtree(folder)


def a_file_for_a_folder(folder: Path) -> None:
    shutil.rmtree(folder)
    folder.write_text("now a file", encoding="utf-8")


@pytest.mark.parametrize(
    ("spoil", "told"),
    [
        (broken_yaml, "refunds.yaml: "),
        (an_unknown_key, "forbiden"),
        (no_text, "UTF-8"),
        (an_empty_file, "not a spec file"),
        (a_name_that_is_taken, "'refunds' is taken"),
        (no_file, "no spec file in this folder"),
        (no_folder, "no such file"),
        (a_file_for_a_folder, "not a spec file"),
    ],
)
def test_a_problem_leaves_the_old_set_and_is_told_once(
    folder: Path, spoil: Callable[[Path], None], told: str
) -> None:
    """Told again only after other content; that all is in order again is told too."""
    desk = Desk(folder)
    spoil(folder)
    (said,) = desk.look()
    again = desk.look()
    if folder.is_file():
        folder.unlink()
    folder.mkdir(exist_ok=True)
    (folder / "again.yaml").unlink(missing_ok=True)
    (folder / "refunds.yaml").write_text(a_spec(), encoding="utf-8")
    mended = desk.look()
    spoil(folder)

    assert isinstance(said, SpecsRejected)
    assert told in said.reason
    assert (again, desk.used) == ([], [])
    assert [type(one) for one in mended] == [SpecsLoaded]  # the set in force, in order again
    assert desk.look() == [said]


def test_other_broken_content_is_told_though_the_problem_is_the_same(folder: Path) -> None:
    """Whoever saves again learns that it was looked at."""
    desk = Desk(folder)
    broken_yaml(folder)
    first = desk.look()
    (folder / "refunds.yaml").write_text("specs: [ ", encoding="utf-8")

    assert len(first) == len(desk.look()) == 1


def test_all_problems_of_all_files_are_told_at_once(folder: Path) -> None:
    desk = Desk(folder)
    an_unknown_key(folder)
    (folder / "second.yaml").write_text("[]", encoding="utf-8")
    (said,) = desk.look()

    assert isinstance(said, SpecsRejected)
    first, second = said.reason.split(" | ")
    assert "refunds.yaml: specs[0].forbiden" in first
    assert second.startswith(str(folder / "second.yaml"))


def test_a_fault_of_ours_is_told_and_leaves_the_old_set(folder: Path) -> None:
    class Faulty(SpecFiles):
        loads = 0

        def load(self) -> SpecSet:
            self.loads += 1
            specs = super().load()
            if self.loads > 1:
                raise ZeroDivisionError
            return specs

    desk = Desk(folder, files=Faulty)
    (folder / "refunds.yaml").write_text(a_spec("x"), encoding="utf-8")

    assert desk.look() == [
        SpecsRejected("a fault in Surefoot (ZeroDivisionError), please report it")
    ]
    assert desk.used == []


def test_a_file_that_is_half_written_is_waited_for(folder: Path) -> None:
    file, whole = folder / "refunds.yaml", a_spec("issue_refund", "wire_money")
    files = SpecFiles(lambda: [folder])
    files.load()
    lengths = iter([20, 40, len(whole)])

    def wait() -> bool:
        length = next(lengths, None)
        if length is not None:
            file.write_text(whole[:length], encoding="utf-8")
        return False

    file.write_text("", encoding="utf-8")
    assert files.differ(wait)
    assert files.load().hash == load([folder]).hash
    assert not files.differ(wait)


def test_what_is_back_before_it_was_read_is_no_change(folder: Path) -> None:
    """Deleted and created with the same content."""
    files = SpecFiles(lambda: [folder])
    files.load()
    file = folder / "refunds.yaml"

    def wait() -> bool:
        file.write_text(a_spec(), encoding="utf-8")
        return False

    file.unlink()

    assert not files.differ(wait)


def test_who_must_stop_waits_for_no_content(folder: Path) -> None:
    files = SpecFiles(lambda: [folder])
    files.load()
    broken_yaml(folder)

    assert not files.differ(lambda: True)
    assert files.differ(lambda: False)


def test_other_files_in_the_folder_are_not_looked_at(folder: Path) -> None:
    files = SpecFiles(lambda: [folder])
    files.load()
    (folder / ".refunds.yaml.swp").write_text("x", encoding="utf-8")
    (folder / "README").write_text("x", encoding="utf-8")
    (folder / "deeper").mkdir()
    (folder / "deeper" / "more.yaml").write_text(a_spec(name="more"), encoding="utf-8")

    assert not files.differ(lambda: False)


def test_a_pipe_is_read_once_and_never_again(tmp_path: Path) -> None:
    """`--specs <(generate)`: who opened it again would wait for a writer for ever."""
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_text, args=(a_spec(),))
    writer.start()
    desk = Desk(pipe)
    writer.join(PATIENCE_S)

    assert len(desk.first.specs) == 1
    assert desk.look() == []


def test_a_folder_that_is_made_later_is_found_and_from_then_on_missed(tmp_path: Path) -> None:
    """`./specs` when none are named: not there is no problem, gone is one."""
    folder = tmp_path / "specs"

    def find() -> tuple[Path, ...]:
        return (folder,) if list(folder.glob("*.yaml")) else ()

    desk = Desk(find=find)
    assert (desk.first, desk.look(), desk.files.folders()) == (SpecSet(), [], {})
    folder.mkdir()
    (folder / "refunds.yaml").write_text(a_spec(), encoding="utf-8")
    (found,) = desk.look()
    no_folder(folder)
    (gone,) = desk.look()

    assert found == SpecsLoaded(desk.used[0].hash, 1)
    assert isinstance(gone, SpecsRejected)
    assert len(desk.used) == 1


def test_a_set_without_specs_is_told_as_at_the_start(folder: Path) -> None:
    class Emptied(SpecFiles):
        def load(self) -> SpecSet:
            return SpecSet() if super().load().specs[0].name == "none" else load([folder])

    desk = Desk(folder, files=Emptied)
    (folder / "refunds.yaml").write_text(a_spec(name="none"), encoding="utf-8")

    assert desk.look() == [NoSpecs(f"looked in {folder}")]


def test_where_specs_were_sought_is_told(tmp_path: Path) -> None:
    found: list[Path] = []
    files = SpecFiles(lambda: found, "looked nowhere")
    files.load()
    before = files.looked()
    file = tmp_path / "refunds.yaml"
    file.write_text(a_spec(), encoding="utf-8")
    found.append(file)
    files.load()

    assert (before, files.looked()) == ("looked nowhere", f"looked in {file}")


def test_only_folders_in_which_files_change_are_watched(tmp_path: Path, folder: Path) -> None:
    """A file's own and the one that its link leads to, each once, under any name."""
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (elsewhere / "real.yaml").write_text(a_spec(name="real"), encoding="utf-8")
    (folder / "linked.yaml").symlink_to(elsewhere / "real.yaml")
    (tmp_path / "alias").symlink_to(folder)
    single = tmp_path / "single.yaml"
    single.write_text(a_spec(name="single"), encoding="utf-8")
    files = SpecFiles(lambda: [folder, tmp_path / "alias", single, tmp_path / "gone" / "x.yaml"])
    files.differ(lambda: True)

    assert list(files.folders().values()) == [str(folder), str(elsewhere), str(tmp_path)]


class Scripted:
    """A source of changes that does as it is told, one thing at a time."""

    def __init__(self, *steps: Callable[[], object] | BaseException | None) -> None:
        self._steps = iter(steps)
        self.watched: list[list[str]] = []
        self.is_through = threading.Event()

    def __call__(self, folders: Sequence[str], stop: threading.Event) -> Iterator[object]:
        """See `surefoot.service.reload.Changes`."""
        self.watched.append(list(folders))
        for step in self._steps:
            if isinstance(step, BaseException):
                raise step
            if step is None:
                return
            yield step()
        self.is_through.set()
        stop.wait()


def writing(file: Path, text: str) -> Callable[[], object]:
    """A step: the file changes, and that is told."""
    return lambda: file.write_text(text, encoding="utf-8")


def test_each_change_is_looked_at_until_the_end(folder: Path) -> None:
    file = folder / "refunds.yaml"
    steps = [writing(file, a_spec(tool)) for tool in ("x", "y", "x")]
    desk = Desk(folder, changes=Scripted(*steps))
    desk.reload.start()
    desk.heard.wait_for(3)
    desk.reload.stop()
    file.write_text(a_spec("z"), encoding="utf-8")

    assert [used.specs[0].hash for used in desk.used] == [
        desk.used[0].specs[0].hash,
        desk.used[1].specs[0].hash,
        desk.used[0].specs[0].hash,
    ]
    assert not desk.reload._thread.is_alive()
    assert desk.look() == []


def test_stopping_before_the_start_and_twice_is_fine(folder: Path) -> None:
    desk = Desk(folder, changes=Scripted())
    desk.reload.stop()
    desk.reload.stop()

    assert desk.heard.events == []


def test_no_set_is_taken_over_while_it_stops(folder: Path) -> None:
    """One that is being loaded just then."""

    class Slow(SpecFiles):
        then: Callable[[], object] = list

        def load(self) -> SpecSet:
            specs = super().load()
            self.then()
            return specs

    desk = Desk(folder, changes=Scripted(), files=Slow)
    desk.files.then = desk.reload.stop  # type: ignore[attr-defined] # it is a Slow
    (folder / "refunds.yaml").write_text(a_spec("x"), encoding="utf-8")

    assert (desk.look(), desk.used) == ([], [])


def test_a_folder_that_moved_is_watched_where_it_is(tmp_path: Path, folder: Path) -> None:
    """Kubernetes deletes the folder to which `..data` led before."""
    file = folder / "refunds.yaml"
    as_kubernetes(file, a_spec())
    source = Scripted(lambda: as_kubernetes(file, a_spec("x")), writing(file, a_spec("y")))
    desk = Desk(folder, changes=source)
    desk.reload.start()
    assert source.is_through.wait(PATIENCE_S)
    desk.reload.stop()

    inside = [
        [str(Path(one).relative_to(tmp_path)) for one in watched] for watched in source.watched
    ]
    assert inside == [["specs", "specs/..gen0"], ["specs", "specs/..gen1"]]
    assert len(desk.used) == 2


@pytest.mark.parametrize(
    ("dies", "why"), [(OSError("too many open files"), "too many"), (None, "the watcher ended")]
)
def test_a_watcher_that_dies_is_told_once_and_files_are_still_looked_at(
    folder: Path, dies: BaseException | None, why: str
) -> None:
    file = folder / "refunds.yaml"
    source = Scripted(dies, dies, writing(file, a_spec("x")))
    desk = Desk(folder, changes=source)
    desk.reload.start()
    unwatched, loaded = desk.heard.wait_for(2)
    desk.reload.stop()

    assert isinstance(unwatched, SpecsUnwatched)
    assert why in unwatched.reason
    assert loaded == SpecsLoaded(desk.used[0].hash, 1)
    assert len(source.watched) == 3


def test_a_folder_that_goes_while_the_watch_begins_is_no_news(folder: Path) -> None:
    source = Scripted(FileNotFoundError(), writing(folder / "refunds.yaml", a_spec("x")))
    desk = Desk(folder, changes=source)
    desk.reload.start()
    desk.heard.wait_for(1)
    desk.reload.stop()

    assert desk.heard.events == [SpecsLoaded(desk.used[0].hash, 1)]


@pytest.mark.parametrize("write", WAYS)
def test_the_system_tells_of_each_way_to_replace_a_file(folder: Path, write: Write) -> None:
    """The real watcher: what it gives without a change is empty."""
    file, stop = folder / "refunds.yaml", threading.Event()
    changes = iter(file_changes([str(folder)], stop, every_s=0.05))
    assert not next(changes)
    write(file, a_spec("x"))

    assert any(changes)  # asks until there is one
    stop.set()
    assert [told for told in changes if not told] == []


def test_what_is_below_a_watched_folder_is_not_watched(folder: Path) -> None:
    """A spec may stand at the top of a large tree."""
    below, stop = folder / "below", threading.Event()
    below.mkdir()
    changes = iter(file_changes([str(folder)], stop, every_s=0.05))
    next(changes)
    (below / "deep.yaml").write_text(a_spec("x"), encoding="utf-8")
    (folder / "refunds.yaml").write_text(a_spec("x"), encoding="utf-8")
    told = next(change for change in changes if change)
    stop.set()

    assert "refunds.yaml" in str(told)
    assert "deep.yaml" not in str([told, *changes])


def test_without_a_folder_there_is_a_look_now_and_then() -> None:
    stop = threading.Event()
    changes = file_changes([], stop, every_s=0.01)
    next(changes)
    next(changes)
    stop.set()

    assert list(changes) == []


def test_a_folder_that_is_not_there_cannot_be_watched(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        next(iter(file_changes([str(tmp_path / "gone")], threading.Event())))
