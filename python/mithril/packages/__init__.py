"""Packages of models, files of other libraries, and the registry of models."""
