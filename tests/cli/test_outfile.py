"""A report into a file, whole or not at all."""

import os
import stat
from pathlib import Path

import pytest

from surefoot.cli.outfile import must_be_writable, written
from surefoot.errors import InputError


def write(path: Path, body: bytes) -> None:
    with written(path) as file:
        file.write(body)


def test_a_new_file_and_an_old_one_get_the_report(tmp_path: Path) -> None:
    for body in (b"new", b"newer"):
        write(tmp_path / "a", body)

        assert (tmp_path / "a").read_bytes() == body
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, OSError])
def test_an_error_on_the_way_leaves_what_was_there(
    tmp_path: Path, error: type[BaseException]
) -> None:
    (tmp_path / "a").write_bytes(b"old")

    def fail() -> None:
        with written(tmp_path / "a") as file:
            file.write(b"half")
            raise error

    with pytest.raises((error, InputError)):
        fail()
    assert (tmp_path / "a").read_bytes() == b"old"
    assert [path.name for path in tmp_path.iterdir()] == ["a"]


def test_a_new_file_may_be_read_as_any_new_file(tmp_path: Path) -> None:
    write(tmp_path / "a", b"")
    (tmp_path / "usual").touch()

    assert (tmp_path / "a").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_an_old_file_keeps_its_mode_and_a_link_stays_one(tmp_path: Path) -> None:
    (tmp_path / "a").touch(0o640)
    (tmp_path / "a").chmod(0o640)
    (tmp_path / "link").symlink_to("a")
    write(tmp_path / "link", b"new")

    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o640
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "a").read_bytes() == b"new"


def test_a_pipe_is_written_to(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe")
    reader = os.open(tmp_path / "pipe", os.O_RDONLY | os.O_NONBLOCK)
    write(tmp_path / "pipe", b"told")

    assert os.read(reader, 9) == b"told"
    os.close(reader)


def test_a_folder_that_is_not_there_is_told_of(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=r"there is no folder .*none; make it first"):
        must_be_writable(tmp_path / "none" / "a")
    with pytest.raises(InputError, match="it is a folder; name a file in it"):
        must_be_writable(tmp_path)
    must_be_writable(tmp_path / "a")
