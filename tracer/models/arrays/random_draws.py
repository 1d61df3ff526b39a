"""Draws from generators whose states only the graph knows: each method is a node."""

from __future__ import annotations

import functools
import inspect
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from npexport.ir import ops, random_states
from npexport.ir.ops.random_draws import COUNTS, METHODS
from npexport.ir.ops.rules import as_tuple
from npexport.ir.ops.stand_ins import stand_in as example_of
from npexport.runtime.kernels.random_draws import method_of
from npexport.symshapes.errors import Unsupported
from npexport.symshapes.functions import sym_max
from npexport.symshapes.symint import SymInt, python_type
from npexport.tracer.arrays.api import arguments
from npexport.tracer.arrays.core import coercion, generators
from npexport.tracer.arrays.core.current import recorder
from npexport.tracer.arrays.core.data_bytes import DataBytes
from npexport.tracer.arrays.core.filled_list import FilledList
from npexport.tracer.arrays.core.numpy_oracle import asked, raise_for_stand_ins
from npexport.tracer.arrays.core.proxy import ArrayProxy, Proxy, ScalarProxy, all_known, real_arguments
from npexport.tracer.arrays.core.writes import assign, put, require_whole, require_writeable
from npexport.tracer.interpreter.world import Invoke
from npexport.tracer.models.polyfills import lists

Arguments = dict[str, Any]


def draw(generator: Any, fn: Any, args: tuple[Any, ...], kwargs: Arguments) -> Any:
    """The result of a method of a generator, whose state is an array of the graph from now on."""
    source = random_states.source_of(generator)
    generators.require_own(source)
    numpys = getattr(random_states.drawing(generators.name_of(source)), fn.__name__)
    if fn.__name__ in METHODS and type(out := _filled(fn, args, kwargs)) is ArrayProxy:
        _require_place(numpys, out)
    return asked(numpys, functools.partial(_draw, generator, fn), args, kwargs)


def _draw(generator: Any, fn: Any, /, *args: Any, **kwargs: Any) -> Any:
    """Like `draw`, but for what is raised where NumPy refuses the call."""
    name = fn.__name__
    bound = inspect.signature(fn).bind(*args, **kwargs)
    bound.apply_defaults()
    given = dict(bound.arguments)
    if random_states.is_legacy(generator):
        name, given = _legacy(name, given)
    if name in METHODS:
        return _elements(generator, name, given, bound.signature)
    model = _MODELS.get(name)
    if model is None:
        hint = _HINTS.get(name, generators.HIDDEN)
        raise Unsupported("E107", f"`{name}` of a random generator depends on data", hint=hint)
    return model(generator, **given)


def _legacy(name: str, given: Arguments) -> tuple[str, Arguments]:
    """A method of `RandomState` as the one of a `Generator` that takes such arguments."""
    if name in ("rand", "randn"):
        return _OF_LEGACY[name], {"size": given["args"] or None}
    return _OF_LEGACY.get(name, name), given


_OF_LEGACY = {"rand": "random", "randn": "standard_normal", "random_sample": "random", "randint": "integers"}
_HINTS = {
    "random_integers": "Write rs.randint(low, high + 1), which draws the same numbers.",
    "tomaxint": "Write rs.randint(0, 2**64, dtype=np.uint64) >> np.uint64(1), which draws the same numbers.",
}


def raw(bit_generator: Any, fn: Any, args: tuple[Any, ...], kwargs: Arguments) -> Any:
    """The result of `random_raw`: integers over the whole range of what the bit generator gives."""
    numpys = random_states.drawing(generators.name_of(bit_generator)).bit_generator.random_raw
    return asked(numpys, functools.partial(_raw, bit_generator), args, kwargs)


def _raw(bit_generator: Any, size: Any = None, output: Any = True) -> Any:
    taken, bits = _size(size), 32 if generators.name_of(bit_generator) == "MT19937" else 64
    _refuse_odd(taken)
    drawn = _advanced(bit_generator, "integers", taken, 0, 1 << bits, dtype=np.dtype(f"u{bits // 8}"))
    if not arguments.static(output):
        return None
    return recorder().element(drawn.node()) if taken is None else drawn.astype(np.uint64)


def _record(generator: Any, method: str, /, *args: Any, **kwargs: Any) -> Any:
    """The draw as a node; the generator advances."""
    return _advanced(random_states.source_of(generator), method, *args, **kwargs)


