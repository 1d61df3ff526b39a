"""All operators: importing this package registers the records of the modules listed here.

>>> from npexport import ops
>>> ops.np.matmul, ops.nn.conv2d, ops.random.normal
(ops.np.matmul, ops.nn.conv2d, ops.random.normal)
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

from npexport.ir.op import REGISTRY, Namespace, Op, OpRegistry

__all__ = ["REGISTRY", "Namespace", "Op", "OpRegistry", "control", "nn", "np", "py", "random", "scipy", "sym"]

# One module of records a line, within npexport.ir.ops.
RECORD_MODULES = (
    "sizes",
    "python_numbers",
    "complex_numbers",
    "python_orders",
    "python_items",
    "number_kinds",
    "random_draws",
    "control",
    "control_flow",
    "assertions",
    "np_elementwise",
    "np_scalars",
    "np_reductions",
    "np_statistics",
    "np_shapes",
    "np_strided",
    "np_fields",
    "np_indexing",
    "np_selection",
    "ufuncs",
    "np_scatter",
    "np_trapped",
    "np_joining",
    "np_creation",
    "np_products",
    "np_linalg",
    "np_sorting",
    "np_fft",
    "np_signal",
    "np_strings",
    "np_dates",
    "np_series",
    "nn_activation",
    "nn_conv",
    "nn_linear",
    "nn_loss",
    "nn_norm",
    "nn_pool",
    "nn_recurrent",
    "nn_resample",
)
for _name in RECORD_MODULES:
    import_module(f"{__name__}.{_name}")

np = Namespace("np")
nn = Namespace("nn")
sym = Namespace("sym")
py = Namespace("py")  # operations of Python on numbers that only the data know
random = Namespace("random")
control = Namespace("control")
scipy = Namespace("scipy")  # functions of SciPy, by the module that has them
for _package in (
    "special",
    "linalg",
    "ndimage",
    "spatial.distance",
    "spatial.transform",
    "signal",
    "optimize",
    "cluster.hierarchy",
    "interpolate",
):
    REGISTRY.provide("scipy", f"scipy.{_package}", f"{__name__}.scipy_{_package.rpartition('.')[2]}")
REGISTRY.provide("sklearn", "sklearn.utils.validation", f"{__name__}.sklearn_checks")


def __getattr__(name: str) -> Any:
    """The namespace of a library's own operators."""
    if name.startswith("_") or not REGISTRY.has(name):
        raise AttributeError(f"there are no operators ops.{name}")
    return Namespace(name)
