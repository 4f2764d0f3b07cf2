"""How the package is made: checks of arguments, classes from records, pickling."""
