"""Compiled models as shared libraries and as WebAssembly."""
