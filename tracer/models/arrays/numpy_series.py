"""NumPy's polynomials: functions that drop zeros are one operator, or interpreted from
polyfills.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any

import numpy as np

from npexport.ir import ops
from npexport.ir.numpy_internals import NUMPY
from npexport.ir.ops.np_series import FUNCTIONS, function_of
from npexport.tracer.arrays.api import arguments
from npexport.tracer.arrays.core import coercion, numpy_oracle
from npexport.tracer.arrays.core.current import recorder
from npexport.tracer.models.arrays.numpy_functions import interpreted
from npexport.tracer.models.polyfills import series
from npexport.tracer.models.registry import of_numpy


def _model(module: str, name: str) -> Callable[..., Any]:
    """The model of a function of NumPy that is one call of ``ops.np.series``."""
    function, count = function_of(module, name), FUNCTIONS[module, name].operands
    signature = inspect.signature(function)

    def call(*args: Any, **kwargs: Any) -> Any:
        bound = signature.bind(*args, **kwargs)
        values = [*bound.arguments.values()]
        if module == "numpy" and not all(getattr(value, "shape", True) for value in values):
            numpy_oracle.raise_for_stand_ins(function, args, kwargs)
        parameters = [arguments.static(value) for value in values[count:]]
        return recorder().call(ops.np.series, tuple(map(coercion.array_of, values[:count])), module, name, *parameters)

    return call


P = np.polynomial
_OF_ONE_AXIS = series.trim_zeros_of_one_axis if NUMPY < "2.2.0" else series.trim_zeros_along_one_axis

of_numpy(
    {
        **{function_of(*key): _model(*key) for key in FUNCTIONS if key != ("numpy", "polydiv")},
        np.polydiv: interpreted(series.polydiv),
        np.polyval: interpreted(series.polyval),
        np.poly1d.__init__: interpreted(series.poly1d),
        np.polyadd: interpreted(series.polyadd),
        np.polysub: interpreted(series.polysub),
        np.polymul: interpreted(series.polymul),
        np.trim_zeros: interpreted(series.trim_zeros if series.KEEPS else _OF_ONE_AXIS),
        P.polyutils.trimseq: interpreted(series.trimseq),
        P.polyutils.trimcoef: interpreted(series.trimcoef),
        **dict.fromkeys(
            (P.polynomial.polyline, P.chebyshev.chebline, P.legendre.legline, P.hermite_e.hermeline), interpreted(series.polyline)
        ),
        P.laguerre.lagline: interpreted(series.lagline),
        P.hermite.hermline: interpreted(series.hermline),
        P.polyutils.mapdomain: interpreted(series.mapdomain),
        series.POLYNOMIAL._get_coefficients: interpreted(series.get_coefficients),
    }
)
