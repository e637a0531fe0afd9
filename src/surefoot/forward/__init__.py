"""The same bytes on to the backend: a bounded queue with retry and backoff."""
