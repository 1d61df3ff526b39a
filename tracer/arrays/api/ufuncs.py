"""Ufuncs: calls with ``out=``, ``where=``, ``dtype=``, ``casting=``, and the methods reduce,
accumulate, outer, reduceat and at.
"""

from __future__ import annotations

import functools
import itertools
from collections.abc import Callable
from typing import Any

import numpy as np

from npexport.ir import ops
from npexport.ir.numpy_internals import NO_VALUE
from npexport.ir.op import REGISTRY, Op
from npexport.ir.ops.np_elementwise import UFUNCS
from npexport.ir.ops.rules import broadcast, type_key
from npexport.symshapes.errors import Unsupported
from npexport.symshapes.symint import SymInt, python_type
from npexport.tracer.arrays.api import arguments, functions, indexing, result_layout, scatters, ufunc_forms
from npexport.tracer.arrays.api.partial_results import require_one_rounding, survive
from npexport.tracer.arrays.core import coercion, failing_writes, numpy_oracle, overlap_simulation, ownership, rounded_writes, writes
from npexport.tracer.arrays.core.current import recorder
from npexport.tracer.arrays.core.proxy import ArrayProxy, Proxy, ScalarProxy, all_known, real_arguments
from npexport.tracer.arrays.memory.layout import alike
from npexport.tracer.arrays.memory.model import mirror


def op_of(ufunc: np.ufunc) -> Op:
    """The operator that represents a ufunc. Raises ``Unsupported`` (E101) if there is none."""
    op = REGISTRY.modelling(ufunc)
    if op is None:
        raise Unsupported("E101", f"the ufunc `{ufunc.__name__}` is implemented in C, and no operator stands for it")
    return op


def call(
    ufunc: np.ufunc,
    *args: Any,
    out: Any = None,
    where: Any = True,
    casting: str = "same_kind",
    dtype: Any = None,
    signature: Any = None,
    sig: Any = None,
    order: str = "K",
    subok: bool = True,
    **core: Any,
) -> Any:
    """``ufunc(*args, ...)``. Raises what NumPy raises."""
    if out is ...:  # the same as no ``out``, but 0-d results are arrays
        (np.add if ufunc.nout == 1 else np.divmod)(1, 1, out=...)  # which not every version knows
        result = call(ufunc, *args, where=where, casting=casting, dtype=dtype, signature=signature, sig=sig, order=order, **core)
        return tuple(map(coercion.array_of, result)) if isinstance(result, tuple) else coercion.array_of(result)
    if signature is not None and sig is not None:
        raise TypeError("cannot specify both 'sig' and 'signature'")
    inputs, outs = args[: ufunc.nin], args[ufunc.nin :]
    refused = core and (ufunc.signature is None or isinstance(core.get("keepdims"), np.bool))
    if len(inputs) < ufunc.nin or len(args) > ufunc.nargs or order not in _ORDERS or refused:
        ufunc(*[np.zeros((1, 1))] * len(args), order=order, **core)
    if where is not True and ufunc.signature is not None:
        ufunc(*[np.zeros((1, 1))] * len(args), where=True)  # raises
    order = order or "K"
    if outs and out is not None:
        ufunc(*[np.empty(1)] * len(args), out=np.empty(1))
    if out is not None and (len(out) != ufunc.nout if isinstance(out, tuple) else ufunc.nout > 1):
        ufunc(*[0] * ufunc.nin, out=np.empty(1) if not isinstance(out, tuple) else (np.empty(1),) * len(out))
    outs = outs or (out if isinstance(out, tuple) else (out,) * (out is not None))
    outs = () if all(item is None for item in outs) else outs + (None,) * (ufunc.nout - len(outs))
    inputs = tuple([coercion.operand(value) for value in inputs])
    where = where if where is True else coercion.mask_of(where)
    plain = casting == "same_kind" and dtype is signature is sig is None
    for target in outs:
        writes.release(target)
    if all_known(inputs, outs, where):
        options = dict(where=where, casting=casting, dtype=dtype, signature=sig if signature is None else signature, order=order, **core)
        return _computed(ufunc, inputs, outs, options)
    options = {"casting": casting, "dtype": dtype, "signature": sig if signature is None else signature, "order": order}
    return failing_writes.by_ufunc(ufunc, lambda: _recorded(ufunc, inputs, outs, where, plain, options, core), inputs, outs)


