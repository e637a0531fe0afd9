"""Verdicts to OTLP spans and metrics."""
