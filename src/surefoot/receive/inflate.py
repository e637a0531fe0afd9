"""Inflate a gzip body piece by piece, within a limit.

Owns the limit on what comes out, checked before it is held: a bomb of 200 KB that would
become 200 MiB is refused after `limit` bytes. Knows no HTTP.
"""

import zlib

from surefoot.errors import DecodeError
from surefoot.receive.status import TooLarge

_GZIP = 16 + zlib.MAX_WBITS  # a gzip header, no other


class Plain:
    """A body that came as it is."""

    def __init__(self, limit: int) -> None:
        """`limit` is in bytes."""
        self._limit = limit
        self._held = bytearray()

    @property
    def size(self) -> int:
        """Bytes held so far."""
        return len(self._held)

    def feed(self, chunk: bytes) -> None:
        """Take the next bytes.

        Raises:
            TooLarge: The body is over the limit.
        """
        self._hold(chunk)

    def finish(self) -> bytes:
        """The whole body."""
        return bytes(self._held)

    def _hold(self, piece: bytes) -> None:
        if len(self._held) + len(piece) > self._limit:
            raise TooLarge(f"the body is over {self._limit} bytes once inflated")
        self._held += piece


class Gzip(Plain):
    """A gzip body: one member or several, one after another.

    Source: RFC 1952, 2.2: a file is a series of members.
    """

    def __init__(self, limit: int) -> None:
        """`limit` is in bytes, of what comes out."""
        super().__init__(limit)
        self._member = zlib.decompressobj(_GZIP)
        self._begun = False  # whether the current member has got any bytes

    def feed(self, chunk: bytes) -> None:
        """Inflate the next bytes.

        Raises:
            TooLarge: What comes out is over the limit.
            DecodeError: The bytes are no gzip.
        """
        rest = chunk
        while rest:
            room = self._limit - len(self._held) + 1  # one more, to see that it is over
            try:
                self._hold(self._member.decompress(rest, room))
            except zlib.error as error:
                raise DecodeError(f"the body is no gzip: {error}") from error
            self._begun = True
            if self._member.eof:
                rest = self._member.unused_data
                self._member, self._begun = zlib.decompressobj(_GZIP), False
            else:
                rest = self._member.unconsumed_tail

    def finish(self) -> bytes:
        """The whole body, inflated.

        Raises:
            DecodeError: The last member ends too early.
        """
        if self._begun:
            raise DecodeError("the gzip body ends too early")
        return super().finish()
