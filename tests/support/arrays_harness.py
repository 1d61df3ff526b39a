"""Runs a function on array proxies in CPython, without the VM, and compares what was recorded with the function itself."""

from __future__ import annotations

import types
from collections.abc import Collection
from typing import Any

import numpy as np

from npexport.ir.graph import PLACEHOLDER, Node, map_nodes
from npexport.symshapes.env import ShapeEnv
from npexport.tracer.arrays.core.proxy import ArrayProxy, ScalarProxy
from npexport.tracer.arrays.memory.model import Kind
from npexport.tracer.driver.session import Session
from npexport.tracer.effects.error_states import ErrorStates
from npexport.tracer.interpreter.world import Invoke
from npexport.tracer.models import registry
from npexport.tracer.models.arrays import numpy_api

registry.fill()


class Host:
    """CPython in place of the VM: no frame is the program's."""

    frame = current_frame = None

    def stack(self, limit: int | None = None) -> tuple[()]:
        return ()

    def run(self, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
        return fn(*args, **kwargs)


class Quiet:
    """A world in which nobody has changed what is done about warnings and floating-point errors."""

    errors = ErrorStates()
    filtering = trapping = captures = rehearses = False

    def keeps_warnings(self) -> bool:
        return False

    def ignored_warnings(self, issued: Collection[type[Warning]]) -> str:
        return ""


class TracedNumPy:
    """``numpy`` as the VM would call it: every callable means its model."""

    def __init__(self, module: Any) -> None:
        self._module = module

    def __getattr__(self, name: str) -> Any:
        value = getattr(self._module, name)
        if isinstance(value, types.ModuleType):
            return TracedNumPy(value)
        if isinstance(value, np.ufunc):
            return TracedUfunc(value)
        if isinstance(value, type) and issubclass(value, np.generic):
            return value
        call = numpy_api.find(value)
        return value if call is None else lambda *args, **kwargs: invoke(call(*args, **kwargs))


class TracedUfunc:
    """A ufunc whose methods mean their models."""

    def __init__(self, ufunc: np.ufunc) -> None:
        self._ufunc = ufunc

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return numpy_api.ufuncs.call(self._ufunc, *args, **kwargs)

    def __getattr__(self, name: str) -> Any:
        if name == "at":
            return lambda *args: numpy_api.ufuncs.at(self._ufunc, *args)
        return lambda *args, **kwargs: numpy_api.ufuncs.METHODS[name](self._ufunc, *args, **kwargs)


def invoke(result: Any) -> Any:
    """What a model answers; calls that are to be interpreted are run by CPython."""
    return result.fn(*result.args, **result.kwargs) if isinstance(result, Invoke) else result


def trace(function: Any, *arrays: Any) -> tuple[Session, list[Any], Any]:
    """Call ``function(np, *proxies)``: the session, the proxies and the result."""
    session = Session(Host(), env=ShapeEnv(), world=Quiet())
    with session.activate():
        proxies = [session.recorder.lift(array, f"x{i}", Kind.INPUT) for i, array in enumerate(arrays)]
        return session, proxies, function(TracedNumPy(np), *proxies)


def evaluate(session: Session, nodes: Any, arrays: Any) -> Any:
    """The values of nodes when the placeholders are these arrays."""
    values: dict[Node, Any] = {}
    for placeholder in session.recorder.placeholders:
        number = int(placeholder.path[1:]) if placeholder.kind is Kind.INPUT else None
        values[placeholder.node] = placeholder.array if number is None else arrays[number]
    for node in session.recorder.graph:
        if node.op != PLACEHOLDER:
            args, kwargs = map_nodes((node.args, node.kwargs), values.__getitem__)
            values[node] = node.target(*args, **kwargs)
            _check_meta(node, values[node])
    return map_nodes(nodes, values.__getitem__)


def _check_meta(node: Node, value: Any) -> None:
    metas = node.meta["val"] if isinstance(node.meta["val"], (tuple, list)) else (node.meta["val"],)
    for meta, item in zip(metas, value if isinstance(node.meta["val"], (tuple, list)) else (value,), strict=True):
        if hasattr(meta, "dtype") and (isinstance(item, np.ndarray) or (meta.dtype.isnative and meta.dtype.kind not in "SU")):
            static = tuple([want if isinstance(want, int) else have for want, have in zip(meta.shape, np.shape(item), strict=True)])
            assert (static, meta.dtype) == (np.shape(item), item.dtype), f"{node.name} = {node.target}{node.args}: {meta}, not {item!r}"


def result_nodes(session: Session, result: Any) -> Any:
    """The result with nodes for proxies."""
    if isinstance(result, (tuple, list)) and type(result) not in (ArrayProxy, ScalarProxy):
        return tuple(result_nodes(session, item) for item in result)
    if type(result) in (ArrayProxy, ScalarProxy):
        with session.activate():
            return result.node()
    return result


def check(function: Any, *arrays: Any, fresh: Any = None) -> Session:
    """Trace on ``arrays``, run on ``fresh``, and compare results, their dtypes and types, and the arrays afterwards with eager NumPy."""
    before = [array.copy() for array in arrays]
    session, proxies, result = trace(function, *arrays)
    for array, copy in zip(arrays, before, strict=True):
        np.testing.assert_array_equal(array, copy, "tracing changed an input")
    fresh = before if fresh is None else fresh
    inputs = [array.copy(order="K") for array in fresh]
    eager = [array.copy(order="K") for array in fresh]
    expected = function(np, *eager)
    got, after = evaluate(session, (result_nodes(session, result), result_nodes(session, tuple(proxies))), inputs)
    compare(expected, got)
    for want, have in zip(eager, after, strict=True):
        compare(want, have)
    return session


def compare(want: Any, have: Any) -> None:
    """Equal values, dtypes, shapes and kinds (array or scalar)."""
    if isinstance(want, (tuple, list)):
        assert len(want) == len(have)
        for w, h in zip(want, have, strict=True):
            compare(w, h)
        return
    if isinstance(want, dict):
        assert list(want) == list(have)
        compare(list(want.values()), list(have.values()))
        return
    if isinstance(want, (np.ndarray, np.generic)):
        assert isinstance(have, np.ndarray) == isinstance(want, np.ndarray), (want, have)
        assert have.dtype == want.dtype, (want.dtype, have.dtype)
        if have.dtype.names is not None:
            for name in have.dtype.names:
                compare(want[name], have[name])
        elif have.dtype.kind in "fc":  # NumPy's loops differ in the last bits from one memory layout to another
            np.testing.assert_allclose(have, want, rtol=8 * np.finfo(have.dtype).eps, atol=0, strict=isinstance(want, np.ndarray))
        else:
            np.testing.assert_array_equal(have, want, strict=True)
    else:
        assert want == have


__all__ = ["TracedNumPy", "check", "compare", "evaluate", "invoke", "trace"]
