"""Our own listener, under its many names."""

import socket

import pytest

from surefoot.config.own import collide, reaches
from surefoot.config.values import Endpoint

NEAR = ["localhost", "LOCALHOST", "127.0.0.1", "127.1.2.3", "::1", "0.0.0.0", "::"]  # noqa: S104 - only compared


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
