"""Random programs: how they are grown, what holds them to eager Python, and tests of a bounded number of them."""
