"""C functions that call back, or examine their arguments, written in Python that is interpreted."""
