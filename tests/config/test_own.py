"""Our own listener, under its many names."""

import socket
from functools import partial

import pytest

from surefoot.config import own
from surefoot.config.own import collide, resolve
from surefoot.config.values import Endpoint

#: What the resolver of these tests knows.
HOSTS = {
    "vm": {"127.0.1.1"},
    "127.1": {"127.0.0.1"},
    "2130706433": {"127.0.0.1"},
    "0": {"0.0.0.0"},  # noqa: S104 - only compared
    "mapped": {"::ffff:127.0.0.1"},
    "both": {"192.0.2.1", "::1"},
    "linked": {"fe80::1%eth0"},
    "lan": {"192.0.2.7"},
    "jaeger": {"192.0.2.1", "2001:db8::1"},
}
reaches = partial(own.reaches, resolve=lambda host: frozenset(HOSTS.get(host, ())))

NEAR = [
    "localhost.", "foo.localhost", "ip6-localhost", "localhost.localdomain", "vm", "127.1",
    "2130706433", "0", "mapped", "both", "::ffff:127.0.0.1",
    "localhost", "LOCALHOST", "127.0.0.1", "127.1.2.3", "::1", "0.0.0.0", "::",  # noqa: S104 - only compared
]  # fmt: skip


@pytest.mark.parametrize("listening", ["127.0.0.1", "localhost", "0.0.0.0", "::", "::1"])  # noqa: S104 - only compared
@pytest.mark.parametrize("sending", NEAR)
def test_every_name_of_this_machine_reaches_a_local_listener(listening: str, sending: str) -> None:
    assert reaches(Endpoint(sending, 4317), Endpoint(listening, 4317))


@pytest.mark.parametrize("sending", [*NEAR, "jaeger"])
def test_another_port_is_somebody_else(sending: str) -> None:
    assert not reaches(Endpoint(sending, 4318), Endpoint("0.0.0.0", 4317))  # noqa: S104 - only compared


def test_another_machine_is_somebody_else() -> None:
    listener = Endpoint("0.0.0.0", 4317)  # noqa: S104 - only compared

    assert not reaches(Endpoint("jaeger", 4317), listener)
    assert not reaches(Endpoint("192.0.2.1", 4317), listener)
    assert not reaches(Endpoint("2001:db8::1", 4317), listener)


def test_a_listener_on_one_address_is_reached_by_the_names_of_that_address() -> None:
    assert reaches(Endpoint("lan", 4317), Endpoint("192.0.2.7", 4317))
    assert reaches(Endpoint("192.0.2.7", 4317), Endpoint("lan", 4317))
    assert reaches(Endpoint("linked", 4317), Endpoint("fe80::1", 4317))
    assert not reaches(Endpoint("jaeger", 4317), Endpoint("192.0.2.7", 4317))
    assert not reaches(Endpoint("localhost", 4317), Endpoint("192.0.2.7", 4317))


def test_a_name_that_nobody_knows_is_somebody_else() -> None:
    assert not reaches(Endpoint("nowhere", 4317), Endpoint("127.0.0.1", 4317))


def test_no_name_is_asked_for_where_the_ports_differ() -> None:
    asked: list[str] = []

    def ask(host: str) -> frozenset[str]:
        asked.append(host)
        return frozenset()

    assert not own.reaches(Endpoint("jaeger", 4317), Endpoint("vm", 4318), ask)
    assert asked == []


@pytest.mark.parametrize("host", ["127.1", "2130706433", "127.0.0.1"])
def test_the_machines_resolver_reads_numbers_as_sockets_do(host: str) -> None:
    assert resolve(host) == {"127.0.0.1"}


def test_the_machines_resolver_has_no_address_for_what_is_no_name() -> None:
    assert resolve("a" * 70) == frozenset()


def test_this_machines_own_name_reaches_a_listener_on_every_address() -> None:
    listener = Endpoint("::", 4317)

    assert reaches(Endpoint(socket.gethostname(), 4317), listener)


def test_a_name_reaches_a_listener_under_the_same_name() -> None:
    assert reaches(Endpoint("surefoot", 4317), Endpoint("Surefoot", 4317))


def test_a_free_port_is_nobody_yet() -> None:
    assert not reaches(Endpoint("127.0.0.1", 0), Endpoint("127.0.0.1", 0))
    assert not collide(Endpoint("127.0.0.1", 0), Endpoint("127.0.0.1", 0))


def test_two_listeners_collide_on_one_port() -> None:
    one = Endpoint("127.0.0.1", 4317)

    assert collide(one, one)
    assert collide(one, Endpoint("0.0.0.0", 4317))  # noqa: S104 - only compared
    assert not collide(one, Endpoint("127.0.0.2", 4317))
    assert not collide(one, Endpoint("127.0.0.1", 4318))