def _recorded(
    ufunc: np.ufunc,
    inputs: tuple[Any, ...],
    outs: tuple[Any, ...],
    where: Any,
    plain: bool,
    options: dict[str, Any],
    core: dict[str, Any],
) -> Any:
    """Record the call of a ufunc; ``plain``: all ``options`` except the order have no effect."""
    casting, order = options["casting"], options["order"]
    if outs or where is not True:
        require_fit(ufunc, inputs, outs, where, casting)
    op = op_of(ufunc)
    given = inputs
    direct = not core or (plain and core.keys() <= op.signature.parameters.keys())
    if core:
        core = {name: arguments.known_parameter(ufunc, name, value) for name, value in core.items()}
    inputs, back = (inputs, _as_it_is) if direct else _core_axes_last(ufunc, inputs, core)
    if not plain:
        inputs = _cast_inputs(ufunc, inputs, casting, options["dtype"], options["signature"])
    _require_apart(ufunc, given, inputs, outs, where)
    stays = _steps(ufunc, inputs, outs) or (outs and rounded_writes.there(ufunc, inputs, outs[0]))
    if (where is not True or stays) and ufunc.nout == 1 and ufunc.__name__ in UFUNCS:
        return _computed_where(ufunc, inputs, outs[0] if outs else None, where, casting, order)
    result = back(recorder().call(op, *inputs, **(core if direct else {})))
    if not outs and where is True:
        if plain and order in ("K", "k") and direct:
            return result
        named = {name: value for name, value in _unusual(options).items() if name != "order"}
        return result_layout.in_asked_order(result, order, ufunc, *given, **named, **core)
    written = _written(ufunc, inputs, result, outs, where, casting)
    if outs and all(out is not None for out in outs):
        return written
    new = written if not outs else tuple([made if out is None else None for made, out in zip(written, outs, strict=True)])
    result_layout.with_numpys_layout(new, ufunc, *inputs, out=outs or None, where=where, order=order)
    return written


def _require_apart(ufunc: np.ufunc, given: tuple[Any, ...], inputs: tuple[Any, ...], outs: tuple[Any, ...], where: Any) -> None:
    """Refuses outputs in memory that NumPy reads late, or of which it brings what the mask leaves
    alone into the dtype of its loop and back."""
    reads_late = ufunc.__name__ == "vecdot"
    if not outs or (where is True and not reads_late):
        return
    arrays = [x for x in (*given, where) if type(x) is ArrayProxy]
    dtypes = ufunc.resolve_dtypes((*map(resolving, inputs), *[None] * ufunc.nout))[ufunc.nin :]
    for out, dtype in zip(outs, dtypes, strict=True):
        met = type(out) is ArrayProxy and any((reads_late or x is not out) and ownership.meet(x, out) for x in arrays)
        if met and (reads_late or out.dtype != dtype):
            what = f"numpy.{ufunc.__name__} writes to memory that it reads in another form"
            raise Unsupported("E120", what, hint="Copy the operand first: x.copy().")


def _steps(ufunc: np.ufunc, inputs: tuple[Any, ...], outs: tuple[Any, ...]) -> bool:
    """Whether a call writes to its output until it raises."""
    raises = ufunc is np.power and outs and op_of(ufunc).errors(tuple(map(recorder().argument, inputs)), {})
    if raises:
        failing_writes.require_apart(ufunc, inputs, outs)
    return bool(raises)


