"""Which files are read, in which order, and what is said of those that cannot be."""

import gzip
import json
import os
import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from cli.otlp_files import as_json, recorded
from surefoot.cli.read import requests, size
from surefoot.errors import InputError
from surefoot.model import Wanted
from surefoot.receive.decode import Decoded, Decoder

REQUESTS = recorded("crewai", "good")


def read(*paths: Path) -> list[bytes]:
    return [request.body for request in requests(paths)]


def refusal(*paths: Path) -> str:
    with pytest.raises(InputError) as refused:
        read(*paths)
    return str(refused.value)


def decoded(bodies: Sequence[bytes]) -> list[Decoded]:
    decode = Decoder(Wanted(frozenset({"input.value", "tool.name"})), lambda _span: None)
    return [decode(body) for body in bodies]


def test_a_folder_is_read_through_in_sorted_order(tmp_path: Path) -> None:
    for name in ("b/1.binpb", "a/2.binpb", "a/10.binpb", "c.binpb", "a.x/1.binpb"):
        path = tmp_path / name
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(b"\n" + name.encode())

    assert read(tmp_path) == [
        b"\na/10.binpb", b"\na/2.binpb", b"\na.x/1.binpb", b"\nb/1.binpb", b"\nc.binpb"
    ]  # fmt: skip


def test_paths_are_read_in_the_order_given(tmp_path: Path) -> None:
    for name in ("a", "b"):
        (tmp_path / f"{name}.binpb").write_bytes(b"\n" + name.encode())

    assert read(tmp_path / "b.binpb", tmp_path) == [b"\nb", b"\na", b"\nb"]


def test_json_says_what_protobuf_says(tmp_path: Path) -> None:
    (tmp_path / "one.json").write_text(as_json(REQUESTS[0]))
    lines = "\n\n".join(as_json(request) for request in REQUESTS) + "\n"
    (tmp_path / "all.jsonl").write_text(lines)

    assert decoded(read(tmp_path / "one.json")) == decoded(REQUESTS[:1])
    assert decoded(read(tmp_path / "all.jsonl")) == decoded(REQUESTS)


def test_what_is_no_trace_request_is_passed_over_in_a_folder(tmp_path: Path) -> None:
    (tmp_path / "meta.json").write_text('{"framework": "crewai"}')
    (tmp_path / "notes.md").write_text("notes")
    (tmp_path / "rows.jsonl").write_text('{"a": 1}\n')
    (tmp_path / "0.binpb").write_bytes(REQUESTS[0])

    assert read(tmp_path) == REQUESTS[:1]


def test_other_signals_between_the_lines_are_passed_over(tmp_path: Path) -> None:
    path = tmp_path / "collector.jsonl"
    path.write_text(f'{{"resourceLogs": []}}\n{as_json(REQUESTS[0])}\n{{"resourceMetrics":[]}}\n')

    assert len(read(path)) == 1


def test_a_broken_line_is_named(tmp_path: Path) -> None:
    path = tmp_path / "cut.jsonl"
    path.write_text(as_json(REQUESTS[0]) + "\n" + as_json(REQUESTS[1])[:-9])

    assert refusal(tmp_path).startswith(f"{path}:2: ")


def test_a_broken_document_is_named_also_in_a_folder(tmp_path: Path) -> None:
    path = tmp_path / "cut.json"
    path.write_text(as_json(REQUESTS[0])[:-9])

    assert refusal(tmp_path).startswith(f"{path}: ")


@pytest.mark.parametrize("ending", [".json", ".jsonl"])
def test_a_byte_order_mark_is_no_part_of_the_json(tmp_path: Path, ending: str) -> None:
    path = tmp_path / f"a{ending}"
    path.write_text(as_json(REQUESTS[0]), encoding="utf-8-sig")

    assert decoded(read(path)) == decoded(REQUESTS[:1])


@pytest.mark.parametrize(
    ("name", "text", "what"),
    [
        ("none.binpb", None, "no such file"),
        ("none", None, "no such file; "),
        ("traces.pb", "", "not an OTLP file; "),
        ("notes.json", "{}", "holds no OTLP trace request; "),
        ("empty.jsonl", "", "holds no OTLP trace request; "),
    ],
)
def test_a_named_file_that_cannot_be_read_is_named(
    tmp_path: Path, name: str, text: str | None, what: str
) -> None:
    path = tmp_path / name
    if text is not None:
        path.write_text(text)

    assert refusal(path).startswith(f"{path}: {what}")


