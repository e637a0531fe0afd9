"""Derived span ids: the same finding always gets the same id.

Owns what goes into an id. A retry or a replay then writes the same span again, not a
second one. A violation's id never holds the step's index nor the revision, since both
change when late spans come.

Every part is preceded by its length, so no two lists of parts read alike.
"""

from hashlib import blake2b

_LENGTH_BYTES = 4
_ID_BYTES = 8
#: An all-zero span id means "none" in OTLP.
_ZERO = bytes(_ID_BYTES)
_INSTEAD_OF_ZERO = b"\0\0\0\0\0\0\0\1"


def verdict_id(trace_id: bytes, run_key: bytes, spec: str, revision: int = 0) -> bytes:
    """The span id of one spec's verdict on one run.

    The revision counts from the first amendment on (1), so that a first verdict's id
    does not depend on whether it is ever amended.
    """
    parts = [b"verdict", trace_id, run_key, _utf8(spec)]
    if revision:
        parts.append(str(revision).encode())
    return _id(parts)


def violation_id(  # noqa: PLR0913 - these are the parts, by contract
    trace_id: bytes,
    run_key: bytes,
    spec: str,
    *,
    check: str,
    span_id: bytes,
    call_id: str,
    subject: str,
    ordinal: int,
) -> bytes:
    """The span id of one violation.

    Args:
        trace_id: The run's trace.
        run_key: The run's key; empty for unit trace.
        spec: The spec's name.
        check: The check's id.
        span_id: The offending step's source span; empty if no step offends.
        call_id: That step's call id.
        subject: `Violation.subject`.
        ordinal: Counts the violations that are equal in all of these, from 0.
    """
    texts = (spec, check, call_id, subject, str(ordinal))
    return _id([b"violation", trace_id, run_key, span_id, *map(_utf8, texts)])


def _utf8(text: str) -> bytes:
    return text.encode("utf-8", "surrogatepass")


def _id(parts: list[bytes]) -> bytes:
    told = b"".join([len(part).to_bytes(_LENGTH_BYTES, "big") + part for part in parts])
    digest = blake2b(told, digest_size=_ID_BYTES).digest()
    return digest if digest != _ZERO else _INSTEAD_OF_ZERO
