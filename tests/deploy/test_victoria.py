"""The same metrics by OTLP into another reader: the dashboard's queries answer the same."""

from pathlib import Path

import pytest

from children import surefoot
from dashboards import ALL
from expected import BY_TIME, answer, answers
from prometheus import Prometheus
from sinks import Sink
from traffic import ASKED, Page, config, play, spec
from victoria import victoria
from walking import wait_for_verdicts

#: Surefoot exports every 15 s; a rate needs three of them to have a point on the grid.
STEP_S, WINDOW_S = 15, 60


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_every_query_answers_over_otlp_too(tmp_path: Path) -> None:
    with Sink() as sink, surefoot(tmp_path, config(sink), spec(tmp_path)) as child:
        played = play(child)
        wait_for_verdicts(sink, played.judged)
        exported = sink.wait_for(3, "metrics", timeout_s=90)
        due = answers(played, sink.taken["traces"])
    with victoria(tmp_path) as reader:
        for body in exported:
            reader.take(body)
        page = Page(Prometheus(reader.url.removeprefix("http://")), STEP_S, WINDOW_S)
        rows = {name: page.rows(asked, ALL) for name, asked in ASKED.items()}

    assert [name for name, found in rows.items() if not found] == []
    assert {name: answer(rows[name]) for name in due} == due
    assert {ASKED[name].panel for name in set(ASKED) - set(due)} == BY_TIME
