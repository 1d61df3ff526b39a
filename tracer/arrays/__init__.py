"""Array proxies: what stands for ``np.ndarray`` while tracing. Importing the package gives the proxies their operators and methods."""

from __future__ import annotations

from npexport.tracer.arrays import indexing, operators
from npexport.tracer.arrays.lifting import Kind, Placeholder
from npexport.tracer.arrays.proxy import ArrayProxy, ScalarProxy
from npexport.tracer.arrays.recorder import Recorder

__all__ = ["ArrayProxy", "Kind", "Placeholder", "Recorder", "ScalarProxy", "indexing", "operators"]
