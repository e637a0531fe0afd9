"""Spans per trace, and why each trace was closed."""
