"""Calls of operators that users declare: one node, whose results the operator's fake describes. The
fake is interpreted in a region of its own.
"""

from __future__ import annotations

import inspect
from collections.abc import Iterable, Iterator
from typing import Any, NamedTuple

import numpy as np

from npexport.ir import ops
from npexport.ir.arguments import leaves_of
from npexport.ir.declared import SIZES, expression_of, open_sizes, parts_of, places_of
from npexport.ir.graph import Node
from npexport.ir.meta import TensorMeta, described, size_text
from npexport.ir.ops.fresh import fresh_float, fresh_truth
from npexport.ir.ops.rules import is_size
from npexport.ir.pytree import TreeSpec, tree_flatten
from npexport.ir.result_forms import FORM, Misarranged, arranged, flat, form_of, is_plain
from npexport.runtime.operators.custom_op import CustomOp
from npexport.runtime.operators.custom_schema import EAGER
from npexport.runtime.operators.result_groups import Group
from npexport.symshapes.errors import Unsupported, UserError
from npexport.symshapes.functions import sym_float, sym_int
from npexport.symshapes.plain import with_article
from npexport.symshapes.symint import SymBool, SymInt, is_symbolic, python_type
from npexport.tracer.arrays.core.current import Recording, recorder
from npexport.tracer.arrays.core.proxy import ArrayProxy, ScalarProxy, as_number, integer_of, truth_of
from npexport.tracer.arrays.core.regions import Region
from npexport.tracer.arrays.core.writes import assign, require_writeable
from npexport.tracer.arrays.memory.layout_inference import depends_of
from npexport.tracer.arrays.memory.model import C_ORDER, Layout
from npexport.tracer.effects.snapshots import snapshot
from npexport.tracer.effects.world import ShadowedWorld
from npexport.tracer.interpreter.frame import Machine
from npexport.tracer.interpreter.native import NATIVE_TYPES
from npexport.tracer.models.registry import models, operands

_PROXIES = (ArrayProxy, ScalarProxy)
_PLAIN = (bool, int, float, complex, str, bytes, np.generic, np.dtype)


class _Fake(Region):
    """The run of a fake. ``sizes``: the new sizes that it requested, each with its bounds."""

    code = "E141"

    def __init__(self, recorder: Recording, op: CustomOp) -> None:
        super().__init__(recorder, f"the fake of `{op}`")
        self.op = op
        self.sizes: dict[Any, tuple[Any, Any]] = {}

    def new_size(self, low: Any, high: Any) -> Any:
        """A size that only the data know, or that both bounds are."""
        if expression_of(low) == expression_of(high):
            return low
        rec = self.recorder
        env = rec.session.env
        size = env.create_unbacked(low, high, f"a size that {self.what} makes")
        node = rec.graph.placeholder("size", {"val": size, "stack_trace": (), "nn_module_stack": {}})
        self.entries.append(node)
        rec.sizes.bind(size, node)
        self.sizes[expression_of(size)] = low, high
        return size


def _wrong_fake(what: str) -> Unsupported:
    """The error for a fake that claims what it cannot know, or has effects."""
    return Unsupported("E141", what)