def _advanced(source: Any, method: str, /, *args: Any, **kwargs: Any) -> Any:
    op = getattr(ops.random, method)
    after, *results = recorder().call(op, generators.state_of(source), generators.name_of(source), *args, **kwargs)
    generators.advance(source, after)
    return results[0] if len(results) == 1 else results


def _probe(generator: Any, method: str, given: Arguments) -> Any:
    """NumPy's result for stand-ins of the arguments, or ``None``.

    Raises what NumPy raises because of their types, and for known data everything that it raises.
    """
    name = generators.name_of(random_states.source_of(generator))
    scratch, method = random_states.drawing(name), method_of(name, method)
    given = {key: value for key, value in given.items() if key not in _NEW or name != random_states.LEGACY}
    unknown = not all_known(*[value for name, value in given.items() if name != "size"])
    stand_ins = {name: _stand_in(value) for name, value in given.items()}
    try:
        with np.errstate(all="ignore"):
            return getattr(scratch, method)(**stand_ins)
    except ValueError:
        if not unknown:
            raise
    except TypeError as error:
        raise_for_stand_ins(getattr(scratch, method), (), given, TypeError)
        raise Unsupported("E104", f"data decide what `{method}` of a random generator raises, such as: {error}") from None
    return None


_NEW = ("axis", "shuffle")
"""Parameters that the methods of `RandomState` do not have."""


def _stand_in(value: Any) -> Any:
    if isinstance(value, Proxy):
        if value.known:
            return real_arguments(value)
        ones = np.ones((1,) * value.ndim, value.dtype)
        return ones[()] if type(value) is ScalarProxy else ones
    kind = python_type(value)
    return value if kind is type(value) else kind(1)


def _size(size: Any) -> Any:
    found = None if size is None else as_tuple(arguments.known_parameter(np.empty, "size", size))
    if any(python_type(one) is float and type(one) is not float for one in found or ()):
        raise Unsupported("E104", "the size of a draw is a float that only the data know, and NumPy's TypeError shows its value")
    return found


def _sizes_only(size: Any) -> bool:
    return size is None or all(python_type(one) is int for one in size)


def _require_sizes(generator: Any, method: str, given: Arguments, size: Any) -> None:
    """Raises what NumPy raises for a size that has something else than numbers in it, if it does:
    of some methods truths are numbers.
    """
    if not _sizes_only(size):
        _probe(generator, method, given | {"size": size})


def _counts(size: Any) -> Any:
    """The size, with numbers for truths. Raises ``TypeError`` if it has something else in it."""
    found = None if size is None else tuple([int(one) if type(one) is bool else one for one in size])
    _refuse_odd(found)
    return found


def _refuse_odd(size: Any) -> None:
    """Raises ``TypeError`` for a size that has something else than numbers in it."""
    if not _sizes_only(size):
        raise TypeError("an integer is required")


def _size_that_counts(size: Any) -> Arguments:
    """The size if nothing is drawn, so that parameters are not examined; else none."""
    nothing = size is not None and all(type(one) is int for one in size) and 0 in size
    return {"size": size} if nothing or not _sizes_only(size) else {}


def _elements(generator: Any, name: str, given: Arguments, signature: Any) -> Any:
    """A method that draws each element by itself."""
    size, out = _size(given.pop("size")), given.pop("out", None)
    options: Arguments = {key: given.pop(key) for key in ("dtype", "endpoint", "method") if key in given}
    if name == "integers" and given["high"] is None:
        given = {"low": 0, "high": given["low"]}
    operands = {key: coercion.operand(value) for key, value in given.items()}
    _probe(generator, name, operands | options | _size_that_counts(size))
    if out is None:
        _refuse_odd(size)
    dtype = options.get("dtype")
    options = {key: value for key, value in options.items() if value != signature.parameters[key].default}
    if "dtype" in options:
        options["dtype"] = coercion.dtype_of(options["dtype"])
    if out is not None:
        return _into(generator, name, out, size, list(operands.values()), dtype, options)
    result = _record(generator, name, size, *operands.values(), **options)
    if size is not None or any(isinstance(value, ArrayProxy) and value.ndim for value in operands.values()):
        return result
    return _number(name, dtype, result)


