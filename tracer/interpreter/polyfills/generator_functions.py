"""What consumers ask of generators that run as functions
(`npexport.tracer.interpreter.generator_functions`).
"""

# mypy: disable-error-code="no-untyped-def"


def first(function, nothing):
    """What ``next`` returns for a generator that nobody else holds."""
    found = function()
    if found is nothing:
        raise StopIteration
    return found


def first_or(function, nothing, default):
    found = function()
    return default if found is nothing else found


def handed(builtin, function, args, kwargs):
    """What a builtin returns for all that such a generator yields."""
    return builtin(function(), *args, **kwargs)
