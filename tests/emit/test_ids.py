from itertools import combinations

from hypothesis import given
from hypothesis import strategies as st

from surefoot.emit.ids import verdict_id, violation_id

texts = st.text(max_size=4)
ids = st.binary(max_size=8)
verdicts = st.tuples(ids, ids, texts, st.integers(0, 12))
violations = st.tuples(ids, ids, texts, texts, ids, texts, texts, st.integers(0, 12))


def the_violation(parts: tuple[bytes, bytes, str, str, bytes, str, str, int]) -> bytes:
    trace_id, key, spec, check, span_id, call_id, subject, ordinal = parts
    return violation_id(
        trace_id,
        key,
        spec,
        check=check,
        span_id=span_id,
        call_id=call_id,
        subject=subject,
        ordinal=ordinal,
    )


@given(st.lists(verdicts, unique=True, max_size=8), st.lists(violations, unique=True, max_size=8))
def test_other_parts_make_another_id(
    some: list[tuple[bytes, bytes, str, int]],
    others: list[tuple[bytes, bytes, str, str, bytes, str, str, int]],
) -> None:
    """Also where the parts, written one after the other, would read alike."""
    made = [verdict_id(*parts) for parts in some] + [the_violation(parts) for parts in others]

    assert all(one != other for one, other in combinations(made, 2))


@given(verdicts, violations)
def test_an_id_is_eight_bytes_not_all_zero_and_the_same_again(
    verdict: tuple[bytes, bytes, str, int],
    violation: tuple[bytes, bytes, str, str, bytes, str, str, int],
) -> None:
    for made in (verdict_id(*verdict), the_violation(violation)):
        assert len(made) == 8
        assert any(made)
    assert verdict_id(*verdict) == verdict_id(*verdict)
    assert the_violation(violation) == the_violation(violation)


def test_ids_do_not_change_from_version_to_version() -> None:
    """A trace judged before and after an update must not get its spans twice."""
    assert verdict_id(bytes(16), b"", "refunds").hex() == "a729f877e42bfc59"
    assert verdict_id(bytes(16), b"", "refunds", 1).hex() == "5b7ac94970b5a1bd"
    parts = (bytes(16), b"", "refunds", "before", b"12345678", "call-1", "a, b", 0)
    assert the_violation(parts).hex() == "c3231d4d72a3d3db"


def test_moved_borders_between_parts_make_another_id() -> None:
    assert verdict_id(b"ab", b"c", "d") != verdict_id(b"a", b"bc", "d")
    assert verdict_id(b"a", b"b", "c1") != verdict_id(b"a", b"b", "c", 1)
