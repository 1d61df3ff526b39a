"""One export: the run on stand-ins, its assembly into a program, and what is said of it."""