def _number(name: str, dtype: Any, result: ArrayProxy) -> Any:
    """The only element, as NumPy passes it on."""
    rec = recorder()
    if name != "integers":
        return rec.element(result.node()) if name in COUNTS else rec.floating(result.node())
    if dtype is int:
        return rec.element(result.node())
    return rec.node(ops.sym.truth, (result,)).meta["val"] if dtype is bool else rec.call(ops.np.getitem, result, ())


def _into(generator: Any, name: str, out: Any, size: Any, operands: list[Any], dtype: Any, options: Arguments) -> Any:
    """Draws with ``out=``, in the memory order of the elements."""
    if type(out) is not ArrayProxy:
        np.random.default_rng(0).random(out=arguments.static(out))  # raises
    mirror = recorder().layouts.ask(out, aligned=True)
    if size is not None and (len(size) != out.ndim or not all(bool(a == b) for a, b in zip(size, out.shape, strict=True))):
        raise ValueError("size must match out.shape when used together")
    scratch, ones = np.random.default_rng(0), [1.0] * len(operands)
    getattr(scratch, name)(*ones, dtype=dtype, out=np.empty_like(mirror))  # raises for other dtypes
    if not mirror.flags.c_contiguous:
        raise Unsupported("E121", f"`{name}` fills an array in its memory order", hint="Pass an array in C order.")
    if any(type(value) is ArrayProxy and value.storage is out.storage for value in operands):
        raise Unsupported("E120", f"`{name}` reads the array that it fills", hint="Leave `out` out, and assign what is drawn.")
    assign(out, _record(generator, name, tuple(out.shape), *operands, **options))
    return out


def _filled(fn: Any, args: tuple[Any, ...], kwargs: Arguments) -> Any:
    """What is given for ``out``."""
    try:
        return inspect.signature(fn).bind(*args, **kwargs).arguments.get("out")
    except TypeError:
        return None


def _require_place(method: Any, out: ArrayProxy) -> None:
    """Raises what NumPy raises for an array that no draws can be written to."""
    mirror = recorder().layouts.ask(out, aligned=True)
    contiguous = mirror.flags.c_contiguous or (mirror.flags.f_contiguous and method.__name__ != "standard_gamma")
    if not out.writeable or not contiguous:
        method(*[1.0] * METHODS[method.__name__], out=np.empty((2, 2))[:, 0])  # raises


