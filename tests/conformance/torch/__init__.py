"""What torch documents of export, and what its layers give."""
