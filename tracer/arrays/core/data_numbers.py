"""Python numbers that only the data know: sizes, floats and truths without an example.

Each operation on them is a node, which Python computes at run time; what it raises is raised then,
in the order of the program.
"""

from __future__ import annotations

from typing import Any

from npexport.ir import ops
from npexport.tracer.arrays.core.current import recorder


def of_data(name: str, *args: Any) -> Any:
    """The result of the operation ``ops.py.<name>``: what ``ShapeEnv.of_data`` is while tracing."""
    return recorder().node(getattr(ops.py, name), args).meta["val"]
