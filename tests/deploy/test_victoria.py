"""The same metrics by OTLP into another reader: the dashboard's queries answer the same."""

from pathlib import Path

import pytest

from children import surefoot
from dashboards import ALL
from prometheus import Prometheus
from sinks import Sink
from traffic import ASKED, Page, config, play, sent, spec
from victoria import victoria

#: Surefoot exports every 15 s; a rate needs three of them to have a point on the grid.
STEP_S, WINDOW_S = 15, 60


@pytest.mark.slow
@pytest.mark.timeout(1200)
def test_every_query_answers_over_otlp_too(tmp_path: Path) -> None:
    with Sink() as sink, surefoot(tmp_path, config(sink), spec(tmp_path)) as child:
        _, judged = play(child)
        left = sent(sink, judged)
        exported = sink.wait_for(3, "metrics", timeout_s=90)
    with victoria(tmp_path) as reader:
        for body in exported:
            reader.take(body)
        page = Page(Prometheus(reader.url.removeprefix("http://")), left, STEP_S, WINDOW_S)

        assert [name for name, asked in ASKED.items() if not page.rows(asked, ALL)] == []
        outcomes = page.legend("Verdicts in the selected time")
        assert outcomes + page.counts("Which check, which agent A", "check") == page.sent
        [lucky] = page.values("Lucky and green runs A")
        assert lucky == page.sent["lucky"]
