"""OTLP in: bytes to spans, and answers by the OTLP specification."""
