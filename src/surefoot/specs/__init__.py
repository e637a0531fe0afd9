"""Spec files to compiled checks, and which run meets which spec."""
