"""The spans of a trace to the agent's steps."""
