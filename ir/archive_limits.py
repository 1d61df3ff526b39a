"""How large what an archive holds may be: the same for those who write one and those who
read it.
"""

MAX_NESTING = 200  # containers within one another
MAX_BITS = 3000  # of an integer: Python's own limit to the digits of texts is little above it
