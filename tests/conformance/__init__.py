"""Others' programs and suites: CPython's, NumPy's, those of packages, and what torch documents."""
