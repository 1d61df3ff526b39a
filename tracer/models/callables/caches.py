"""Functions whose results are cached (``functools.lru_cache``).

The cache itself is called, and calls back. Where that is impossible, results are remembered here.
On one side of a branch on data, and in an iteration of a loop, no cache is filled: at run time the
other side may be taken, or no iteration. A function that only returns plain data is run there, and
again wherever it is called later with the same arguments: since it returns the same, it makes no
difference whether the cache was filled.
"""

from __future__ import annotations

import enum
import functools
import types
from collections.abc import Iterable
from typing import Any, NamedTuple

import numpy as np

from npexport.symshapes.errors import Unsupported
from npexport.symshapes.symint import is_symbolic, python_type
from npexport.tracer.arrays.core.proxy import ArrayProxy
from npexport.tracer.arrays.core.regions import Region
from npexport.tracer.control.leaves import is_of_items
from npexport.tracer.effects.parts import LEAVES, held_in, is_own, parts_of, same, same_parts
from npexport.tracer.effects.policy import KEPT_PYTHON_MODULES
from npexport.tracer.effects.snapshots import snapshot
from npexport.tracer.effects.world import ShadowedWorld
from npexport.tracer.interpreter.attributes import python_method
from npexport.tracer.interpreter.frame import Machine
from npexport.tracer.interpreter.world import Invoke
from npexport.tracer.models.callables.callbacks import is_modelled
from npexport.tracer.models.host_calls import answering, run
from npexport.tracer.models.registry import models, receiver, row
from npexport.tracer.models.specialization import has_sizes_within

_ABSENT = object()


class _Call(NamedTuple):
    """A call whose result a cache holds."""

    args: tuple[Any, ...]
    kwargs: dict[str, Any]
    result: Any

    def has_key_of(self, args: Any, kwargs: Any, typed: bool) -> bool:
        """Whether another call has the same key. Where sizes decide that, it is guarded."""
        pairs = zip((*self.args, *self.kwargs.values()), (*args, *kwargs.values()), strict=False)
        alike = _form(self.args, self.kwargs) == _form(args, kwargs)
        return alike and all(_same_key(one, other, typed) for one, other in pairs)


def _form(args: Any, kwargs: Any) -> tuple[int, list[str], bool]:
    """What has to be equal of keys beside the values: an ``int`` or ``str`` alone is its own
    key.
    """
    return len(args), list(kwargs), len(args) == 1 and not kwargs and _type(args[0]) in (int, str)


def _type(value: Any) -> type:
    return python_type(value) if is_symbolic(value) else type(value)


def _same_key(one: Any, other: Any, typed: bool) -> bool:
    if typed and _type(one) is not _type(other):
        return False
    if type(one) is tuple and type(other) is tuple:
        return len(one) == len(other) and all(_same_key(*pair, False) for pair in zip(one, other, strict=True))
    one, other = (value.item() if isinstance(value, np.number) else value for value in (one, other))
    if is_symbolic(one) or is_symbolic(other):
        numbers = all(is_symbolic(value) or isinstance(value, (int, float, complex)) for value in (one, other))
        return numbers and bool(one == other)
    return one is other or bool(_compares_in_c(one) and _compares_in_c(other) and one == other)


class _Remembered:
    """The cache of a function whose C cache cannot be used, or is not given calls with sizes."""

    def __init__(self, fn: Any) -> None:
        self.hits = self.misses = 0
        self.results: dict[Any, _Call] = {}
        self.of_sizes: list[_Call] = []
        self.parameters = fn.cache_parameters()

    def call(self, world: ShadowedWorld, vm: Machine, fn: Any, args: Any, kwargs: Any) -> Any:
        """Call the function through the cache. Keys may hash and compare themselves in Python,
        which is answered for or refused.
        """
        wrapped = fn.__wrapped__
        if has_sizes_within((args, kwargs)):
            return self._of_sizes(world, vm, fn, args, kwargs)
        key, result = answering(world, fn, self._find, (args, kwargs), {})
        if result is _ABSENT:
            result = self.of_equal_sizes(args, kwargs)
        if result is not _ABSENT:
            return result
        self.misses += 1
        result = vm.run(wrapped, args, kwargs)
        answering(world, fn, self._keep, (key, _Call(args, kwargs, result)), {})
        return result

    def _find(self, args: Any, kwargs: Any) -> tuple[Any, Any]:
        """The key of a call and its result, or ``_ABSENT``."""
        key = functools._make_key(args, kwargs, self.parameters["typed"])
        call = self.results.pop(key, None)
        if call is None:
            return key, _ABSENT
        self.hits += 1
        self.results[key] = call  # the last to be forgotten
        return key, call.result

    def _keep(self, key: Any, call: _Call) -> None:
        size = self.parameters["maxsize"]
        if size != 0:
            self.results[key] = call
            self.require_room(size is not None and len(self.results) + len(self.of_sizes) > size)
            if size is not None and len(self.results) > size:
                del self.results[next(iter(self.results))]

    def of_equal_sizes(self, args: Any, kwargs: Any) -> Any:
        """The result of a call with sizes that have the values of these arguments, or
        ``_ABSENT``.
        """
        return self._first(self.of_sizes, args, kwargs)

    def _first(self, calls: Iterable[_Call], args: Any, kwargs: Any) -> Any:
        for call in calls:
            if call.has_key_of(args, kwargs, self.parameters["typed"]):
                self.hits += 1
                return call.result
        return _ABSENT

    def _of_sizes(self, world: ShadowedWorld, vm: Machine, fn: Any, args: Any, kwargs: Any) -> Any:
        """The result for arguments with sizes, compared because hashing fixes sizes."""
        held = world.on_sides[fn].calls if fn in world.on_sides else []
        result = self._first([*self.of_sizes, *self.results.values(), *held], args, kwargs)
        if result is _ABSENT:
            self.misses += 1
            result = vm.run(fn.__wrapped__, args, kwargs)
            self.of_sizes.append(_Call(args, kwargs, result))
            self.require_room(_is_full(world, fn, 1))
        return result

    def require_room(self, is_full: bool) -> None:
        """Raises ``Unsupported`` (E104) where a result of sizes, or one before it, might be
        forgotten.
        """
        if is_full and self.of_sizes:
            hint = "Let the cache keep all results: functools.cache."
            raise Unsupported("E104", "a cache is called with sizes, and forgets results: which ones, their values decide", hint=hint)


