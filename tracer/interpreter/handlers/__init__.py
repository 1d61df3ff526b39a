"""One handler per canonical instruction, in files by subject; importing them fills
``program.HANDLERS``.
"""

from npexport.tracer.interpreter.handlers import (  # noqa: F401
    containers,
    control,
    exceptions,
    functions,
    generators,
    operators,
    patterns,
    variables,
)
