"""Engines and the HTTP server."""
