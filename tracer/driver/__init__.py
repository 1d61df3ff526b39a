"""One export: the run on stand-ins, its assembly into a program, and the reports about it."""
