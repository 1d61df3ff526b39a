"""What NumPy's functions, methods, operators and iterators mean for array proxies."""
