"""Benchmark programs, which print their measurements."""
