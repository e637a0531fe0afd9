"""Luck Rate over a window of runs."""