def test_a_folder_without_otlp_is_refused(tmp_path: Path) -> None:
    (tmp_path / "notes.json").write_text("{}")

    assert refusal(tmp_path).startswith(f"{tmp_path}: holds no OTLP trace request; ")


@pytest.mark.parametrize("ending", [".json", ".jsonl"])
def test_requests_one_a_line_are_known_by_their_lines(tmp_path: Path, ending: str) -> None:
    """The Collector's file exporter writes lines into whatever file it is told to."""
    path = tmp_path / f"a{ending}"
    path.write_text("\n" + "\n\n".join(as_json(request) for request in REQUESTS) + "\n")

    assert [request.origin for request in requests([path])] == [
        f"{path}:{2 * number + 2}" for number in range(len(REQUESTS))
    ]
    assert decoded(read(path)) == decoded(REQUESTS)


@pytest.mark.parametrize("indent", [None, 2])
def test_a_document_is_known_by_its_file_however_it_is_laid_out(
    tmp_path: Path, indent: int | None
) -> None:
    path = tmp_path / "a.json"
    path.write_text(json.dumps(json.loads(as_json(REQUESTS[0])), indent=indent) + "\n")

    assert [request.origin for request in requests([path])] == [str(path)]
    assert decoded(read(path)) == decoded(REQUESTS[:1])


@pytest.mark.parametrize("name", ["a.binpb.gz", "a.binpb", "a.gz"])
def test_gzip_is_known_by_its_bytes(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_bytes(gzip.compress(REQUESTS[0][:99]) + gzip.compress(REQUESTS[0][99:]))

    assert read(tmp_path / name) == REQUESTS[:1]


@pytest.mark.parametrize("body", [REQUESTS[0], as_json(REQUESTS[0]).encode()])
def test_a_pipe_is_read_for_what_it_is(tmp_path: Path, body: bytes) -> None:
    pipe = tmp_path / "63"
    os.mkfifo(pipe)
    writer = threading.Thread(target=pipe.write_bytes, args=(body,))
    writer.start()
    found = read(pipe)
    writer.join()

    assert decoded(found) == decoded(REQUESTS[:1])


def test_packed_files_are_found_in_a_folder(tmp_path: Path) -> None:
    (tmp_path / "0.binpb.gz").write_bytes(gzip.compress(REQUESTS[0]))
    (tmp_path / "1.jsonl.gz").write_bytes(gzip.compress(as_json(REQUESTS[1]).encode()))
    (tmp_path / "other.gz").write_bytes(b"none of ours")

    assert decoded(read(tmp_path)) == decoded(REQUESTS[:2])


@pytest.mark.parametrize("spoiled", [0, 1, 2])
def test_a_line_of_no_request_among_traces_is_an_error_wherever_it_stands(
    tmp_path: Path, spoiled: int
) -> None:
    lines = [as_json(request) for request in REQUESTS[:2]]
    lines.insert(spoiled, '{"spans": []}')
    path = tmp_path / "a.jsonl"
    path.write_text("\n".join(lines))

    assert refusal(tmp_path) == (
        f"{path}:{spoiled + 1}: no OTLP/JSON trace request: it has no resourceSpans; "
        "write one whole OTLP/JSON trace request a line"
    )


def test_all_that_is_read_is_told_as_it_lies_on_the_disk(tmp_path: Path) -> None:
    (tmp_path / "0.binpb.gz").write_bytes(gzip.compress(REQUESTS[0]))
    (tmp_path / "1.json").write_text(as_json(REQUESTS[1]))
    told: list[int] = []
    list(requests([tmp_path], told.append))

    assert sum(told) == size([tmp_path]) == sum(f.stat().st_size for f in tmp_path.iterdir())


def test_how_much_the_standard_input_holds_is_unknown(tmp_path: Path) -> None:
    assert size([tmp_path, Path("-")]) is None
