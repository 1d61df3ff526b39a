"""NumPy: its own tests as programs, its errors, its signatures."""
