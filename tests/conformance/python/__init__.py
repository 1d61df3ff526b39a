"""CPython: programs by chapters of the language, small programs, lifetimes, CPython's own test suite."""