def _is_full(world: ShadowedWorld, fn: Any, more: int = 0) -> bool:
    """Whether a cache forgets a result when it keeps another one, or that many fewer."""
    size, known = fn.cache_parameters()["maxsize"], world.remembered.get(fn)
    held = 0 if known is None else len(known.results) + len(known.of_sizes)
    return size is not None and fn.cache_info().currsize + held >= size + more


def _compares_in_c(value: Any) -> bool:
    """Whether no Python of the program's compares a part of a key.

    Raises ``TypeError`` for a part that is not hashable, as C does.
    """
    if type(value) is tuple:
        return all(map(_compares_in_c, value))
    if is_symbolic(value):
        return True
    if any(python_method(type(value), name) is not None for name in ("__eq__", "__hash__")):
        return False
    hash(value)
    return True


def _remembers(world: ShadowedWorld, fn: Any, *given: Any) -> bool:
    if has_sizes_within(given) and fn.cache_parameters()["maxsize"] != 0 and all(map(_compares_in_c, given)):
        return True
    return world.aborts or is_modelled(world, fn.__wrapped__)


_PLAIN = (
    types.NoneType, bool, int, float, complex, str, bytes, enum.Enum, type, types.ModuleType, types.BuiltinFunctionType,
    np.dtype, np.generic,
)  # fmt: skip
"""Types whose objects nobody mutates, with their subclasses."""


def _is_plain(world: ShadowedWorld, value: Any) -> bool:
    """Whether a result is immutable and equal to any other like it, or existed before the call."""
    if is_of_items(value) or type(value) is frozenset:
        return all(_is_plain(world, item) for item in value)
    before = issubclass(type(value), _PLAIN) or type(value) in (object, types.FunctionType) or world.shadows.is_outside(value)
    return before and not world.is_local(value)


def _alike(one: Any, other: Any) -> bool:
    if is_of_items(one) and type(one) is type(other):
        return len(one) == len(other) and all(map(_alike, one, other))
    return same(one, other) or (type(one) is type(other) and type(one) in (np.dtype, frozenset) and one == other)


class _Quiet(Region):
    """A run of a cached function, which must not record anything or write to earlier memory."""

    code = "E103"


class _OnSides:
    """What is known of a cache that is used on sides of branches on data, or in iterations of
    loops.

    ``before``: the arguments with which it was used elsewhere; ``calls``: these calls;
    ``results``: what it returned on sides.
    """

    def __init__(self) -> None:
        self.before: dict[Any, Any] = {}
        self.calls: list[_Call] = []
        self.results: dict[Any, Any] = {}

    def call(self, world: ShadowedWorld, vm: Machine, fn: Any, key: Any, args: Any, kwargs: Any) -> Any:
        """The result for arguments that the cache was not asked for before any side."""
        region = _Quiet(world.recorder, f"`{fn.__wrapped__.__qualname__}`, whose results are cached,")
        with region, snapshot(world, vm) as taken:
            result = vm.run(fn.__wrapped__, args, kwargs)
            effect = taken.effect()
        if effect is None and (region.nodes or not _is_plain(world, result)):
            effect = "gives what is not plain data"
        if effect is None and not _alike(self.results.setdefault(key, result), result):
            effect = "gives another result than before for the same arguments"
        if effect is not None:
            what = f"`{fn.__wrapped__.__qualname__}`, whose results are cached, {effect}"
            hint = "Call the function before the branch or the loop, and use its result there."
            raise Unsupported("E103", f"a branch or loop depends on data, and on one side, or in one iteration, {what}", hint=hint)
        return self.results[key]


