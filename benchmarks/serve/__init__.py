"""Servers under load: `python -m benchmarks.serve`."""