def _bytes(generator: Any, length: Any) -> DataBytes:
    """The first bytes of whole 32-bit words; there is one word where none is asked for."""
    length = arguments.static(length)
    if type(length) is SymInt:
        words = sym_max(1, (length + 3) // 4)
    else:
        random_states.drawing(generators.name_of(random_states.source_of(generator))).bytes(length)  # raises
        length = int(length)
        words = int((length - 1) / 4) + 1
    drawn = _record(generator, "integers", (words,), 0, 1 << 32, dtype=np.dtype(np.uint32))
    return DataBytes(drawn.astype("<u4").view(np.uint8)[:length])


def _permutation(generator: Any, x: Any, axis: Any = 0) -> Any:
    axis = arguments.static(axis)
    if isinstance(x, (int, np.integer)) or type(x) is SymInt or (type(x) is ScalarProxy and x.dtype.kind in "iu"):
        count = arguments.static(x)
        return _record(generator, "permutation", count if type(count) is SymInt else operator.index(count))
    array = coercion.array_of(x)
    if not array.ndim:
        np.random.default_rng(0).permutation(np.zeros(()), axis)  # raises
    _probe(generator, "permutation", {"x": array, "axis": axis})
    return _record(generator, "permutation", array, axis)


def unordered(x: Any) -> Any:
    """Something that is neither a list nor an array, for NumPy to shuffle, which raises if there
    are several items. Raises ``Unsupported`` (E107) for what could be shuffled.
    """
    given = example_of(x.meta) if type(x) is ScalarProxy else x
    if hasattr(type(given), "__setitem__") or isinstance(given, (np.str_, np.bytes_)):
        raise Unsupported("E107", f"`shuffle` of a random generator reorders a {type(given).__name__}", hint="Shuffle a list or an array.")
    return given


def _shuffle(generator: Any, x: Any, axis: Any = 0) -> Any:
    axis = arguments.static(axis)
    if type(x) is not ArrayProxy:
        if type(x) in (list, FilledList) and axis == 0:
            return Invoke(lists.shuffle if type(x) is list else lists.shuffle_rows, (generator.shuffle, x))
        np.random.default_rng(0).shuffle(x if type(x) is list else unordered(x), axis=axis)  # raises where there are several items
        return None
    require_writeable(x, "array is read-only")
    require_whole(x)
    np.random.default_rng(0).shuffle(np.ones((1,) * x.ndim), axis=axis)  # raises for an axis that it does not have
    assign(x, _record(generator, "shuffle", x, axis))
    return None


def _permuted(generator: Any, x: Any, axis: Any = None, out: Any = None) -> Any:
    axis = arguments.static(axis)
    array = coercion.array_of(x)
    if out is None:
        _probe(generator, "permuted", {"x": array, "axis": axis})
        return _record(generator, "permuted", array, axis=axis)
    if type(out) is not ArrayProxy:
        np.random.default_rng(0).permuted(np.zeros(1), out=arguments.static(out))  # raises
    require_writeable(out)
    mirror = recorder().layouts.ask(out) if axis is None and out.ndim > 1 else np.empty((1,) * out.ndim)
    if len(out.shape) != array.ndim or not all(bool(a == b) for a, b in zip(out.shape, array.shape, strict=True)):
        raise ValueError("out must have the same shape as x")
    if not mirror.flags.c_contiguous:
        raise Unsupported("E121", "`permuted` fills an array in its memory order", hint="Pass an array in C order.")
    return put(out, _record(generator, "permuted", array, axis=axis), "safe", function=np.copyto)


def _choice(generator: Any, a: Any, size: Any = None, replace: Any = True, p: Any = None, axis: Any = 0, shuffle: Any = True) -> Any:
    size, original, a, axis = _size(size), a, arguments.static(a), arguments.static(axis)
    population = a if python_type(a) is int else coercion.array_of(a)
    chances = None if p is None else coercion.array_of(p)
    if type(population) is ArrayProxy and not population.ndim and population.dtype.kind not in "iu":
        np.random.default_rng(0).choice(_stand_in(original))  # raises
    if random_states.is_legacy(generator) and type(population) is ArrayProxy and population.ndim > 1:
        generator.choice(_stand_in(population))  # raises
    options = {"a": population, "replace": bool(replace), "p": chances, "axis": axis, "shuffle": bool(shuffle)}
    _require_sizes(generator, "choice", options, size)
    result = _record(generator, "choice", population, _counts(size), bool(replace), chances, axis, bool(shuffle))
    probed = _probe(generator, "choice", options | _size_that_counts(size))
    if size is not None or type(result) is not ArrayProxy or result.ndim:
        return result
    if type(population) is ArrayProxy or isinstance(probed, np.generic):
        return recorder().call(ops.np.getitem, result, ())
    return recorder().element(result.node())


def _vectors(method: str, *parameters: str) -> Callable[..., Any]:
    """A method whose ``parameters`` are arrays; its other arguments are known."""

    def model(generator: Any, **given: Any) -> Any:
        size = _size(given.pop("size"))
        operands = {name: _operand(given.pop(name)) for name in parameters}
        options = {name: arguments.known_parameter(np.empty, name, value) for name, value in given.items()}
        if not all_known(*operands.values()) and all_known(*options.values()):
            _probe(generator, method, {**operands, **options, "size": None})
        _require_sizes(generator, method, operands | options, size)
        return _record(generator, method, *operands.values(), _counts(size), **options)

    return model


def _operand(value: Any) -> Any:
    return value if isinstance(value, (int, SymInt)) else coercion.operand(value)


def _spawn(generator: Any, n_children: Any) -> list[Any]:
    count = operator.index(arguments.static(n_children))
    if count < 0:
        np.random.default_rng(0).spawn(count)  # raises
    generators.seed_of(random_states.source_of(generator)).spawn(0)  # raises where it has seeds of its own in every run
    found = _record(generator, "spawn", count)
    states = [] if count == 0 else found if count > 1 else [found]
    name = generators.name_of(random_states.source_of(generator))
    return [generators.over(name, state) for state in states]


_MODELS: dict[str, Callable[..., Any]] = {
    "bytes": _bytes,
    "permutation": _permutation,
    "shuffle": _shuffle,
    "permuted": _permuted,
    "choice": _choice,
    "multivariate_normal": _vectors("multivariate_normal", "mean", "cov"),
    "dirichlet": _vectors("dirichlet", "alpha"),
    "multinomial": _vectors("multinomial", "n", "pvals"),
    "multivariate_hypergeometric": _vectors("multivariate_hypergeometric", "colors", "nsample"),
    "spawn": _spawn,
}
