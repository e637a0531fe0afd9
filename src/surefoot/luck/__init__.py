"""Runs over time: the Luck Rate of each series of verdicts."""

from surefoot.luck.windows import LuckWindow, Series

__all__ = ["LuckWindow", "Series"]
