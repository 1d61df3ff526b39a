"""Programs that tell when their objects die, as texts in `out`."""
