"""Size limits of archives, which apply to writing and reading alike."""

MAX_NESTING = 200  # containers within one another
MAX_BITS = 3000  # of an integer: Python's own limit to the digits of texts is little above it
