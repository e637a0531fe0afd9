"""Surefoot grades the path an AI agent took, on the wire."""
