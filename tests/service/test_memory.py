from surefoot.service.memory import give_back_freed, resident_bytes


def test_memory_is_told_in_bytes_and_grows_with_what_is_held() -> None:
    """Also once the allocator is set, which may be done twice."""
    give_back_freed()
    give_back_freed()
    before = resident_bytes()
    held = b"x" * (64 << 20)
    after = resident_bytes()

    assert before is None or (after is not None and after - before > len(held) // 2)
