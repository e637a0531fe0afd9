"""Steps against checks: verdicts, violations, and what cannot be decided."""