def _key(world: ShadowedWorld, fn: Any, args: Any, kwargs: Any) -> Any:
    """The key of a call if C makes and compares it without Python and keeps it; else ``None``."""
    given = (*args, *kwargs.values())
    if _is_full(world, fn) or has_sizes_within(given) or not all(map(_compares_in_c, given)):
        return None
    return functools._make_key(args, kwargs, fn.cache_parameters()["typed"])


def _is_of_pure_c(fn: Any) -> bool:
    """Whether the results depend on the arguments alone."""
    wrapped = fn.__wrapped__
    return type(wrapped) is types.BuiltinFunctionType and row(wrapped.__module__, wrapped.__name__).pure is True


@models("functools", "_lru_cache_wrapper.__call__")
def cached_call(world: ShadowedWorld, vm: Machine, fn: Any, args: Any, kwargs: Any) -> Any:
    """The cache calls back from C; where that is impossible, results are remembered here."""
    if _is_of_pure_c(fn) and (world.shadows.watchers or has_sizes_within((args, kwargs))):
        world.on_sides.setdefault(fn, _OnSides()).results[None] = None  # what the cache holds then is not told
        return Invoke(fn.__wrapped__, args, kwargs)
    key = _key(world, fn, args, kwargs)
    if key is None:
        return _called(world, vm, fn, args, kwargs)
    asked = world.on_sides.setdefault(fn, _OnSides())
    if key in asked.before:
        if world.shadows.watchers and _is_plain(world, asked.before[key]):
            return asked.before[key]
    elif world.shadows.watchers or key in asked.results:
        return asked.call(world, vm, fn, key, args, kwargs)
    elif fn in world.remembered and (found := world.remembered[fn].of_equal_sizes(args, kwargs)) is not _ABSENT:
        return found
    result = asked.before[key] = _called(world, vm, fn, args, kwargs)
    asked.calls.append(_Call(args, kwargs, result))
    return result


def _called(world: ShadowedWorld, vm: Machine, fn: Any, args: Any, kwargs: Any) -> Any:
    """The cache is called, or what stands for it."""
    if not _remembers(world, fn, *args, *kwargs.values()):
        if fn in world.remembered:
            world.remembered[fn].require_room(_is_full(world, fn))
        result = run(world, vm, fn, args, kwargs)
    else:
        result = world.remembered.setdefault(fn, _Remembered(fn)).call(world, vm, fn, args, kwargs)
    if id(result) not in world.cached and not world.is_local(fn.__wrapped__) and not _is_plain(world, result):
        world.cached[id(result)] = _Cached(world, fn, result)
    return result


def _may_change(cls: type) -> bool:
    return not (cls in _KEPT or cls.__module__ in KEPT_PYTHON_MODULES or is_own(cls))


_KEPT = LEAVES | {types.FunctionType, types.ModuleType, type}


class _Cached:
    """What a cache from outside has returned: the next call of the program gets it as it is
    left.
    """

    def __init__(self, world: ShadowedWorld, fn: Any, result: Any) -> None:
        self.name, self.result = fn.__wrapped__.__qualname__, result  # keeps the identity by which it is known
        self.parts, self.arrays, pending = dict[int, Any](), list[Any](), [result]
        while pending:
            value = pending.pop()
            if type(value) is ArrayProxy:
                self.arrays.append((value.storage, value.storage.version))
            elif id(value) not in self.parts and not world.shadows.is_outside(value) and _may_change(type(value)):
                parts = parts_of(value)
                self.parts[id(value)] = value, parts
                pending += [item for item, _ in held_in(parts)]

    def require_unchanged(self) -> None:
        """Raises ``Unsupported`` (E112) if the program has changed it."""
        written = any(storage.version != version for storage, version in self.arrays)
        if written or not all(same_parts(parts, parts_of(value)) for value, parts in self.parts.values()):
            what = f"the program changes what `{self.name}`, whose results are cached, has returned: the next call finds it changed"
            raise Unsupported("E112", what, hint="Copy what the function returns before it is changed.")


@models("functools", "_lru_cache_wrapper.cache_info")
def cache_info(world: ShadowedWorld, vm: Machine, fn: Any, args: Any, kwargs: Any) -> Any:
    cache, _ = receiver(fn, args)
    if cache in world.on_sides and world.on_sides[cache].results:
        raise Unsupported("E103", "what a cache holds depends on the side of a branch on data that is taken")
    known = world.remembered.setdefault(cache, _Remembered(cache))
    mine = functools._CacheInfo(known.hits, known.misses, known.parameters["maxsize"], len(known.results) + len(known.of_sizes))
    if _remembers(world, cache):
        return mine
    c: Any = run(world, vm, fn, args, kwargs)
    return functools._CacheInfo(c.hits + mine.hits, c.misses + mine.misses, c.maxsize, c.currsize + mine.currsize)


@models("functools", "_lru_cache_wrapper.cache_clear")
def cache_clear(world: ShadowedWorld, vm: Machine, fn: Any, args: Any, kwargs: Any) -> Any:
    cache, _ = receiver(fn, args)
    world.remembered.pop(cache, None)
    if cache in world.on_sides:
        world.on_sides[cache].before.clear()
        world.on_sides[cache].calls.clear()
    return run(world, vm, fn, args, kwargs)
