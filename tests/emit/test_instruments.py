from surefoot.emit import instruments
from surefoot.emit.instruments import INSTRUMENTS, Instrument, Kind


def test_every_instrument_is_in_the_table_once() -> None:
    """One that is left out would be counted and never told."""
    named = [one for one in vars(instruments).values() if isinstance(one, Instrument)]

    assert len(INSTRUMENTS) == len(set(INSTRUMENTS)) == len({one.name for one in INSTRUMENTS})
    assert set(named) == set(INSTRUMENTS)


def test_bounds_grow_and_belong_to_histograms() -> None:
    for one in INSTRUMENTS:
        assert list(one.bounds) == sorted(set(one.bounds))
        assert bool(one.bounds) == (one.kind is Kind.HISTOGRAM)


def test_only_series_of_others_names_end() -> None:
    assert {one.name for one in INSTRUMENTS if one.ends} == {
        "surefoot.luck.rate",
        "surefoot.luck.lucky",
        "surefoot.luck.green",
        "surefoot.runs",
        "surefoot.verdicts",
        "surefoot.violations",
        "surefoot.run.steps",
        "surefoot.run.duration",
        "surefoot.run.tokens",
        "surefoot.verdict.latency",
    }
