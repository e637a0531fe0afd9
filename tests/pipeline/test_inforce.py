"""What is made anew with each set of specs."""

from pathlib import Path

import pytest

from receive.builders import a_request
from surefoot.config import load_config
from surefoot.model import Span
from surefoot.pipeline.inforce import InForce
from surefoot.specs import SpecSet, load

SECOND_NS = 10**9
PLAIN = "specs: [{name: refunds, forbidden: [send_email]}]"
STRICT = "specs: [{name: refunds, forbidden: [send_email, issue_refund]}]"
TENANTS = "specs: [{name: refunds, forbidden: [send_email], match: {attributes: {app.tenant: a}}}]"
SLOW = "specs: [{name: refunds, forbidden: [send_email], match: {service: shop}, settle: 30s}]"


def a_set(folder: Path, text: str) -> SpecSet:
    """The set of one file."""
    file = folder / "specs.yaml"
    file.write_text(text, encoding="utf-8")
    return load([file])


@pytest.fixture
def in_force(tmp_path: Path) -> InForce:
    return InForce(a_set(tmp_path, PLAIN), load_config(None, {}), "i-1")


def decoded(in_force: InForce) -> Span:
    """An agent's span that names a tenant, as the door lets it in."""
    attributes = {"openinference.span.kind": "AGENT", "app.tenant": "a"}
    (span,) = in_force.decode(a_request(attributes).SerializeToString()).spans
    return span


def test_the_door_reads_what_the_new_set_asks_for(in_force: InForce, tmp_path: Path) -> None:
    """Spans that came before stay as they were read."""
    before = decoded(in_force)
    in_force.use(a_set(tmp_path, TENANTS))
    after = decoded(in_force)
    in_force.use(a_set(tmp_path, PLAIN))

    assert "app.tenant" not in before.attributes
    assert after.attributes["app.tenant"] == "a"
    assert "app.tenant" not in decoded(in_force).attributes


def test_a_set_that_asks_for_the_same_keys_keeps_what_the_door_remembers(
    in_force: InForce, tmp_path: Path
) -> None:
    decoder = in_force._decoder
    in_force.use(a_set(tmp_path, STRICT))

    assert in_force._decoder is decoder


def test_new_traces_wait_as_long_as_the_new_set_says(in_force: InForce, tmp_path: Path) -> None:
    """Of the services that its globs fit; also of one that was asked for before."""
    usual = in_force.timers("shop")
    in_force.use(a_set(tmp_path, SLOW))
    slow, other = in_force.timers("shop"), in_force.timers("other")
    in_force.use(a_set(tmp_path, PLAIN))

    assert (usual.settle_ns, slow.settle_ns) == (6 * SECOND_NS, 30 * SECOND_NS)
    assert other == in_force.timers("shop") == usual
