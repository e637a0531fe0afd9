"""A pipeline that remembers what it got."""

from surefoot.receive.answer import Answer


class Pipeline:
    """Answers `answer`, or raises it if it is an error."""

    def __init__(self, answer: Answer | Exception | None = None) -> None:
        self.answer = answer or Answer()
        self.accepted: list[tuple[bytes, str]] = []
        self.codes: list[tuple[str, str]] = []
        self.told: list[tuple[str, str, str, str]] = []

    def accept(self, body: bytes, transport: str) -> Answer:
        """See `surefoot.receive.answer.Accept`."""
        self.accepted.append((body, transport))
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer

    def on_request(self, signal: str, transport: str, code: str, why: str) -> None:
        """See `surefoot.receive.answer.OnRequest`."""
        self.codes.append((transport, code))
        self.told.append((signal, transport, code, why))
