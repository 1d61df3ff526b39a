"""Functions of C that call back, or look at what they are given, written in Python that is
interpreted."""
