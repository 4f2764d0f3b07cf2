"""Types of the compiled module, for type checkers: there is no such package at run time."""
