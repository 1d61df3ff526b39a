"""What consumers ask of generators that run as functions
(`npexport.tracer.interpreter.listing`).
"""

# mypy: disable-error-code="no-untyped-def"


def first(listing, nothing):
    """What ``next`` returns for a generator that nobody else holds."""
    found = listing()
    if found is nothing:
        raise StopIteration
    return found


def first_or(listing, nothing, default):
    found = listing()
    return default if found is nothing else found


def handed(builtin, listing, args, kwargs):
    """What a builtin returns for all that such a generator yields."""
    return builtin(listing(), *args, **kwargs)