@models("npexport.runtime.operators.custom_ops", "new_size")
def new_size(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    given = dict(zip(("min", "max"), args, strict=False)) | kwargs
    fakes = [region for region in world.recorder.regions if isinstance(region, _Fake)]
    low, high = given.get("min", 0), given.get("max")
    if not fakes or len(args) > 2 or not given.keys() <= {"min", "max"}:
        return fn(*args, **kwargs)  # raises
    if not is_size(low) or not (high is None or is_size(high)):
        raise UserError("E201", f"new_size takes sizes, not {low!r} and {high!r}", hint="Call new_size(min=0, max=x.size).")
    if type(low) is int and type(high) is int and low > high:
        raise UserError("E201", f"new_size(min={low}, max={high}): no size is both", hint="Call new_size(min=0, max=x.size).")
    return fakes[-1].new_size(low, high)


@models("npexport.runtime.operators.called_operators", "CalledOperator.__call__")
def called(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    op, *given = operands(fn, args)
    return call(world, vm, op, tuple(given), kwargs)


@models("npexport.runtime.operators.custom_op", "CustomOp.eager")
def eager(world: ShadowedWorld, vm: Machine, fn: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """A call that C has made."""
    return call(world, vm, *operands(fn, args))


def call(world: ShadowedWorld, vm: Machine, op: CustomOp, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The result, as the program sees it, of a call of a user's operator."""
    rec = world.recorder
    if op.fake is None and world.example is None:
        raise _no_fake(op)
    _require_held(world, op, args, kwargs)
    if not op.native:
        _require_arrays(op, args, kwargs)
        bound = op.declared.bind(args, kwargs, _TRACED)
        args, kwargs = bound.args, bound.kwargs
    else:
        _require_taken(op, args, kwargs)
    if "raise" in world.errors.current().values():
        raise Unsupported("E126", f"the program makes errors of floats exceptions, and calls `{op}`, of which nothing is known")
    written = _written(op, args, kwargs)
    told = _told(world, vm, op, args, kwargs, written) if op.fake is not None else _of_example(world, op, args, kwargs)
    node = _recorded(op, args, kwargs, told)
    depends = depends_of([leaf for leaf in leaves_of((args, kwargs)) if type(leaf) in _PROXIES])
    results = rec.wrap(node, Layout(None, depends, False) if op.native else C_ORDER)
    for result in parts_of(results):
        if type(result) is ArrayProxy:
            result.storage.hidden = None if op.native else False
    parts = parts_of(results)
    count = len(parts) - len(written)
    for x, new in zip(written, parts[count:], strict=True):
        assign(x, new, alike=True)
    return None if told.spec is None else told.spec.unflatten(parts[:count])


class _Told(NamedTuple):
    """What a call gives: the value of its node, the entries for open sizes, and the containers of
    the results, ``None`` if there are none.
    """

    value: Any
    sizes: tuple[Any, ...]
    spec: TreeSpec | None

    @property
    def form(self) -> Any:
        """The form that the node states."""
        return None if self.spec is None or is_plain(self.spec) else form_of(self.spec)


def _no_fake(op: CustomOp) -> Unsupported:
    hint = f"Say what it gives: @{op.name}.register_fake over a function that returns np.empty(shape, dtype)."
    return Unsupported("E140", f"`{op}` has no fake: nothing says which shapes and dtypes it gives", hint=hint)


def _of_example(world: ShadowedWorld, op: CustomOp, args: tuple[Any, ...], kwargs: dict[str, Any]) -> _Told:
    """What the node gives where the operator does what it does for the example inputs."""
    results, written = world.example(_no_fake(op), op.compute, args, kwargs)
    spec = _containers(op, results)
    given = flat(None if is_plain(spec) else spec, results, written)
    parts = [described(part) if isinstance(part, np.ndarray) else _meta(op, part) for part in parts_of(given)]
    return _Told(tuple(parts) if isinstance(given, tuple) else parts[0], (), None if results is None else spec)


def _containers(op: CustomOp, results: Any) -> TreeSpec:
    """The containers of what the operator, or its fake, returns."""
    try:
        return arranged(results)
    except Misarranged as error:
        hint = "Return arrays and numbers, or tuples, lists, dicts with texts as keys and named tuples of the top level of a module."
        raise Unsupported("E141", f"what `{op}` returns {error}", hint=hint) from None


def _recorded(op: CustomOp, args: tuple[Any, ...], kwargs: dict[str, Any], told: _Told) -> Node:
    """The node, a new one per call, of bound arguments without those that are defaults."""
    args, kwargs = op.bind(args, {**kwargs, SIZES: told.sizes, FORM: told.form})
    return recorder().declared(op, args, kwargs, told.value)


def _require_held(world: ShadowedWorld, op: CustomOp, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Raises ``Unsupported`` (E101) if a graph does not hold an argument; a schema refuses all but
    stand-ins itself.
    """
    for foreign in _foreign((*args, *kwargs.values())):
        if op.native or type(foreign) in NATIVE_TYPES:
            kind = with_article(world.type_of(foreign).__name__)
            raise Unsupported("E101", f"`{op}` is called with {kind}, which a graph does not hold", hint=_instead(foreign, kind))


def _require_taken(op: CustomOp, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Raises ``Unsupported`` (E141) if the fake does not take the call."""
    try:
        inspect.signature(op.fake).bind(*args, **kwargs)  # type: ignore[arg-type]
    except TypeError as error:
        hint = "Give the fake the parameters of the function, with their names and defaults."
        raise Unsupported("E141", f"the fake of `{op}` does not take the arguments of the call: {error}", hint=hint) from None
    except ValueError:  # C that does not say
        pass


def _instead(foreign: Any, kind: str) -> str:
    """What to write in place of a value that a graph does not hold."""
    if isinstance(foreign, type) and (foreign in (int, float, bool, complex) or issubclass(foreign, np.generic)):
        return f"Pass the dtype itself: np.dtype({'' if foreign.__module__ == 'builtins' else 'np.'}{foreign.__name__})."
    if isinstance(foreign, list):
        return "Only sizes or data know its length: pass one array, np.stack of its items."
    if isinstance(foreign, (np.random.Generator, np.random.RandomState)):
        return "Draw the numbers that it needs before, and pass the array."
    return f"Write a function of arrays, numbers and texts that makes {kind} of them and calls it, and make that function the operator."


def _foreign(values: Iterable[Any]) -> Iterator[Any]:
    """The values, and items of sequences among them, that cannot be part of a graph."""
    for value in values:
        kind = type(value)
        if kind is tuple or kind is list:
            yield from _foreign(value)
        elif kind is slice:
            yield from _foreign((value.start, value.stop, value.step))
        elif not (value is None or value is Ellipsis or issubclass(kind, _PLAIN) or kind in _PROXIES or is_symbolic(value)):
            yield value


def _require_arrays(op: CustomOp, args: tuple[Any, ...], kwargs: dict[str, Any]) -> None:
    """Raises what eager calls raise if a scalar is to be mutated."""
    given = op.declared.signature.bind(*args, **kwargs).arguments if op.declared.mutates else {}
    for leaf in leaves_of([given.get(name) for name in op.declared.mutates]):
        if type(leaf) is ScalarProxy or isinstance(leaf, np.generic):
            raise ValueError("assignment destination is read-only")


def _written(op: CustomOp, args: tuple[Any, ...], kwargs: dict[str, Any]) -> list[ArrayProxy]:
    """The arrays that the call writes to. Raises ``Unsupported`` (E120) if one is shared."""
    bound = op.declared.signature.bind(*args, **kwargs).arguments
    found = [leaf for name in op.declared.mutates for leaf in leaves_of(bound.get(name)) if leaf is not None]
    others = [leaf for leaf in leaves_of((args, kwargs)) if type(leaf) is ArrayProxy]
    for x in found:
        require_writeable(x, "assignment destination is read-only")
        recorder().require_whole(x.storage, "writes to an array")
        if sum(recorder().overlaps.meet(x.storage, other.storage) for other in others) > 1:
            raise Unsupported("E120", f"`{op}` writes to an argument that may share memory with another one")
    return found


def _told(world: ShadowedWorld, vm: Machine, op: CustomOp, args: Any, kwargs: Any, written: list[ArrayProxy]) -> _Told:
    """The fake's description of the results.

    Raises ``Unsupported`` (E141) if the fake calls the operator itself.
    """
    if any(isinstance(region, _Fake) and region.op is op for region in world.recorder.regions):
        hint = "Say what the results are with np.empty(shape, dtype), of the shapes and dtypes of the arguments."
        raise Unsupported("E141", f"the fake of `{op}` calls the operator whose results it is to describe", hint=hint)
    env = world.recorder.session.env
    before = set(env.symbols)
    fake = _Fake(world.recorder, op)
    with snapshot(world, vm, (op.fake,)) as unchanged, fake:
        result = vm.run(op.fake, args, kwargs)
        touched = unchanged.effect()
        if touched is not None:
            raise fake.refusal(touched)
    result = _of_schema(op, result)
    spec = _containers(op, result)
    parts = [_meta(op, part) for part in ([] if op.declared.results is None else tree_flatten(result)[0])]
    parts += [x.meta for x in written]
    new = fake.sizes
    names = {name for expression in new for name in expression.symbols}
    for part in parts:
        for size in part.shape if isinstance(part, TensorMeta) else (part,):
            _require_told(op, size, before | names, names)
    several = written or not spec.is_leaf
    value = tuple(parts) if several else parts[0]
    values = [described_leaf(leaf) for leaf in leaves_of(op.bind(args, kwargs))]
    sizes = []
    for size in open_sizes(value, places_of(values)):
        bounds = new.get(expression_of(size))
        sizes.append(size if bounds is None else bounds)
        if bounds is not None:
            for bound, truth in ((bounds[0], size.__ge__), (bounds[1], size.__le__)):
                if is_symbolic(bound) and is_symbolic(holds := truth(bound)):
                    env.declare(holds.expression)
    return _Told(value, tuple(sizes), None if op.declared.results is None else spec)


def described_leaf(leaf: Any) -> Any:
    """The declaration of the node of an argument."""
    return leaf.meta if type(leaf) in _PROXIES else leaf


def _require_told(op: CustomOp, size: Any, known: set[str], new: set[str]) -> None:
    if type(size) is not SymInt or type(expression_of(size)) is int:
        return
    symbols = size.expression.symbols
    if not symbols <= known:
        raise _wrong_fake(f"the fake of `{op}` computes a size of data: {size_text(size)}")
    if symbols & new and not size.expression.is_symbol:
        what = f"the fake of `{op}` computes the size {size_text(size)} of a new one"
        raise Unsupported("E141", what, hint="Use what new_size() gives as a size itself, with the bounds that the other size has.")


def _of_schema(op: CustomOp, result: Any) -> Any:
    """What a fake returns, in the container that is declared. Raises ``Unsupported`` (E141) if it
    is something else.
    """
    declared = op.declared.results
    if declared is object:
        return result
    wrong = _wrong_fake(f"the fake of `{op}` does not return what the schema {op.schema} says")
    if not isinstance(declared, Group):
        if not (result is None if declared is None else _is_of(result, declared)):
            raise wrong
        return result
    try:
        parts, keys = declared.apart(str(op), result)
    except TypeError:
        raise wrong from None
    if not all(_is_of(part, kind) for part, kind in zip(parts, declared.kinds_of(len(parts)), strict=True)):
        raise wrong
    return declared.together(keys, parts)


def _is_of(part: Any, kind: type) -> bool:
    array = isinstance(part, (*_PROXIES, np.generic)) or type(part) in _PROXIES
    return array if kind is np.ndarray else not array and python_type(part) is kind


def _meta(op: CustomOp, part: Any) -> Any:
    """The meta of a part of the result."""
    if type(part) in _PROXIES or isinstance(part, np.generic):
        meta = part.meta if type(part) in _PROXIES else described(part)
        return meta if op.native else meta.with_(scalar=False)
    kind = python_type(part)
    if kind is float or kind is bool:
        return fresh_float() if kind is float else fresh_truth()
    if kind is int:
        return part
    raise _wrong_fake(f"the fake of `{op}` returns {with_article(type(part).__name__)}, not arrays, NumPy scalars and numbers")


def _array(value: Any) -> Any:
    if type(value) is ArrayProxy:
        return value
    if type(value) is ScalarProxy:
        return recorder().call(ops.np.array, value)
    return recorder().known(EAGER[np.ndarray](value))


def _int(value: Any) -> Any:
    if type(value) is ScalarProxy and value.dtype.kind in "iu":
        return integer_of(value)
    return sym_int(value) if type(value) in (SymInt, SymBool) else EAGER[int](value)


def _float(value: Any) -> Any:
    if type(value) is ScalarProxy and value.dtype.kind in "iuf":
        return sym_float(as_number(value, "float()"))
    return sym_float(sym_int(value) if type(value) is SymBool else value) if is_symbolic(value) else EAGER[float](value)


def _bool(value: Any) -> Any:
    if type(value) is ScalarProxy and value.dtype.kind == "b":
        return truth_of(value)
    return value if type(value) is SymBool else EAGER[bool](value)


_TRACED = {np.ndarray: _array, int: _int, float: _float, bool: _bool, str: EAGER[str], np.dtype: EAGER[np.dtype]}
"""How an argument from the program becomes one of a schema."""