def _core_axes_last(ufunc: np.ufunc, inputs: tuple[Any, ...], core: dict[str, Any]) -> tuple[tuple[Any, ...], Callable[[Any], Any]]:
    """The operands of a generalised ufunc with the axes named by ``axis``, ``axes`` and
    ``keepdims`` moved to the end, and a function that moves those of the result where they belong.

    Raises what NumPy raises.
    """
    numpy_oracle.raise_for_stand_ins(ufunc, inputs, core, (TypeError, ValueError))
    axes, keeps = core.get("axes"), bool(core.get("keepdims"))
    if axes is None and not keeps and "axis" not in core:
        return inputs, _as_it_is
    entries = [core.get("axis", -1)] * (len(inputs) + keeps) if axes is None else axes
    given = [entry if isinstance(entry, tuple) else (entry,) for entry in entries]
    ends = given[len(inputs)] if len(given) > len(inputs) else (-1,) * keeps
    moved = tuple([_moved(value, places, _last(places)) for value, places in zip(inputs, given, strict=False)])
    if keeps:
        return moved, lambda result: recorder().call(ops.np.expand_dims, result, ends)
    return moved, lambda result: _moved(result, _last(ends), ends)


def _as_it_is(result: Any) -> Any:
    return result


def _last(axes: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(range(-len(axes), 0))


def _moved(value: Any, axes: tuple[int, ...], places: tuple[int, ...]) -> Any:
    return value if axes == places else recorder().call(ops.np.moveaxis, coercion.array_of(value), axes, places)


def _computed_where(ufunc: np.ufunc, inputs: tuple[Any, ...], out: Any, where: Any, casting: str, order: str) -> Any:
    """Nothing is computed where the mask is false, so nothing warns or raises there."""
    rec = recorder()
    target = out
    if out is None:
        shape = broadcast(*[tuple(np.shape(value)) for value in (*inputs, where)])
        target = rec.call(ops.np.zeros, shape, ufunc.resolve_dtypes((*map(resolving, inputs), None))[-1])
    writes.make_recorded(target)
    writes.become(target, ops.np.ufunc_where, (ufunc.__name__, target, where, *inputs), {"casting": casting})
    if out is not None:
        return out
    result_layout.with_numpys_layout(target, ufunc, *inputs, where=where, order=order)
    return target if target.ndim else target[()]


_ORDERS = frozenset("CFAKcfak")
_USUAL = {"where": True, "casting": "same_kind", "dtype": None, "signature": None, "order": "K"}


def _unusual(options: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in options.items() if name not in _USUAL or value is not _USUAL[name]}


def _computed(ufunc: np.ufunc, inputs: tuple[Any, ...], outs: tuple[Any, ...], options: dict[str, Any]) -> Any:
    options = _unusual(options)
    with recorder().session.listening():
        results = ufunc(*real_arguments(inputs), **real_arguments({**options, "out": outs} if outs else options))
    if not outs:
        return recorder().known(results)
    made = []
    for out, result in zip(outs, results if isinstance(results, tuple) else (results,), strict=True):
        if out is not None:
            writes.touched(out.storage)
        made.append(recorder().known(result) if out is None else out)
    return made[0] if len(made) == 1 else tuple(made)


def require_fit(ufunc: np.ufunc, inputs: tuple[Any, ...], outs: tuple[Any, ...], where: Any, casting: str) -> None:
    """Raises NumPy's errors if outputs are read-only, are of other dtypes, or do not broadcast with
    the operands: in this order.
    """
    given = [out for out in outs if out is not None]
    read_only = [out for out in given if writes.read_only(arguments.out_array(out))]
    shapes = [tuple(np.shape(value)) for value in (*inputs, *given, *(() if where is True else (where,)))]
    problem = None
    if ufunc.signature is None and all(type(size) is int for shape in shapes for size in shape):
        try:
            whole = np.broadcast_shapes(*shapes)
            problem = next((writes.misfit(tuple(out.shape), whole) for out in reversed(given) if tuple(out.shape) != whole), None)
        except ValueError:
            problem = f"operands could not be broadcast together with shapes {''.join(f'{writes.shape_text(shape)} ' for shape in shapes)}"
    if read_only:
        writes.require_writeable(read_only[0])
    if problem is not None or ufunc.signature is not None or len(given) > 1:  # nothing is written where one of several is refused
        types = [*map(resolving, inputs), *[None if out is None else out.dtype for out in outs], *[None] * (ufunc.nout - len(outs))]
        ufunc.resolve_dtypes(tuple(types), casting=casting)  # type: ignore[arg-type]
    if problem is not None:
        raise ValueError(problem)


def _writing_order(ufunc: np.ufunc, inputs: tuple[Any, ...], outs: tuple[Any, ...]) -> tuple[int, ...]:
    """The order in which outputs are written: with shared memory, one with NumPy's result."""
    given = [out for out in outs if type(out) is ArrayProxy]
    plain = tuple(range(ufunc.nout))
    if len(given) < 2 or not any(itertools.starmap(ownership.meet, itertools.combinations(given, 2))):
        return plain
    one_memory = all(out.storage is given[0].storage for out in given)
    order = overlap_simulation.last_writes(ufunc, inputs, given) if one_memory and len(given) == ufunc.nout else None
    if order is None:
        raise Unsupported("E120", f"the outputs of one call of numpy.{ufunc.__name__} share memory")
    return order


def _cast_inputs(ufunc: np.ufunc, inputs: tuple[Any, ...], casting: str, dtype: Any, signature: Any) -> tuple[Any, ...]:
    """The inputs in the dtypes of the loop that these options choose.

    Raises NumPy's casting errors.
    """
    if dtype is not None:
        signature = (None,) * ufunc.nin + (coercion.dtype_of(dtype),) * ufunc.nout
    if isinstance(signature, str):
        if [len(codes) for codes in signature.split("->")] != [ufunc.nin, ufunc.nout]:
            ufunc(*[np.zeros((1, 1))] * ufunc.nin, signature=signature)  # raises
        signature = tuple(np.dtype(code) for code in signature.replace("->", ""))
    if any(type(value) is SymInt for value in inputs):  # NumPy raises where the number does not fit
        what = f"np.{ufunc.__name__} is told in which dtype to compute, and takes a size or a number of data"
        raise Unsupported("E101", what, hint="Make it a number of NumPy first: np.int64(n).")
    given = [resolving(value) for value in inputs]
    chosen = {} if signature is None else {"signature": signature}
    resolved = ufunc.resolve_dtypes((*given, *(None,) * ufunc.nout), casting=casting, **chosen)  # type: ignore[arg-type]
    if any(found.hasobject for found in resolved):
        raise Unsupported("E122", f"numpy.{ufunc.__name__} computes with Python objects")
    order = "K" if ufunc.signature is None else "C"  # in which NumPy lays its copies out: sums are rounded by it
    return tuple([_cast(value, target, order) for value, target in zip(inputs, resolved, strict=False)])


def _cast(value: Any, target: np.dtype[Any], order: str) -> Any:
    """An input in the dtype of the loop. Raises NumPy's errors for a number that does not fit."""
    if type(value) in (int, float, complex):
        if type(value) is int and target.kind == "b":
            np.asarray(value, np.int64)  # raises
        return coercion.array_of(value, target)
    if hasattr(value, "dtype") and value.dtype == target:  # None equals float64
        return value
    return recorder().call(ops.np.astype, coercion.array_of(value), target, **({} if order == "K" else {"order": order}))


def resolving(value: Any) -> Any:
    """An operand for ``resolve_dtypes``: a dtype, or a Python type for weak scalars."""
    key = type_key(value.meta) if isinstance(value, Proxy) else python_type(value)
    own = np.dtype(bool) if key is bool else getattr(value, "dtype", None)
    return own or (key if key in (int, float, complex) else np.asarray(value).dtype)


def _require_same_shapes(ufunc: np.ufunc, inputs: tuple[Any, ...], results: tuple[Any, ...], outs: tuple[Any, ...]) -> None:
    """Outputs of a generalised ufunc must have the shapes of its results.

    Raises NumPy's error if they do not.
    """
    for value, out in zip(results, outs, strict=False):
        if out is not None and not writes.same(tuple(value.shape), tuple(out.shape)):
            numpy_oracle.raise_for_stand_ins(ufunc, inputs, {"out": outs}, ValueError)


def _written(ufunc: np.ufunc, inputs: tuple[Any, ...], result: Any, outs: tuple[Any, ...], where: Any, casting: str) -> Any:
    rec = recorder()
    results = result if isinstance(result, tuple) else (result,)
    if ufunc.signature is not None:
        _require_same_shapes(ufunc, inputs, results, outs)
    outs = outs or (None,) * len(results)
    written: dict[int, Any] = {}
    wide = [tuple(out.shape) for out in outs if type(out) is ArrayProxy]
    for position in _writing_order(ufunc, inputs, outs):
        value, out = results[position], outs[position]
        if out is None:
            shape = broadcast(tuple(value.shape), *wide, *([] if where is True else [tuple(where.shape)]))
            if where is True and not writes.same(shape, tuple(value.shape)):
                value = rec.call(ops.np.copy, rec.call(ops.np.broadcast_to, value, shape))
            out = value if where is True else rec.call(ops.np.zeros, shape, value.dtype)
            written[position] = out if where is True else writes.put(out, value, casting, where, ufunc)
        else:
            if where is not True and out.dtype.kind in "SUT" and value.dtype.kind not in "SUTb":
                what = f"`np.{ufunc.__name__}` with where= reads numbers in the texts of out="
                raise Unsupported("E101", what, hint="Compute first, and then write it: out[where] = result[where].")
            written[position] = writes.put(arguments.out_array(out), value, casting, where, ufunc, position)
    return written[0] if len(written) == 1 else tuple([written[position] for position in range(len(written))])


# Methods


def method(ufunc: np.ufunc, name: str, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """``ufunc.reduce(*args, **kwargs)`` and its kin.

    Raises what NumPy raises, also of a ufunc that has no such method.
    """
    ufunc_forms.require(ufunc, name, args, kwargs)
    if kwargs.get("out") is ... and name not in ("__call__", "outer"):  # the same as no ``out``, but 0-d results are arrays
        return coercion.array_of(method(ufunc, name, args, {key: value for key, value in kwargs.items() if key != "out"}))
    model = functools.partial(METHODS[name], ufunc)
    out = kwargs.get("out")
    outs = () if name == "__call__" else (*args[1:], *(out if isinstance(out, tuple) else (out,)))  # a call sees to its own
    return failing_writes.by_ufunc(ufunc, lambda: numpy_oracle.called(getattr(ufunc, name), model, args, kwargs), args[:1], outs)


def _loop(ufunc: np.ufunc, method: str, array: Any, dtype: Any, out: Any) -> Any:
    """The dtype in which a method computes, which may depend on that of ``out``.

    Raises NumPy's errors for dtypes.
    """
    one = np.ones(1, array.dtype)
    places = ([0],) if method == "reduceat" else ()
    if dtype is not None:
        dtype = coercion.dtype_of(dtype)
        if dtype.hasobject:
            raise Unsupported("E122", f"numpy.{ufunc.__name__}.{method} computes with Python objects")
        getattr(ufunc, method)(one, *places, dtype=dtype)  # raises where there is no such loop
    if out is None:
        return dtype
    if dtype is None:
        getattr(ufunc, method)(one, *places, out=np.empty(() if method == "reduce" else 1, out.dtype))
    if array.dtype.kind not in "mM" and out.dtype.kind not in "mM":
        loop = dtype or ufunc.resolve_dtypes((out.dtype, array.dtype, None), casting="unsafe", reduction=True)[0]
        if method == "reduce":
            require_one_rounding(f"np.{ufunc.__name__}.reduce", loop, out, (array,), ufunc)
        if method != "reduce" or loop == out.dtype or survive(ufunc, array.dtype, loop, out.dtype):
            return loop
    elif dtype is not None:
        return dtype
    own = getattr(ufunc, method)(one, *places).dtype
    dated = (array.dtype.kind in "mM") != (out.dtype.kind in "mM")
    keeps = out.dtype.kind not in "SUT" and np.can_cast(own, out.dtype)
    if dtype is not None or dated or not keeps:  # each step goes through the dtype of ``out``
        what = f"`np.{ufunc.__name__}.{method}` of {array.dtype} passes through the dtype {out.dtype} of out="
        raise Unsupported("E101", what, hint="Compute the result first, and then write it: out[...] = result.")
    return None if own.kind == "b" else np.result_type(array.dtype, out.dtype)


def reduce(
    ufunc: np.ufunc,
    array: Any,
    axis: Any = 0,
    dtype: Any = None,
    out: Any = None,
    keepdims: Any = False,
    initial: Any = NO_VALUE,
    where: Any = True,
) -> Any:
    """``ufunc.reduce``."""
    array = coercion.array_of(array) if type(array) is not ScalarProxy else array
    named = REGISTRY.by_method(ufunc.reduce)
    if type(keepdims) is not bool:
        np.add.reduce(np.ones(1), keepdims=keepdims)  # raises
    options: dict[str, Any] = {"keepdims": bool(keepdims)}
    if initial is not NO_VALUE:
        options["initial"] = coercion.operand(initial)
    if where is not True:
        options["where"] = coercion.mask_of(where)
        if options["where"] is True and initial is NO_VALUE:
            ufunc.reduce(np.ones(1, array.dtype), where=np.True_)  # raises where it has no identity
    out = ufunc_forms.output(ufunc.reduce, dtype, out)
    dtype = _loop(ufunc, "reduce", array, dtype, out)
    takes_dtype = named is not None and "dtype" in named.signature.parameters
    typed = takes_dtype or dtype is None or dtype == array.dtype
    if named is None or not typed or (options.keys() & {"initial"} and ufunc in (np.logical_and, np.logical_or)) or not array.ndim:
        result = recorder().call(ops.np.ufunc_reduce, _named(ufunc), array, arguments.static(axis), dtype, **options)
    else:
        if takes_dtype and dtype is not None:
            options["dtype"] = dtype
        result = model_of(named.models[0])(array, axis=axis, **options)
    return _into(ufunc.reduce, result, out, array, axis, keepdims=keepdims)


def _into(method: Callable[..., Any], result: Any, out: Any, array: Any, *args: Any, **kwargs: Any) -> Any:
    """The result written to ``out``, if there is one.

    Raises NumPy's errors if it has another shape, or is read-only.
    """
    if out is None:
        return result
    read = out.dtype.kind in "SUTV" and out.dtype.kind != result.dtype.kind  # NumPy reads what it has written there
    if read or writes.read_only(out) or not writes.same(tuple(out.shape), tuple(result.shape)):
        out_stand_in = numpy_oracle.stand_ins(out)
        out_stand_in.flags.writeable = out.writeable
        numpy_oracle.raise_for_stand_ins(method, (array, *args), {**kwargs, "out": out_stand_in}, Exception)
        raise Unsupported("E101", f"`{method.__name__}` of a ufunc with an output of another shape or kind than its result")
    return writes.put(out, result, "unsafe")


def _named(ufunc: np.ufunc) -> str:
    op_of(ufunc)
    return ufunc.__name__


def accumulate(ufunc: np.ufunc, array: Any, axis: Any = 0, dtype: Any = None, out: Any = None) -> Any:
    """``ufunc.accumulate``."""
    array, out = coercion.array_of(array), ufunc_forms.output(ufunc.accumulate, dtype, out)
    if not array.shape:
        raise TypeError("cannot accumulate on a scalar")
    dtype = _loop(ufunc, "accumulate", array, dtype, out)
    result = recorder().call(ops.np.ufunc_accumulate, _named(ufunc), array, arguments.static(axis), dtype)
    return _into(ufunc.accumulate, result, out, array, axis)


def outer(ufunc: np.ufunc, first: Any, second: Any, **options: Any) -> Any:
    """``ufunc.outer``."""
    first, second = coercion.array_of(first), coercion.array_of(second)
    if ndim := second.ndim:
        first = recorder().call(ops.np.reshape, first, (*first.shape, *(1,) * ndim))
    return call(ufunc, first, second, **options)


def reduceat(ufunc: np.ufunc, array: Any, indices: Any, axis: Any = 0, dtype: Any = None, out: Any = None) -> Any:
    """``ufunc.reduceat``."""
    if hasattr(indices, "dtype") and not np.can_cast(indices.dtype, np.intp):
        raise TypeError(f"indices of dtype {indices.dtype} are not cast safely")
    array, indices, out = coercion.array_of(array), coercion.array_of(indices, np.intp), ufunc_forms.output(ufunc.reduceat, dtype, out, [0])
    if not array.shape:
        raise TypeError("cannot reduceat on a scalar")
    dtype, axis = _loop(ufunc, "reduceat", array, dtype, out), arguments.known_parameter(ufunc.reduceat, "axis", axis)
    along = axis[0] if type(axis) is tuple and len(axis) == 1 else axis
    fixed = indices.known and isinstance(along, (int, np.integer)) and all(type(size) is int for size in array.shape)
    if fixed and not all(0 <= place < array.shape[along] for place in indices.array.flat):  # NumPy's own error
        ufunc.reduceat(np.broadcast_to(np.zeros((), array.dtype), array.shape), indices.array, axis)
    result = recorder().call(ops.np.ufunc_reduceat, _named(ufunc), array, indices, axis, dtype)
    return _into(ufunc.reduceat, result, out, array, indices, axis)


def at(ufunc: np.ufunc, a: Any, indices: Any, b: Any = None, /) -> None:
    """``ufunc.at``: unbuffered, so that repeated indices count each time."""
    if ufunc.nin == (1 if b is not None else 2) or ufunc.nout != 1 or ufunc.signature is not None:
        ufunc.at(np.ones(1), 0, *([] if b is None else [1.0]))  # raises
    operands = () if ufunc.nin == 1 else (coercion.operand(b),)
    index, _ = indexing.normalised(indices)
    if type(a) is not ArrayProxy or all_known(a, index, operands):
        scatters.write(ops.np.ufunc_at, ufunc.at, a, index, *operands)
        return
    if writes.read_only(a):  # fast loops of some versions of NumPy do not ask
        ufunc.at(alike(mirror(a.storage, a.link), False), *numpy_oracle.stand_ins((index, *operands)))
    indexing.check_bounds(a, index)
    op_of(ufunc)
    writes.make_recorded(a)
    writes.become(a, ops.np.ufunc_at, (ufunc.__name__, a, index, *operands))


def model_of(function: Any) -> Any:
    """The model of a NumPy function that an operator stands for, made once."""
    model = _MODELS.get(function)
    if model is None:
        op = REGISTRY.modelling(function)
        if op is None:
            raise Unsupported("E101", f"no operator stands for numpy.{function.__name__}")
        model = _MODELS[function] = functions.Function(function, op)
    return model


_MODELS: dict[Any, functions.Function] = {}
METHODS: dict[str, Callable[..., Any]] = {
    "__call__": call,
    "reduce": reduce,
    "accumulate": accumulate,
    "outer": outer,
    "reduceat": reduceat,
}
"""Ufunc methods that return results, by name."""
