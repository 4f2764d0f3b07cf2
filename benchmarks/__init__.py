"""Programs that print what they measured."""
