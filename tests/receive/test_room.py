"""Bodies on their way in are bounded together."""

import pytest

from surefoot.errors import Overloaded
from surefoot.receive.room import Room


def test_what_is_over_the_room_is_refused_and_the_rest_goes_on() -> None:
    room = Room(100)
    with room.share() as first, room.share() as second:
        first.grow_to(60)
        second.grow_to(40)
        with pytest.raises(Overloaded):
            first.grow_to(61)
        first.grow_to(50)
        second.grow_to(50)


def test_a_share_is_given_back_whatever_happens() -> None:
    room = Room(100)

    def too_much() -> None:
        with room.share() as share:
            share.grow_to(100)
            share.grow_to(101)

    with pytest.raises(Overloaded):
        too_much()
    with room.share() as share:
        share.grow_to(100)
